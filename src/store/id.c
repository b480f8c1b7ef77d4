/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "store/id.h"

#include <string.h>

#include "base/str.h"

static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "0123456789_+.-";

int id_check(const char *id, struct err *err)
{
	size_t len = strlen(id);

	if (len == 0)
		return err_set(err, "invalid container ID format: empty");
	if (len > ID_MAX)
		return err_set(err, "invalid container ID format: longer than %d bytes", ID_MAX);
	if (id[0] == '.') /* the state root keeps files of its own under such names */
		return err_set(err, "invalid container ID format: \"%s\" begins with a dot", id);
	if (strspn(id, allowed) != len)
		return err_set(
			err,
			"invalid container ID format: \"%s\" has an invalid character, outside of [A-Za-z0-9_+.-]",
			id);
	return 0;
}
