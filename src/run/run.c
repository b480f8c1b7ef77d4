/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run: create, start and, in the foreground, wait and delete (R238). */
#include "run/run.h"

#include <unistd.h>

#include "base/scope.h"
#include "run/create.h"
#include "run/foreground.h"
#include "run/remove.h"
#include "run/start.h"

/* A run on its way: what its two halves share. */
struct running {
	const struct run_context *ctx;
	const struct create_options *options;
	struct creation creation;
	struct foreground foreground;
	struct notify notify;
};

/* Detached, the caller waits until the program is ready; else it stays anyway. */
static int start(struct running *run, struct err *err)
{
	struct container container;
	int result;

	if (run->options->detach)
		return run_start(run->ctx, run->options->id, err);
	result = start_program(run->ctx, run->options->id, &container, &run->notify, err);
	container_close(&container);
	run->foreground.notify = &run->notify;
	return result;
}

/* The container is there; what goes wrong from here on takes it away again. */
static int start_and_wait(struct running *run, int *ret_status, struct err *err)
{
	const struct create_options *options = run->options;
	const struct play *play = &run->creation.play;

	if (start(run, err) < 0) {
		(void)run_delete(run->ctx, options->id, true, NULL);
		return -1;
	}
	*ret_status = 0;
	if (options->detach)
		return 0;
	if (foreground_wait(&run->foreground, play->init_pid, play->master_fd, ret_status, err) < 0)
		return -1;
	return options->keep ? 0 : run_delete(run->ctx, options->id, true, err);
}

int run_run(const struct run_context *ctx, const struct create_options *options, int *ret_status,
	    struct err *err)
{
	struct running run = { .ctx = ctx,
			       .options = options,
			       .notify = NOTIFY_NONE,
			       .foreground = FOREGROUND_NONE,
			       .creation.detached = options->detach };
	int result = creation_begin(options, &run.creation, err);

	if (result == 0 && !options->detach)
		result = foreground_prepare(&run.foreground, !options->no_subreaper, err);
	if (result == 0)
		result = creation_make(ctx, options, &run.creation, err);
	if (result == 0) {
		creation_unlock(&run.creation); /* `start` takes the lock for itself */
		result = start_and_wait(&run, ret_status, err);
	}
	notify_close(&run.notify);
	foreground_done(&run.foreground);
	creation_release(&run.creation);
	return result;
}
