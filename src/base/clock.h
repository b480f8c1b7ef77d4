/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock - time that no one can set, for deadlines and durations; the date, for people. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

/* Microseconds of CLOCK_MONOTONIC. */
long long clock_us(void);

/* The same in milliseconds. */
long long clock_ms(void);

enum { CLOCK_DATE_SIZE = 40 };

/*
 * The date and time @t, not before 1970, in UTC as RFC 3339 has it, with @digits (1 to 9) of the second's
 * fraction: "2026-12-01T12:00:00.123456Z".  Reads no file of time zones, as gmtime_r(3) does.
 */
void clock_date_of(const struct timespec *t, char text[CLOCK_DATE_SIZE], int digits);

/* The same for now. */
void clock_date(char text[CLOCK_DATE_SIZE], int digits);

#endif
