/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgroup-mount - the root of the v2 hierarchy, for the files that make up host/cgroup. */
#ifndef HOST_CGROUP_MOUNT_H
#define HOST_CGROUP_MOUNT_H

#include "base/err.h"

/* A descriptor of the cgroup2 mount, or -1 with @err set. */
int cgroup_open_mount(struct err *err);

#endif
