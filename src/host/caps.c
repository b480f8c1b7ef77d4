/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libcap reads names generously: any case, and whatever follows the name.  Only
 * what it would write itself in capitals is accepted here.
 */
#include "host/caps.h"

#include <ctype.h>
#include <stdio.h>
#ifdef HAVE_LIBCAP
#include <sys/capability.h>
#endif

#include "base/str.h"

enum { CAPS_MAX = 64 };

const char *caps_name(int cap, char name[CAPS_NAME_SIZE])
{
	(void)snprintf(name, CAPS_NAME_SIZE, "CAP_%d", cap);
#ifdef HAVE_LIBCAP
	char *known = cap_to_name(cap);

	if (known && str_after(known, "cap_")) {
		(void)snprintf(name, CAPS_NAME_SIZE, "%s", known);
		for (char *c = name; *c; c++)
			*c = (char)toupper((unsigned char)*c);
	}
	(void)cap_free(known);
#endif
	return name;
}

static int find(const char *name)
{
#ifdef HAVE_LIBCAP
	cap_value_t cap;

	return cap_from_name(name, &cap) == 0 ? (int)cap : -1;
#else
	const char *digits = str_after(name, "CAP_");
	uint64_t cap;

	return digits && str_to_uint(digits, CAPS_MAX - 1, &cap) ? (int)cap : -1;
#endif
}

int caps_number(const char *name)
{
	char proper[CAPS_NAME_SIZE];
	int cap = find(name);

	return cap >= 0 && cap < CAPS_MAX && str_eq(caps_name(cap, proper), name) ? cap : -1;
}
