/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exec-cgroup - which cgroup below the container's `exec --cgroup` means. */
#ifndef PLAN_EXEC_CGROUP_H
#define PLAN_EXEC_CGROUP_H

#include <ocispec.h>

#include "base/err.h"

/*
 * *@ret: what @values, "PATH" or any number of "CONTROLLER[,CONTROLLER...]:PATH",
 * come to: "/" for the container's own, else "/a/b"; NULL without values.  The one
 * hierarchy of cgroup v2 has one place for a process: all controllers must name the
 * same.  A path that leads out of the container's cgroup is refused.  Texts are runc's
 * where it refuses, too.
 */
int plan_exec_cgroup(struct arena *arena, const struct str_list *values, char **ret,
		     struct err *err);

#endif
