/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libcap reads names generously: any case, and whatever follows the name.  Only
 * what it would write itself in capitals is accepted here.
 */
#include "host/caps.h"

#include <ctype.h>
#include <stdio.h>
#include <sys/capability.h>

#include "base/str.h"

const char *caps_name(int cap, char name[CAPS_NAME_SIZE])
{
	char *known = cap_to_name(cap);

	(void)snprintf(name, CAPS_NAME_SIZE, "CAP_%d", cap);
	if (known && str_after(known, "cap_")) {
		(void)snprintf(name, CAPS_NAME_SIZE, "%s", known);
		for (char *c = name; *c; c++)
			*c = (char)toupper((unsigned char)*c);
	}
	(void)cap_free(known);
	return name;
}

int caps_number(const char *name)
{
	char proper[CAPS_NAME_SIZE];
	cap_value_t cap;

	if (cap_from_name(name, &cap) < 0 || !str_eq(caps_name((int)cap, proper), name))
		return -1;
	return (int)cap;
}
