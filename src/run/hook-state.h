/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hook-state - the state document that hooks and seccomp agents are given. */
#ifndef RUN_HOOK_STATE_H
#define RUN_HOOK_STATE_H

#include <sys/types.h>

#include "base/err.h"
#include "run/run.h"
#include "store/record.h"

/*
 * The state of @record with @status and @pid (0: left out of nothing, printed as
 * 0) as one line of JSON, "root" among its members (peers.md 2.6).  Owned by the
 * caller; NULL with @err set when out of memory.
 */
char *hook_state(const struct record *record, enum container_status status, pid_t pid,
		 struct err *err);

#endif
