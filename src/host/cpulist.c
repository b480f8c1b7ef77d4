/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/cpulist.h"

#include <ctype.h>
#include <string.h>

static bool read_number(const char **at, unsigned max, unsigned *ret)
{
	unsigned n = 0;

	if (!isdigit((unsigned char)**at))
		return false;
	for (; isdigit((unsigned char)**at); ++*at) {
		n = n * 10 + (unsigned)(**at - '0');
		if (n >= max)
			return false;
	}
	*ret = n;
	return true;
}

static void skip_spaces(const char **at)
{
	*at += strspn(*at, " ");
}

static bool read_range(const char **at, unsigned max, unsigned *first, unsigned *last)
{
	skip_spaces(at);
	if (!read_number(at, max, first))
		return false;
	*last = *first;
	skip_spaces(at);
	if (**at != '-')
		return true;
	++*at;
	skip_spaces(at);
	return read_number(at, max, last) && *last >= *first;
}

bool cpulist_parse(const char *list, unsigned long *bits, unsigned max)
{
	enum { WORD = 8 * sizeof(unsigned long) };
	unsigned first, last;

	memset(bits, 0, CPULIST_WORDS * sizeof(*bits));
	do {
		if (!read_range(&list, max, &first, &last))
			return false;
		for (unsigned i = first; i <= last; i++)
			bits[i / WORD] |= 1UL << (i % WORD);
		skip_spaces(&list);
	} while (*list++ == ',');
	return list[-1] == '\0';
}
