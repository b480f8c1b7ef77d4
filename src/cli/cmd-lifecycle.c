/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands that need no more than a call: create, start, run, exec, kill, delete, pause, resume. */
#include <errno.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "host/signals.h"
#include "run/scores.h"
#include "store/store.h"

static struct create_options create_options_of(const struct arguments *args)
{
	return (struct create_options){
		.id = args->positional[0],
		.bundle = args->bundle ? args->bundle : ".",
		.config = args->config,
		.pid_file = args->pid_file,
		.console_socket = args->console_socket,
		.pidfd_socket = args->pidfd_socket,
		.preserve_fds = args->preserve_fds,
		.no_pivot = args->no_pivot,
		.no_new_keyring = args->no_new_keyring,
		.no_subreaper = args->no_subreaper,
		.detach = args->detach,
		.keep = args->keep,
	};
}

int cmd_create(const struct run_context *ctx, struct arguments *args, int *ret_status,
	       struct err *err)
{
	struct create_options options = create_options_of(args);

	(void)ret_status;
	return run_create(ctx, &options, err) < 0 ? err_prefix(err, "create failed") : 0;
}

int cmd_run(const struct run_context *ctx, struct arguments *args, int *ret_status, struct err *err)
{
	struct create_options options = create_options_of(args);

	return run_run(ctx, &options, ret_status, err) < 0 ? err_prefix(err, "run failed") : 0;
}

int cmd_start(const struct run_context *ctx, struct arguments *args, int *ret_status,
	      struct err *err)
{
	(void)ret_status;
	return run_start(ctx, args->positional[0], err);
}

int cmd_exec(const struct run_context *ctx, struct arguments *args, int *ret_status,
	     struct err *err)
{
	const struct exec_options options = {
		.id = args->positional[0],
		.process_file = args->process,
		.args = args->positional + 1,
		.cwd = args->cwd,
		.user = args->user,
		.apparmor = args->apparmor,
		.process_label = args->process_label,
		.cgroup = args->cgroup,
		.env = args->env,
		.caps = args->caps,
		.additional_gids = args->additional_gids,
		.tty = args->tty,
		.detach = args->detach,
		.no_new_privs = args->no_new_privs,
		.ignore_paused = args->ignore_paused,
		.pid_file = args->pid_file,
		.console_socket = args->console_socket,
		.pidfd_socket = args->pidfd_socket,
		.preserve_fds = args->preserve_fds,
	};

	return run_exec(ctx, &options, ret_status, err) < 0 ? err_prefix(err, "exec failed") : 0;
}

/* Deletes every container whose id matches the extended regular expression @pattern. */
static int delete_matching(const struct run_context *ctx, const char *pattern, bool force,
			   struct err *err)
{
	size_t count = 0;
	char **ids;
	regex_t regex;
	int result = 0;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return err_set(err, "--regex: \"%s\" is no extended regular expression", pattern);
	if (store_list(ctx->root, false, &ids, &count, err) < 0) {
		regfree(&regex);
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		if (regexec(&regex, ids[i], 0, NULL, 0) == 0 &&
		    run_delete(ctx, ids[i], force, err) < 0)
			result = -1;
	store_free_ids(ids, count);
	regfree(&regex);
	return result;
}

int cmd_delete(const struct run_context *ctx, struct arguments *args, int *ret_status,
	       struct err *err)
{
	(void)ret_status;
	if (args->regex)
		return delete_matching(ctx, args->positional[0], args->force, err);
	return run_delete(ctx, args->positional[0], args->force, err);
}

int cmd_kill(const struct run_context *ctx, struct arguments *args, int *ret_status,
	     struct err *err)
{
	const char *name = args->positional_len > 1 ? args->positional[1] : "TERM";
	int signal = signal_number(name[0] == '-' ? name + 1 : name);

	(void)ret_status;
	if (signal < 0)
		return err_set(err, "kill: unknown signal \"%s\"", name);
	return run_kill(ctx, args->positional[0], signal, args->all, err);
}

int cmd_pause(const struct run_context *ctx, struct arguments *args, int *ret_status,
	      struct err *err)
{
	(void)ret_status;
	return run_pause(ctx, args->positional[0], err);
}

int cmd_resume(const struct run_context *ctx, struct arguments *args, int *ret_status,
	       struct err *err)
{
	(void)ret_status;
	return run_resume(ctx, args->positional[0], err);
}

int cmd_later(const struct run_context *ctx, struct arguments *args, int *ret_status,
	      struct err *err)
{
	(void)ctx;
	(void)args;
	(void)ret_status;
	return err_set(err, "not supported yet: checkpoint, restore, events and mounts");
}

int cmd_debug(const struct run_context *ctx, struct arguments *args, int *ret_status,
	      struct err *err)
{
	static const struct score *const scores[] = { &create_score, &exec_score };

	(void)ctx;
	(void)args;
	(void)ret_status;
	(void)err;
	for (size_t i = 0; i < sizeof(scores) / sizeof(scores[0]); i++)
		for (size_t k = 0; k < scores[i]->len; k++)
			(void)printf("%s %s %s\n", scores[i]->name,
				     scores[i]->steps[k].who == RUNTIME ? "RUNTIME" : "INIT",
				     scores[i]->steps[k].name);
	return 0;
}
