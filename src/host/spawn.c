/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/spawn.h"

#include <errno.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/sys.h"
#include "host/signals.h"

pid_t spawn_clone(const struct spawn_request *request, int *ret_pid_fd, struct err *err)
{
	int pid_fd = -1;
	struct clone_args args = {
		.flags = (unsigned)request->flags,
		.exit_signal = request->sibling ? 0 : SIGCHLD,
	};
	pid_t pid;

	if (ret_pid_fd) {
		args.flags |= CLONE_PIDFD;
		args.pidfd = (uintptr_t)&pid_fd;
	}
	if (request->cgroup_fd >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (unsigned)request->cgroup_fd;
	}
	if (request->sibling)
		args.flags |= CLONE_PARENT;
	pid = sys_clone3(&args, sizeof(args));
	if (pid == -EBUSY && request->cgroup_fd >= 0) /* runc's words */
		return err_errno(err, pid, "error adding pid of the new process to cgroups");
	if (pid < 0)
		return err_errno(err, pid, "clone3 with flags %#x%s", (unsigned)request->flags,
				 request->cgroup_fd >= 0 ? " into the cgroup" : "");
	if (pid > 0 && ret_pid_fd)
		*ret_pid_fd = pid_fd;
	return pid;
}

static int reap(pid_t pid, int *status)
{
	pid_t done;

	do
		done = waitpid(pid, status, __WALL);
	while (done < 0 && errno == EINTR);
	return done < 0 ? -errno : 0;
}

void spawn_kill(pid_t pid, int pid_fd)
{
	int status;

	if (pid_fd >= 0)
		(void)sys_pidfd_send_signal(pid_fd, SIGKILL);
	if (pid > 0)
		(void)reap(pid, &status);
}

void spawn_describe_end(pid_t pid, int pid_fd, int deadline_ms, char text[80])
{
	struct pollfd ended = { .fd = pid_fd, .events = POLLIN };
	int status = 0;

	if (poll(&ended, 1, deadline_ms) != 1 || reap(pid, &status) < 0)
		(void)snprintf(text, SIGNAL_END_SIZE, "still there");
	else
		signal_describe_end(status, text);
}
