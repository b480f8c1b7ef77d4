/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* caps - capabilities by name (capabilities(7)). */
#ifndef HOST_CAPS_H
#define HOST_CAPS_H

enum { CAPS_NAME_SIZE = 48 };

/* The number of capability @name, spelt exactly "CAP_CHOWN"; -1 for any other text (R82, R85). */
int caps_number(const char *name);

/* The name of @cap in @name, which is returned; "CAP_63" for one without a name. */
const char *caps_name(int cap, char name[CAPS_NAME_SIZE]);

#endif
