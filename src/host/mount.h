/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mount - one mount of the plan at a time; parts of rootfs_mount_all(). */
#ifndef HOST_MOUNT_H
#define HOST_MOUNT_H

#include "host/rootfs.h"

/*
 * A detached clone of the bind source of @mount with its flags and id map, or -1 with @err set.
 * @root_fd: where a source in the rootfs is looked for, -1: on the host, as any other.
 * @map_fd: a user namespace with its maps, -1: made here, which takes the host's /proc.
 */
int mount_clone_source(const struct mount_plan *mount, int root_fd, int map_fd, struct err *err);

/* Mounts the i-th of @plan->mounts at its destination under live->root_fd. */
int mount_one(const struct rootfs_plan *plan, struct rootfs *live, size_t i, struct err *err);

/* Attaches the detached mount @tree_fd on top of what @target_fd refers to; 0 or -errno. */
int mount_attach(int tree_fd, int target_fd);

/* Copies what is in the directory @from_fd into the directory @to_fd (tmpcopyup); 0 or -errno. */
int mount_copy_up(int from_fd, int to_fd);

#endif
