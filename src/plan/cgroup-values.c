/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/cgroup-values.h"

#include <math.h>

uint64_t cpu_weight(uint64_t shares)
{
	double l;

	if (shares == 0)
		return 0;
	if (shares <= 2)
		return 1;
	if (shares >= 262144)
		return 10000;
	l = log2((double)shares);
	return (uint64_t)ceil(pow(10, (l * l + 125 * l) / 612.0 - 7.0 / 34.0));
}

uint64_t io_weight(uint64_t weight)
{
	return weight < 10 ? 0 : 1 + (weight - 10) * 9999 / 990;
}
