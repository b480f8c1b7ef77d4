/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* remove - takes everything of a container away that create has made. */
#ifndef RUN_REMOVE_H
#define RUN_REMOVE_H

#include "host/hook.h"
#include "run/container.h"

/*
 * Kills what is left of the container, removes its cgroup, resctrl groups and
 * directory, and runs its poststop hooks, whose failures are warned of.  Needs
 * the exclusive lock.  Can be repeated until it returns 0.
 */
int container_remove(struct container *container, struct err *err);

/* Runs the hooks of @kind from the saved configuration, in the runtime's namespaces (run/start.c). */
int run_saved_hooks(struct container *container, enum hook_kind kind, enum container_status status,
		    struct err *err);

#endif
