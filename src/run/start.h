/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* start - how init says that it has, or has not, executed the program; for exec, too. */
#ifndef RUN_START_H
#define RUN_START_H

#include "base/err.h"
#include "host/notify.h"
#include "run/container.h"

/*
 * Reads what init writes to the other end of @result_fd before it closes, which it
 * does at its execve(2).  Returns 0 when that was nothing, else -1 with init's @err.
 */
int start_read_result(int result_fd, struct err *err);

/*
 * run_start() without the wait for the program's readiness: what comes of that
 * arrives at @notify, NOTIFY_NONE when there is nobody to tell.  container_close() and
 * notify_close() are due in any case.
 */
int start_program(const struct run_context *ctx, const char *id, struct container *container,
		  struct notify *notify, struct err *err);

#endif
