/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * start: a byte into the FIFO "start" lets init go on; what it has to say comes
 * back through "result", which ends when the program is executed, for init's end
 * of it is close-on-exec (R226).
 */
#include "run/start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/sys.h"
#include "host/hook.h"
#include "host/spawn.h"
#include "plan/plan.h"
#include "run/container.h"
#include "run/hook-state.h"
#include "run/remove.h"
#include "run/run.h"

enum { NUDGE_MS = 1000 };

static int check_startable(const struct container *container, struct err *err)
{
	switch (container->status) {
	case STATUS_CREATED:
		return 0;
	case STATUS_RUNNING:
		return err_set(err, "cannot start an already running container");
	case STATUS_PAUSED:
		return err_set(err, "cannot start a paused container");
	case STATUS_STOPPED:
		return err_set(err, "cannot start a container that has stopped");
	default:
		return err_set(err, "cannot start a container that is being created");
	}
}

int start_read_result(int result_fd, struct err *err)
{
	struct err told;
	ssize_t n;

	do
		n = read(result_fd, &told, sizeof(told));
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(told)) {
		told.text[sizeof(told.text) - 1] = '\0';
		if (err)
			*err = told;
		return -1;
	}
	return n == 0 ? 0 : err_set(err, "init's answer could not be read");
}

/*
 * Waits for init's answer.  The byte is repeated while init still waits for it:
 * another reader of the FIFO (a scanner) may have taken ours.
 */
static int await_result(const struct store *store, int result_fd, int pid_fd, struct err *err)
{
	for (;;) {
		struct pollfd fds[] = { { .fd = result_fd, .events = POLLIN },
					{ .fd = pid_fd, .events = POLLIN } };
		autoclose int start_fd = -1;
		int ready = poll(fds, ARRAY_LEN(fds), NUDGE_MS);

		if (ready < 0 && errno != EINTR)
			return err_errno(err, errno, "wait for init");
		if (ready > 0 && fds[0].revents)
			return start_read_result(result_fd, err);
		if (ready > 0)
			return err_set(err, "init ended before it executed the program");
		start_fd = openat(store->dir_fd, "start", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		if (start_fd >= 0)
			(void)!write(start_fd, "s", 1);
	}
}

static int release_init(struct container *container, struct err *err)
{
	const struct store *store = &container->store;
	autoclose int result_fd = -1;
	autoclose int start_fd = -1;

	result_fd = openat(store->dir_fd, "result", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	start_fd = openat(store->dir_fd, "start", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (start_fd < 0 || result_fd < 0)
		return err_errno(err, errno, "init of container %s does not wait for start",
				 store->id);
	if (write(start_fd, "s", 1) != 1)
		return err_errno(err, errno, "tell init to start");
	return await_result(store, result_fd, container->pid_fd, err);
}

/*
 * A poststop hook's failure keeps neither the others nor the caller from going on (R207).
 * It is told whatever the log level, for nothing else would tell of it.
 */
static int run_planned(const struct hooks_plan *hooks, enum hook_kind kind,
		       const struct hook_call *call, struct err *err)
{
	if (kind != HOOK_POSTSTOP)
		return hooks_run(hooks, kind, call, err);
	hooks_run_all(hooks, kind, call, log_error);
	return 0;
}

static int read_and_run_hooks(struct container *container, enum hook_kind kind,
			      enum container_status status, struct err *err)
{
	autofree char *state = NULL;
	struct oci_config *config = container_config(container, err);
	struct plan_input in = { .config = config };
	struct plan plan = { 0 };
	int result = -1;

	if (!config)
		return -1;
	state = hook_state(&container->record, status,
			   status == STATUS_STOPPED ? 0 : (pid_t)container->record.pid.value, err);
	if (state && plan_hooks(&plan, &in, err) == 0)
		result = run_planned(&plan.hooks, kind,
				     &(struct hook_call){ .state_json = state,
							  .cwd = container->record.bundle },
				     err);
	plan_free(&plan);
	return result;
}

int run_saved_hooks(struct container *container, enum hook_kind kind, enum container_status status,
		    struct err *err)
{
	const struct opt_bool *any = &container->record.late_hooks;

	return any->set && !any->value ? 0 : read_and_run_hooks(container, kind, status, err);
}

/* The container's side of it is there when its create had a NOTIFY_SOCKET, too. */
static int open_notify(const struct container *container, struct notify *ret, struct err *err)
{
	const char *address = notify_host_address();
	autoclose int dir_fd = -1;

	*ret = NOTIFY_NONE;
	if (!address)
		return 0;
	if (notify_check(address, err) < 0)
		return -1;
	dir_fd = openat(container->store.dir_fd, "notify",
			O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return dir_fd < 0 ? 0 : notify_open(address, dir_fd, ret, err);
}

int start_program(const struct run_context *ctx, const char *id, struct container *container,
		  struct notify *notify, struct err *err)
{
	int result;

	*notify = NOTIFY_NONE;
	if (container_open(ctx, id, STORE_EXCLUSIVE, container, err) < 0 ||
	    check_startable(container, err) < 0 || open_notify(container, notify, err) < 0)
		return -1;
	result = release_init(container, err);
	if (result == 0)
		result = run_saved_hooks(container, HOOK_POSTSTART, STATUS_RUNNING, err);
	if (result < 0)
		(void)container_remove(container, NULL); /* R206, R223 */
	return result;
}

/* The container runs: what goes wrong here is no failure of `start`. */
static void tell_ready(const struct notify *notify, pid_t main_pid)
{
	struct err why;

	if (notify_tell(notify, main_pid, &why) < 0 || notify_barrier(notify, &why) < 0)
		log_warn("%s", why.text);
}

/* Until the program is ready, or has ended; the service manager has a deadline of its own. */
static void await_ready(const struct notify *notify, const struct container *container)
{
	struct pollfd fds[] = { { .fd = notify->container_fd, .events = POLLIN },
				{ .fd = container->pid_fd, .events = POLLIN } };

	for (;;) {
		if (poll(fds, ARRAY_LEN(fds), -1) < 0) {
			if (errno != EINTR)
				return;
		} else if (fds[0].revents && notify_drain(notify)) {
			tell_ready(notify, (pid_t)container->record.pid.value);
			return;
		} else if (fds[1].revents) {
			return;
		}
	}
}

int run_start(const struct run_context *ctx, const char *id, struct err *err)
{
	struct container container;
	struct notify notify;
	int result = start_program(ctx, id, &container, &notify, err);

	store_close(&container.store); /* others may change the container while we wait */
	if (result == 0 && notify.container_fd >= 0)
		await_ready(&notify, &container);
	notify_close(&notify);
	container_close(&container);
	return result;
}
