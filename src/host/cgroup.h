/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cgroup - a container's cgroup in the v2 hierarchy: making, limiting, freezing,
 * killing and removing it.
 *
 * Paths are relative to the cgroup2 mount and begin with '/'.  A cgroup that was
 * made anew under an old name is told by its inode and never touched.
 * Source: Documentation/admin-guide/cgroup-v2.rst, R133-R155, R235, R271-R299.
 */
#ifndef HOST_CGROUP_H
#define HOST_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "host/cgroup-device.h"

enum cgroup_manager { CGROUP_FS, CGROUP_SYSTEMD, CGROUP_DISABLED };

extern const char *const cgroup_manager_name[];

struct cgroup_write {
	const char *file, *value;
	const char *json_path; /* "linux.resources.memory.limit" */
	bool may_be_missing;   /* a kernel without the file does what is asked anyway */
};

struct cgroup_plan {
	enum cgroup_manager manager;
	const char *path; /* clean; NULL when disabled */
	bool path_given;
	struct cgroup_write *writes;
	size_t writes_len;
	const struct device_rule *device_rules;
	size_t device_rules_len;
	bool restrict_devices; /* false: update, which leaves the filter alone */
	bool devices_may_fail; /* in a user namespace nobody may load a filter (R294) */
	bool may_be_without;   /* no permission is no failure: nothing was asked for (R140) */
	bool delegate;	       /* chown to the owner (R141) */
	uid_t owner;
	int64_t check_memory; /* checkBeforeUpdate: refuse limits below use, bytes; 0: don't look */
};

struct cgroup {
	int fd; /* its directory; -1: none */
	char *path;
	uint64_t inode;
	bool is_new; /* cgroup_create() made it, nothing is attached to it */
};

#define CGROUP_NONE ((struct cgroup){ .fd = -1 })

/* Where cgroup2 is mounted: "/sys/fs/cgroup", or "/sys/fs/cgroup/unified" on a hybrid host; NULL: nowhere. */
const char *cgroup_mountpoint(void);

/*
 * Makes the cgroup with its missing parents, controllers enabled from the root
 * down.  One that is there already must be empty and not frozen (R136).
 */
int cgroup_create(const struct cgroup_plan *plan, struct cgroup *ret, struct err *err);

/* Writes all values; an error names JSON path, file and, for an absent controller, where it is bound. */
int cgroup_limit(const struct cgroup_plan *plan, const struct cgroup *cgroup, struct err *err);

/* Attaches the device filter, in one step in place of an earlier one. */
int cgroup_restrict_devices(const struct cgroup_plan *plan, const struct cgroup *cgroup,
			    struct err *err);

/* Gives directory and delegatable files to the container's owner (R141). */
int cgroup_delegate(const struct cgroup_plan *plan, const struct cgroup *cgroup, struct err *err);

/* Opens it again.  err->code: ENOENT when it is gone, ESTALE when it is another one; @inode 0: any. */
int cgroup_open(const char *path, uint64_t inode, struct cgroup *ret, struct err *err);
/* The same below @mount_fd, from cgroup_open_mount(), which is opened anew when it is -1. */
int cgroup_open_at(int mount_fd, const char *path, uint64_t inode, struct cgroup *ret,
		   struct err *err);
void cgroup_close(struct cgroup *cgroup);

/* SIGKILL to all processes below, frozen or not (cgroup.kill). */
int cgroup_kill_all(const struct cgroup *cgroup, struct err *err);
int cgroup_signal_all(const struct cgroup *cgroup, int signal, struct err *err);

/* Waits until no process is left below. */
int cgroup_wait_empty(const struct cgroup *cgroup, int deadline_ms, struct err *err);

/* Freezes or thaws, and waits until it has happened, at most 10 s. */
int cgroup_freeze(const struct cgroup *cgroup, bool frozen, struct err *err);
int cgroup_is_frozen(const struct cgroup *cgroup, bool *ret, struct err *err);

/* All pids below, ascending; malloc'ed. */
int cgroup_pids(const struct cgroup *cgroup, pid_t **ret, size_t *ret_count, struct err *err);

/* False when controllers are enabled for what is below it: it may then have no processes (EBUSY). */
bool cgroup_takes_processes(const struct cgroup *cgroup);

/* Whether there is a cgroup of that name. */
bool cgroup_exists(const char *path);

/* Removes it if it has neither processes nor cgroups below it: true then, and when it is gone. */
bool cgroup_remove_idle(const struct cgroup *cgroup);

/* Removes it and all below it, waiting at most 10 s for the kernel; gone is success. */
int cgroup_remove(const struct cgroup *cgroup, struct err *err);

/* The path of process @pid; owned by the caller. */
int cgroup_of_process(pid_t pid, char **ret_path, struct err *err);

/* How often the OOM killer has killed below. */
int cgroup_oom_kills(const struct cgroup *cgroup, uint64_t *ret, struct err *err);

#endif
