/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/clock.h"

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
