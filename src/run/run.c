/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run: create, start and, in the foreground, wait and delete (R238). */
#include "run/run.h"

#include <unistd.h>

#include "base/scope.h"
#include "run/create.h"
#include "run/foreground.h"
#include "run/remove.h"

/* The container is there; what goes wrong from here on takes it away again. */
static int start_and_wait(const struct run_context *ctx, const struct create_options *options,
			  const struct creation *creation, struct foreground *foreground,
			  int *ret_status, struct err *err)
{
	if (run_start(ctx, options->id, err) < 0) {
		(void)run_delete(ctx, options->id, true, NULL);
		return -1;
	}
	*ret_status = 0;
	if (options->detach)
		return 0;
	if (foreground_wait(foreground, creation->play.init_pid, creation->play.master_fd,
			    ret_status, err) < 0)
		return -1;
	return options->keep ? 0 : run_delete(ctx, options->id, true, err);
}

int run_run(const struct run_context *ctx, const struct create_options *options, int *ret_status,
	    struct err *err)
{
	struct creation creation = { .detached = options->detach };
	struct foreground foreground = { .signal_fd = -1 };
	int result = preserved_check(options->preserve_fds, err);

	if (result == 0 && !options->detach)
		result = foreground_prepare(&foreground, !options->no_subreaper, err);
	if (result == 0)
		result = creation_make(ctx, options, &creation, err);
	if (result == 0) {
		creation_unlock(&creation); /* `start` takes the lock for itself */
		result = start_and_wait(ctx, options, &creation, &foreground, ret_status, err);
	}
	creation_release(&creation);
	return result;
}
