/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clock - time that no one can set: for deadlines and durations. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Microseconds of CLOCK_MONOTONIC. */
long long clock_us(void);

/* The same in milliseconds. */
long long clock_ms(void);

#endif
