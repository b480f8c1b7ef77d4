/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/sys.h"
#include "host/signals.h"
#include "host/spawn.h"

enum { TAIL_MAX = 512 };

const char *const hook_kind_name[] = {
	[HOOK_PRESTART] = "prestart",
	[HOOK_CREATE_RUNTIME] = "createRuntime",
	[HOOK_CREATE_CONTAINER] = "createContainer",
	[HOOK_START_CONTAINER] = "startContainer",
	[HOOK_POSTSTART] = "poststart",
	[HOOK_POSTSTOP] = "poststop",
};

/* One running hook, seen from its parent. */
struct running {
	pid_t pid;
	int pid_fd;
	int input_fd, error_fd;
	const char *input; /* what is left of the state */
	size_t input_len;
	char tail[TAIL_MAX + 1]; /* the last of its standard error */
	size_t tail_len;
	long long end_ms;
};

/* Child: standard output and error as the annotations have them, else out of the way. */
static void redirect(const struct hooks_plan *plan, int input_fd, int error_fd)
{
	int out = open(plan->stdout_path ? plan->stdout_path : "/dev/null",
		       O_WRONLY | O_APPEND | O_CREAT, 0644);

	(void)dup2(input_fd, STDIN_FILENO);
	if (out >= 0)
		(void)dup2(out, STDOUT_FILENO);
	else
		(void)close(STDOUT_FILENO);
	if (plan->stderr_path) {
		int errors = open(plan->stderr_path, O_WRONLY | O_APPEND | O_CREAT, 0644);

		(void)dup2(errors >= 0 ? errors : error_fd, STDERR_FILENO);
	} else {
		(void)dup2(error_fd, STDERR_FILENO);
	}
	(void)fd_cloexec_from(3);
}

static void be_hook(const struct hook *hook, const struct hook_call *call)
{
	static char *const no_env[] = { NULL };
	char *const *env = hook->envp ? hook->envp : call->default_env ? call->default_env : no_env;

	(void)setsid();
	(void)signals_reset(UINT64_MAX);
	if (call->cwd && chdir(call->cwd) < 0)
		(void)!chdir("/"); /* a bundle may be gone when its container is deleted */
	(void)execve(hook->path, hook->argv, env);
	(void)dprintf(STDERR_FILENO, "exec %s: %s", hook->path, strerror(errno));
	_exit(127);
}

static int spawn_hook(const struct hooks_plan *plan, const struct hook *hook,
		      const struct hook_call *call, struct running *run, struct err *err)
{
	const struct spawn_request request = { .cgroup_fd = -1 };
	int input[2], errors[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) < 0)
		return err_errno(err, errno, "socketpair");
	if (pipe2(errors, O_CLOEXEC) < 0) {
		(void)close(input[0]);
		(void)close(input[1]);
		return err_errno(err, errno, "pipe");
	}
	run->pid = spawn_clone(&request, &run->pid_fd, err);
	if (run->pid == 0) {
		redirect(plan, input[1], errors[1]);
		be_hook(hook, call);
	}
	(void)close(input[1]);
	(void)close(errors[1]);
	run->input_fd = input[0];
	run->error_fd = errors[0];
	(void)fcntl(run->error_fd, F_SETFL, O_NONBLOCK);
	return run->pid < 0 ? -1 : 0;
}

/* Gives the hook as much of the state as it takes; one that doesn't read is none the worse. */
static void feed(struct running *run)
{
	ssize_t n = send(run->input_fd, run->input, run->input_len, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		run->input += n;
		run->input_len -= (size_t)n;
	}
	if (n < 0 || !run->input_len)
		(void)close(take_fd(&run->input_fd));
}

