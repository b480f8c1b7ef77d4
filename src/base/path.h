/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* path - lexical rules: nothing here looks at the file system. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>

/*
 * Makes the absolute @path clean in place: no "//", ".", ".." or slash at the end,
 * and nothing above "/".  Returns @path; NULL stays NULL.
 */
char *path_clean(char *path);

/* True when the clean @path is the clean @directory or lies below it; never for "/". */
bool path_is_inside(const char *path, const char *directory);

#endif
