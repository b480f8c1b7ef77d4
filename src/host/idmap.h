/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * idmap - user and group id maps of a user namespace.
 * Source: user_namespaces(7), newuidmap(1), R108-R111.
 */
#ifndef HOST_IDMAP_H
#define HOST_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct id_range {
	uint32_t inside, outside, count;
};
struct id_map {
	struct id_range *at;
	size_t len;
};

struct idmap_plan {
	struct id_map uid, gid; /* empty: none given (joined namespace, or no user namespace) */
	bool deny_setgroups;	/* write "deny" before the gid map: an unprivileged single map */
	bool use_helpers;	/* newuidmap(1) and newgidmap(1) write the maps */
};

/* The outside id of @inside, or UINT32_MAX when it is not mapped.  An empty map is identity. */
uint32_t idmap_outside(const struct id_map *map, uint32_t inside);

/* True when @inside is mapped; always for an empty map. */
bool idmap_has(const struct id_map *map, uint32_t inside);

/*
 * Writes the maps of process @pid, the first in its user namespace, directly or
 * with newuidmap and newgidmap.  Called from outside of that namespace.
 */
int idmap_write(const struct idmap_plan *plan, pid_t pid, struct err *err);

/*
 * Makes a user namespace with these maps that lives as long as *@ret_fd is open.
 * Needs privileges over all mapped ids.
 */
int idmap_namespace(const struct id_map *uid, const struct id_map *gid, int *ret_fd,
		    struct err *err);

/* Reads the maps of the user namespace of process @pid ("self" for 0); owned by the caller (free .at). */
int idmap_read(pid_t pid, struct id_map *ret_uid, struct id_map *ret_gid, struct err *err);

/* The same of the user namespace file @path, as the caller's own namespace sees it. */
int idmap_read_namespace(const char *path, struct id_map *ret_uid, struct id_map *ret_gid,
			 struct err *err);

#endif
