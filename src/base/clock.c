/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

long long clock_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

long long clock_ms(void)
{
	return clock_us() / 1000;
}

static bool is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_of_month(int year, int month)
{
	static const char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return days[month] + (month == 1 && is_leap(year));
}

void clock_date_of(const struct timespec *t, char text[CLOCK_DATE_SIZE], int digits)
{
	char fraction[16];
	int year = 1970, month = 0, second;
	long day;

	day = t->tv_sec / 86400;
	second = (int)(t->tv_sec % 86400);
	for (; day >= 365 + is_leap(year); year++)
		day -= 365 + is_leap(year);
	for (; day >= days_of_month(year, month); month++)
		day -= days_of_month(year, month);
	(void)snprintf(fraction, sizeof(fraction), "%09ld", t->tv_nsec);
	(void)snprintf(text, CLOCK_DATE_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d.%.*sZ", year,
		       month + 1, (int)day + 1, second / 3600, second / 60 % 60, second % 60,
		       digits, fraction);
}

void clock_date(char text[CLOCK_DATE_SIZE], int digits)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	clock_date_of(&now, text, digits);
}