static void keep_tail(struct running *run)
{
	char chunk[TAIL_MAX];
	ssize_t n = read(run->error_fd, chunk, sizeof(chunk));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		(void)close(take_fd(&run->error_fd));
		return;
	}
	if (run->tail_len + (size_t)n > TAIL_MAX) {
		size_t drop = run->tail_len + (size_t)n - TAIL_MAX;

		drop = drop < run->tail_len ? drop : run->tail_len;
		memmove(run->tail, run->tail + drop, run->tail_len - drop);
		run->tail_len -= drop;
	}
	memcpy(run->tail + run->tail_len, chunk, (size_t)n);
	run->tail_len += (size_t)n;
}

/* Serves the hook until it ends; false when its time is up first. */
static bool serve(struct running *run)
{
	for (;;) {
		struct pollfd fds[] = { { .fd = run->pid_fd, .events = POLLIN },
					{ .fd = run->input_fd, .events = POLLOUT },
					{ .fd = run->error_fd, .events = POLLIN } };
		long long left = run->end_ms - clock_ms();

		if (left <= 0)
			return false;
		if (poll(fds, ARRAY_LEN(fds), left > INT32_MAX ? INT32_MAX : (int)left) < 0 &&
		    errno != EINTR)
			return false;
		if (fds[1].revents)
			feed(run);
		if (fds[2].revents)
			keep_tail(run);
		if (fds[0].revents)
			return true;
	}
}

static int wait_status(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static void trim(struct running *run)
{
	while (run->tail_len && strchr(" \n\t", run->tail[run->tail_len - 1]))
		run->tail_len--;
	run->tail[run->tail_len] = '\0';
	for (char *c = run->tail; *c; c++)
		if (*c == '\n')
			*c = ' ';
}

static int judge(struct running *run, const struct hook *hook, bool in_time, int status,
		 struct err *err)
{
	char what[SIGNAL_END_SIZE];

	if (in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	trim(run);
	if (!in_time)
		(void)snprintf(what, sizeof(what), "not done within %d ms, killed",
			       hook->timeout_ms);
	else
		signal_describe_end(status, what);
	return err_set(err, "%s: %s%s%s", hook->path, what, run->tail_len ? ", stderr: " : "",
		       run->tail);
}

static void close_running(struct running *run)
{
	drop_fd(&run->pid_fd);
	drop_fd(&run->input_fd);
	drop_fd(&run->error_fd);
}

static int run_hook(const struct hooks_plan *plan, const struct hook *hook,
		    const struct hook_call *call, struct err *err)
{
	struct running run = { .pid_fd = -1,
			       .input_fd = -1,
			       .error_fd = -1,
			       .input = call->state_json,
			       .input_len = strlen(call->state_json),
			       .end_ms = clock_ms() + hook->timeout_ms };
	bool in_time;
	int status;

	if (spawn_hook(plan, hook, call, &run, err) < 0) {
		close_running(&run);
		return err_prefix(err, "%s", hook->path);
	}
	in_time = serve(&run);
	if (!in_time)
		(void)kill(-run.pid, SIGKILL);
	status = wait_status(run.pid);
	while (run.error_fd >= 0 &&
	       poll(&(struct pollfd){ .fd = run.error_fd, .events = POLLIN }, 1, 0) > 0)
		keep_tail(&run);
	close_running(&run);
	return judge(&run, hook, in_time, status, err);
}

int hooks_run(const struct hooks_plan *plan, enum hook_kind kind, const struct hook_call *call,
	      struct err *err)
{
	for (size_t i = 0; i < plan->of[kind].len; i++)
		if (run_hook(plan, &plan->of[kind].at[i], call, err) < 0)
			return err_prefix(err, "error running %s hook #%zu", hook_kind_name[kind],
					  i);
	return 0;
}

void hooks_run_all(const struct hooks_plan *plan, enum hook_kind kind, const struct hook_call *call,
		   void (*report)(const char *fmt, ...))
{
	struct err err;

	for (size_t i = 0; i < plan->of[kind].len; i++)
		if (run_hook(plan, &plan->of[kind].at[i], call, &err) < 0)
			report("error running %s hook #%zu: %s", hook_kind_name[kind], i, err.text);
}
