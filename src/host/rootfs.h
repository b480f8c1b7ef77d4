/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rootfs - the container's file tree: mounts, devices, console, pivot, masks.
 *
 * All of it happens in init's own mount namespace, on descriptors that inroot
 * opened; no path of the tree is given to a call that resolves it elsewhere.  Bind
 * sources that need the host's privileges are cloned by runtime before init is
 * born, which inherits the descriptors.
 * Source: runtime-spec config.md "Mounts", config-linux.md, R10-R62, R117-R126, R182-R187.
 */
#ifndef HOST_ROOTFS_H
#define HOST_ROOTFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "host/idmap.h"

enum mount_kind { MOUNT_FS, MOUNT_BIND, MOUNT_CGROUP };

struct mount_datum {
	const char *key, *value;
}; /* value NULL: a flag */

struct mount_plan {
	enum mount_kind kind;
	const char *json_path;	 /* "mounts[3]" */
	const char *source;	 /* absolute for a bind */
	const char *destination; /* clean, absolute */
	const char *type;
	uint64_t attr_set, attr_clr; /* MOUNT_ATTR_... of the mount */
	uint64_t asked_clr;	     /* bind: what of attr_clr was asked for in words */
	bool keep_locked; /* bind: a user namespace locks the source's flags, whoever makes the mount */
	uint64_t recursive_set, recursive_clr; /* of the mount and all below it */
	unsigned long propagation[4];	       /* MS_SHARED ... | MS_REC, in order, 0-terminated */
	struct mount_datum *data;
	size_t data_len;
	bool recursive;		/* rbind */
	bool read_only_late;	/* once it is filled (R39) */
	bool copy_up;		/* tmpcopyup */
	bool has_mode;		/* mode= was given */
	bool plain_destination; /* proc and sysfs: no links on the way (R41) */
	const char *
		source_inside; /* the bind source below the rootfs: opened in turn (R49), or NULL */
	bool source_no_follow, copy_symlink, destination_no_follow;
	bool idmap, idmap_recursive;
	struct id_map uid_map, gid_map; /* of the id-mapped mount */
};

struct device_plan {
	const char *json_path; /* NULL: a default device */
	const char *path;      /* absolute, clean */
	mode_t mode;	       /* S_IFCHR, S_IFBLK or S_IFIFO and permissions */
	dev_t number;
	uid_t uid;
	gid_t gid;
};

struct rootfs_plan {
	const char *path; /* absolute */
	bool own_mount_namespace, own_user_namespace;
	bool read_only, no_pivot, privileged;
	unsigned long propagation; /* MS_... of the root in the end, 0: unset */
	struct mount_plan *mounts;
	size_t mounts_len;
	bool make_devices; /* false: /dev is a bind mount and none of ours (R126) */
	struct device_plan *devices;
	size_t devices_len;
	const char *const *masked, *const *read_only_paths;
	size_t masked_len, read_only_paths_len;
	const char *cwd;
	const char *mount_label;   /* SELinux context of new file systems, NULL: none */
	const char *cgroup_source; /* to bind where cgroup2 can't be mounted */
};

/* What runtime has ready for a bind; -1: nothing. */
struct mount_source {
	int tree_fd; /* a clone of the source */
	int map_fd;  /* a user namespace that has the maps of an id-mapped mount */
};

struct rootfs {
	int root_fd;	/* the root of the tree */
	int null_fd;	/* /dev/null of the host as init's mount namespace has it, checked */
	int console_fd; /* slave of the console */
	struct mount_source *sources; /* one for each mount, or NULL */
	size_t sources_len;
};

#define ROOTFS_NONE ((struct rootfs){ .root_fd = -1, .null_fd = -1, .console_fd = -1 })

/* RUNTIME, before the spawn. */
int rootfs_open_sources(const struct rootfs_plan *plan, struct rootfs *live, struct err *err);

/* Closes what is open; both players. */
void rootfs_release(struct rootfs *live);

/* INIT, in this order. */
int rootfs_make_private(const struct rootfs_plan *plan, struct rootfs *live, struct err *err);
int rootfs_attach(const struct rootfs_plan *plan, struct rootfs *live, struct err *err);
int rootfs_mount_all(const struct rootfs_plan *plan, struct rootfs *live, struct err *err);
int rootfs_make_devices(const struct rootfs_plan *plan, struct rootfs *live, struct err *err);

/* A pseudo-terminal of the container's own devpts, its slave on /dev/console (R253). */
int rootfs_open_console(const struct rootfs_plan *plan, struct rootfs *live, int *ret_master_fd,
			struct err *err);

/* The same for a process that joined the container: nothing is mounted. */
int rootfs_open_terminal(struct rootfs *live, int *ret_master_fd, struct err *err);

/* Masks, read-only paths, mounts and root: nothing is made in the tree after it. */
int rootfs_finish(const struct rootfs_plan *plan, struct rootfs *live, struct err *err);

/* Makes the tree "/". */
int rootfs_pivot(const struct rootfs_plan *plan, struct rootfs *live, struct err *err);

#endif
