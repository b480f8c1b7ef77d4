/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* state, list and ps: asked of run/, printed by output. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/scope.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/output.h"

int cmd_state(const struct run_context *ctx, struct arguments *args, int *ret_status,
	      struct err *err)
{
	struct container_state state;

	(void)ret_status;
	if (run_state(ctx, args->positional[0], &args->arena, &state, err) < 0)
		return -1;
	output_state(stdout, &state);
	return 0;
}

static int read_format(const char *format, bool *ret_json, struct err *err)
{
	*ret_json = format && str_eq(format, "json");
	if (!format || *ret_json || str_eq(format, "table"))
		return 0;
	return err_set(err, "--format: unknown value \"%s\"; known: table, json", format);
}

int cmd_list(const struct run_context *ctx, struct arguments *args, int *ret_status,
	     struct err *err)
{
	struct container_state *states;
	size_t count;
	bool json;

	(void)ret_status;
	if (read_format(args->format, &json, err) < 0 ||
	    run_list(ctx, &args->arena, &states, &count, err) < 0)
		return -1;
	if (args->quiet)
		for (size_t i = 0; i < count; i++)
			(void)puts(states[i].id);
	else if (json)
		output_list_json(stdout, states, count);
	else
		output_list_table(stdout, states, count);
	return 0;
}

/* Starts the host's ps(1) with its output on a pipe; *@ret_fd is the end to read. */
static int spawn_ps(char *const *argv, pid_t *ret_pid, int *ret_fd, struct err *err)
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int pipe_fds[2], code;
	sigset_t defaults;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return err_errno(err, errno, "pipe");
	(void)sigemptyset(&defaults);
	(void)sigaddset(&defaults, SIGPIPE);
	(void)posix_spawnattr_init(&attributes);
	(void)posix_spawnattr_setsigdefault(&attributes, &defaults);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
	code = posix_spawnp(ret_pid, argv[0], &actions, &attributes, argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attributes);
	(void)close(pipe_fds[1]);
	if (code == 0) {
		*ret_fd = pipe_fds[0];
		return 0;
	}
	(void)close(pipe_fds[0]);
	return err_errno(err, code, "run ps");
}

static int wait_for_ps(pid_t pid, struct err *err)
{
	int status;

	if (waitpid(pid, &status, 0) < 0)
		return err_errno(err, errno, "wait for ps");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return err_set(err, "ps: %s %d", WIFEXITED(status) ? "exit status" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static int ps_table(char *const *argv, const struct pid_list *pids, struct err *err)
{
	int fd, result;
	FILE *in;
	pid_t pid;

	if (spawn_ps(argv, &pid, &fd, err) < 0)
		return -1;
	in = fdopen(fd, "r");
	result = in ? output_ps(stdout, in, pids, err) : err_errno(err, errno, "read ps");
	if (in) /* before the wait: ps may still be writing */
		(void)fclose(in);
	else
		(void)close(fd);
	if (result == 0)
		return wait_for_ps(pid, err);
	(void)wait_for_ps(pid, NULL);
	return -1;
}

int cmd_ps(const struct run_context *ctx, struct arguments *args, int *ret_status, struct err *err)
{
	static const char *const all[] = { "ps", "-ef", NULL };
	struct pid_list pids;
	bool json;

	(void)ret_status;
	if (read_format(args->format, &json, err) < 0 ||
	    run_ps(ctx, args->positional[0], &args->arena, &pids, err) < 0)
		return -1;
	if (json) {
		output_pids(stdout, &pids);
		return 0;
	}
	args->positional[0] = (char *)"ps";
	return ps_table(args->positional_len > 1 ? args->positional : (char *const *)all, &pids,
			err);
}
