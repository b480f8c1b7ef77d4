/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan-exec - the process that exec runs: the container's, changed as was asked for (R239, R240). */
#ifndef PLAN_PLAN_EXEC_H
#define PLAN_PLAN_EXEC_H

#include <ocispec.h>

#include "base/err.h"

struct exec_request {
	const struct oci_process *given;	   /* --process, NULL: the container's */
	char **args;				   /* NULL-terminated */
	const char *cwd, *user, *apparmor, *label; /* NULL: not given */
	struct str_list env, caps, gids;
	bool tty, no_new_privs;
};

/* Fills *@ret; new lists are of @arena, the rest is borrowed from its sources. */
int plan_exec_process(struct arena *arena, const struct oci_process *container,
		      const struct exec_request *request, struct oci_process *ret, struct err *err);

#endif
