/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <signal.h>

#include "base/scope.h"
#include "base/sys.h"
#include "host/cgroup.h"
#include "run/container.h"
#include "run/run.h"

/* Every process of the cgroup, and thereby init. */
static int signal_all(const struct container *container, int signal, struct err *err)
{
	struct cgroup cgroup = CGROUP_NONE;
	int result = container_cgroup(container, &cgroup, err);

	if (result == 0)
		result = signal == SIGKILL ? cgroup_kill_all(&cgroup, err) :
					     cgroup_signal_all(&cgroup, signal, err);
	cgroup_close(&cgroup);
	return result;
}

static int signal_init(const struct container *container, int signal, struct err *err)
{
	int code = sys_pidfd_send_signal(container->pid_fd, signal);

	if (code == -ESRCH)
		return err_set(err, "container not running");
	return code < 0 ? err_errno(err, code, "signal init %d", (int)container->record.pid.value) :
			  0;
}

/* True when processes have outlived init. */
static bool has_processes(const struct container *container)
{
	struct cgroup cgroup = CGROUP_NONE;
	autofree pid_t *pids = NULL;
	size_t count = 0;

	if (container_cgroup(container, &cgroup, NULL) == 0)
		(void)cgroup_pids(&cgroup, &pids, &count, NULL);
	cgroup_close(&cgroup);
	return count;
}

/*
 * Without a pid namespace of its own the end of init ends nobody else: SIGKILL
 * goes to the whole cgroup then (R229).
 */
static int kill_opened(const struct container *container, int signal, bool all, struct err *err)
{
	bool whole = all || (signal == SIGKILL && !container->record.own_pid_namespace.value);
	bool has_cgroup = container->record.cgroup_path && container->record.cgroup_inode.set;

	if (!container_is_alive(container)) {
		if (whole && !all && has_cgroup && has_processes(container))
			return signal_all(container, signal, err);
		if (!all)
			return err_set(err, "container not running");
		(void)signal_all(container, signal,
				 NULL); /* its init is gone, others may be there */
		return 0;
	}
	if (whole && has_cgroup)
		return signal_all(container, signal, err);
	return signal_init(container, signal, err);
}

int run_kill(const struct run_context *ctx, const char *id, int signal, bool all, struct err *err)
{
	struct container container;
	int result = container_open(ctx, id, STORE_UNLOCKED, &container, err);

	if (result == 0)
		result = kill_opened(&container, signal, all, err);
	container_close(&container);
	return result;
}
