/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * store - the directory of a container under the state root, and its lock.
 *
 *   ROOT/ID/         0700  all that rung remembers of one container
 *     state.json     the journalled record (store/record.h)
 *     config.json    the configuration as it was at create (R7)
 *     start, result  FIFOs between init and `start` (run/start.h)
 *     notify         where the container's NOTIFY_SOCKET is bound by `start` (host/notify.h)
 *     lock           held by whoever changes the container
 *
 * The directory comes first and goes last: while it is there, delete can find
 * everything else.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct store {
	int root_fd;					     /* of the state root */
	int dir_fd;					     /* of ROOT/ID */
	int lock_fd;					     /* -1: not locked */
	const char *id;					     /* borrowed */
	enum { SYNC_UNKNOWN, SYNC_NEVER, SYNC_ALWAYS } sync; /* found out by the first write */
};

#define STORE_NONE ((struct store){ .root_fd = -1, .dir_fd = -1, .lock_fd = -1 })

enum store_lock {
	STORE_UNLOCKED, /* readers: state, list, ps */
	STORE_SHARED,	/* exec: several at once, but not while deleting */
	STORE_EXCLUSIVE,
};

/*
 * The state root when --root is absent: "/run/rung", or "$XDG_RUNTIME_DIR/rung"
 * when the caller isn't root of the initial user namespace.  Owned by the caller.
 */
char *store_default_root(struct err *err);

/*
 * Makes ROOT (0700, parents 0755) when absent and ROOT/ID, which must not exist:
 * "container with given ID already exists: ID".  Takes the exclusive lock.
 * Refuses a root that is a symlink's victim: not owned by the caller, or writable
 * by group or others.
 */
int store_create(const char *root, const char *id, struct store *ret, struct err *err);

/*
 * Opens ROOT/ID.  Absence is store_fail_absent().
 * Waits at most 10 s for the lock, then says who holds it.
 */
int store_open(const char *root, const char *id, enum store_lock lock, struct store *ret,
	       struct err *err);

/* The failure of a container that is not there: "container does not exist: ID", ENOENT.  Returns -1. */
int store_fail_absent(const struct store *store, struct err *err);

/* What a directory without a record is; struct store's own lock counts as nobody's. */
enum store_stage {
	STORE_IN_THE_MAKING, /* its creator is there and has not come to its first record yet */
	STORE_ABANDONED, /* nobody is at work on it: killed before its first or behind its last */
	STORE_GONE,	 /* not there yet, or no longer */
};

enum store_stage store_stage(const struct store *store);

/* Removes the directory with all that is in it, and the lock with it. */
int store_remove(struct store *store, struct err *err);

/* Closes the descriptors; accepts STORE_NONE. */
void store_close(struct store *store);

/*
 * The ids under ROOT in byte order: *@ret_ids, *@ret_count; free with
 * store_free_ids().  An absent root is an empty list unless @must_exist.
 */
int store_list(const char *root, bool must_exist, char ***ret_ids, size_t *ret_count,
	       struct err *err);
void store_free_ids(char **ids, size_t count);

/* Writes @text to NAME in the directory: temporary file, fsync unless on tmpfs, rename. */
int store_write(struct store *store, const char *name, const char *text, struct err *err);

#endif
