/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cpulist - lists of CPUs and memory nodes as the kernel writes them: "0-3,7" (cpuset(7)). */
#ifndef HOST_CPULIST_H
#define HOST_CPULIST_H

#include <limits.h>
#include <stdbool.h>

enum { CPULIST_MAX = 8192, CPULIST_WORDS = CPULIST_MAX / (8 * sizeof(unsigned long)) };

/*
 * Sets the bits that @list names in @bits, an array of CPULIST_WORDS, all others
 * cleared.  Returns false when it is no list or names @max or above.
 */
bool cpulist_parse(const char *list, unsigned long *bits, unsigned max);

#endif
