/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/path.h"

#include <string.h>

#include "base/str.h"

char *path_clean(char *path)
{
	char *out = path;

	for (const char *at = path; at && *at;) {
		size_t len;

		at += strspn(at, "/");
		len = strcspn(at, "/");
		if (len == 2 && !memcmp(at, "..", 2)) {
			while (out > path && *--out != '/')
				;
		} else if (len && !(len == 1 && *at == '.')) {
			*out++ = '/';
			memmove(out, at, len);
			out += len;
		}
		at += len;
	}
	if (!path)
		return NULL;
	if (out == path)
		*out++ = '/';
	*out = '\0';
	return path;
}

bool path_is_inside(const char *path, const char *directory)
{
	const char *rest = str_after(path, directory);

	return rest && (!*rest || *rest == '/') && directory[1];
}
