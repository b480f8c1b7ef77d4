/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inroot - the only way into a container's file tree: every path is resolved by
 * the kernel with the rootfs as "/", so that no link in it, exchanged or not,
 * leads out (R17, security.md 1.1).
 */
#ifndef HOST_INROOT_H
#define HOST_INROOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Opens @path under @root_fd; links are followed inside.  A descriptor or -errno. */
int inroot_open(int root_fd, const char *path, uint64_t flags);

/* The same, but -ELOOP for a link anywhere in @path. */
int inroot_open_plain(int root_fd, const char *path, uint64_t flags);

/* The same (O_PATH), but a link in the last place itself; @path must not be "/". */
int inroot_open_last(int root_fd, const char *path);

/*
 * Opens the directory @path (O_PATH), which is made with missing parents, 0755,
 * where the links that lead there dangle, too.  *@ret_made (may be NULL): the last
 * component is new.  A descriptor or -errno.
 */
int inroot_make_directory(int root_fd, const char *path, bool *ret_made);

/* The same for a file, which is empty, 0644, when it has to be made. */
int inroot_make_file(int root_fd, const char *path);

/* Opens the directory above @path, made as above; *@ret_name is the rest of @path. */
int inroot_make_parent(int root_fd, const char *path, const char **ret_name);

#endif
