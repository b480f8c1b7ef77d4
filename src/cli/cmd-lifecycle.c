/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands that need no more than a call: create, start, run, exec, kill, delete, pause, resume. */
#include <errno.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "host/caps.h"
#include "host/signals.h"
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

/* In a configuration an unknown one is ignored with a warning; here somebody typed it. */
static int check_caps(const struct str_list *caps, struct err *err)
{
	for (size_t i = 0; i < caps->len; i++)
		if (caps_number(caps->at[i]) < 0)
			return err_set(err, "exec: --cap: unknown capability \"%s\"", caps->at[i]);
	return 0;
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
		.cgroups = args->cgroups,
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

	if (check_caps(&args->caps, err) < 0)
		return -1;
	return run_exec(ctx, &options, ret_status, err) < 0 ? err_prefix(err, "exec failed") : 0;
}

typedef int container_function(const struct run_context *ctx, const char *id,
			       const struct arguments *args, struct err *err);

static int kill_one(const struct run_context *ctx, const char *id, const struct arguments *args,
		    struct err *err)
{
	const char *name = args->positional_len > 1 ? args->positional[1] : "TERM";
	int signal = signal_number(name[0] == '-' ? name + 1 : name);

	if (signal < 0)
		return err_set(err, "kill: unknown signal \"%s\"", name);
	return run_kill(ctx, id, signal, args->all, err);
}

static int delete_one(const struct run_context *ctx, const char *id, const struct arguments *args,
		      struct err *err)
{
	return run_delete(ctx, id, args->force, err);
}

/* Calls @each for the container that is named, or for all whose id matches. */
static int for_named(const struct run_context *ctx, const struct arguments *args,
		     container_function *each, struct err *err)
{
	const char *name = args->positional[0];
	size_t count = 0;
	regex_t regex;
	char **ids = NULL;
	int result;

	if (!args->regex)
		return each(ctx, name, args, err);
	if (regcomp(&regex, name, REG_EXTENDED | REG_NOSUB) != 0)
		return err_set(err, "--regex: \"%s\" is no extended regular expression", name);
	result = store_list(ctx->root, false, &ids, &count, err);
	for (size_t i = 0; i < count; i++) {
		if (regexec(&regex, ids[i], 0, NULL, 0) != 0)
			continue;
		/* the others are tried all the same; the first failure is told */
		if (each(ctx, ids[i], args, result < 0 ? NULL : err) < 0 && result == 0)
			result = err_prefix(err, "%s", ids[i]);
	}
	store_free_ids(ids, count);
	regfree(&regex);
	return result;
}

int cmd_delete(const struct run_context *ctx, struct arguments *args, int *ret_status,
	       struct err *err)
{
	(void)ret_status;
	return for_named(ctx, args, delete_one, err);
}

int cmd_kill(const struct run_context *ctx, struct arguments *args, int *ret_status,
	     struct err *err)
{
	(void)ret_status;
	return for_named(ctx, args, kill_one, err);
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
	(void)ret_status;
	return err_set(err, "not supported yet: %s", args->command);
}
