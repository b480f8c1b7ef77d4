/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * record - state.json: what every later command needs to know of a container.
 *
 * A journal: it is written before the first side effect (phase "creating", with
 * the cgroup that is about to be made) and again at each change, so that
 * `delete --force` finds all that an interrupted create left.  The last line
 * holds length and checksum, so that a truncated record is told from a good one;
 * an unreadable record never means "no container".
 */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include <ocispec.h>

#include "base/err.h"
#include "store/store.h"

enum record_phase { PHASE_CREATING, PHASE_CREATED, PHASE_DELETING };

/* All strings borrowed, or owned by the arena given to record_read(). */
struct record {
	struct opt_int phase; /* enum record_phase */
	char *id;
	char *oci_version;
	char *bundle;		       /* absolute */
	char *rootfs;		       /* absolute */
	char *created;		       /* RFC 3339, UTC, nanoseconds */
	char *boot_id;		       /* of the boot in which the pids below are valid */
	struct opt_int creator_pid;    /* of the `create` in PHASE_CREATING */
	struct opt_uint creator_start; /* its start time, clock ticks since boot */
	struct opt_int pid;	       /* of init, 0 before it is spawned */
	struct opt_uint pid_start;     /* start time of init, clock ticks since boot */
	struct opt_int owner;	       /* uid of the caller of create */
	char *cgroup_manager;	       /* "cgroupfs", "systemd", "disabled" */
	char *cgroup_path;	       /* under the cgroup2 mount, starts with '/'; NULL: none */
	struct opt_uint cgroup_inode;  /* 0: not made yet */
	char *cgroup_scope;	       /* systemd unit, NULL: none */
	struct opt_bool cgroup_kept;   /* it was there before and has not been taken over yet */
	struct opt_bool own_pid_namespace;
	struct opt_bool
		late_hooks; /* false: no poststart or poststop hooks to read the configuration for */
	struct pair_list annotations;
};

extern const struct desc record_desc;

/* Writes the record of an opened container; atomic.  Needs the exclusive lock. */
int record_write(struct store *store, const struct record *record, struct err *err);

/*
 * Reads it; strings are owned by @arena.  Returns 0, or -1 with err->code
 * ENODATA when there is none yet and EBADMSG when it is damaged.
 */
int record_read(const struct store *store, struct arena *arena, struct record *ret,
		struct err *err);

#endif
