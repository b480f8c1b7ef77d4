/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* main - global options, dispatch, and the one place that reports a failure. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/version.h"
#include "host/selfexe.h"
#include "store/store.h"

/* A command lives for a moment: its heap grows in few steps and does not shrink. */
enum { HEAP_STEP = 512 << 10 };

struct invocation {
	struct arguments args;
	struct run_context ctx;
	struct host_facts facts;
	const struct command *command;
	char *root;
};

static int open_log(const struct arguments *args, struct err *err)
{
	static const char *const levels[] = { "error", "warning", "debug", NULL };
	struct log_options options = { .destination = args->log };
	int level;

	if (args->log_format && !str_eq(args->log_format, "text") &&
	    !str_eq(args->log_format, "json"))
		return err_set(err, "--log-format: unknown value \"%s\"; known: text, json",
			       args->log_format);
	options.json = args->log_format && str_eq(args->log_format, "json");
	if (args->log_level) {
		level = str_index(levels, args->log_level);
		if (level < 0)
			return err_set(
				err,
				"--log-level: unknown value \"%s\"; known: error, warning, debug",
				args->log_level);
		options.level = (enum log_level)level;
	}
	if (args->debug)
		options.level = LOG_LEVEL_DEBUG;
	return log_open(&options, err);
}

static int choose_manager(const struct arguments *args, enum cgroup_manager *ret, struct err *err)
{
	*ret = args->systemd_cgroup ? CGROUP_SYSTEMD : CGROUP_FS;
	if (!args->cgroup_manager)
		return 0;
	for (int i = CGROUP_FS; i <= CGROUP_DISABLED; i++)
		if (str_eq(cgroup_manager_name[i], args->cgroup_manager)) {
			*ret = (enum cgroup_manager)i;
			return 0;
		}
	return err_set(err,
		       "--cgroup-manager: unknown value \"%s\"; known: cgroupfs, systemd, disabled",
		       args->cgroup_manager);
}

static int choose_root(struct invocation *in, struct err *err)
{
	const char *given = in->args.root;
	char cwd[PATH_MAX];

	if (given && !*given)
		given = NULL;
	if (!given)
		in->root = store_default_root(err);
	else if (*given == '/')
		in->root = strdup(given);
	else if (getcwd(cwd, sizeof(cwd)))
		in->root = str_printf("%s/%s", cwd, given);
	if (!in->root)
		return given ? err_errno(err, errno, "--root %s", given) : -1;
	if (str_eq(path_clean(in->root), "/"))
		return err_set(err, "--root: / is no place for it");
	in->ctx.root = in->root;
	in->ctx.root_given = given;
	return 0;
}

static int check_count(const struct command *command, const struct arguments *args, struct err *err)
{
	size_t n = args->positional_len;

	if (n < command->min)
		return err_set(err, "requires %s%zu argument%s: %s",
			       command->max > command->min ? "at least " : "", command->min,
			       command->min == 1 ? "" : "s", command->synopsis);
	if (n > command->max)
		return err_set(err, "takes at most %zu argument%s: %s", command->max,
			       command->max == 1 ? "" : "s", command->synopsis);
	return 0;
}

static int run_command(struct invocation *in, char **all, char **argv, int *ret_status,
		       struct err *err)
{
	const struct command *command = in->command;

	in->args.command = command->name;
	if (options_parse(command->rows, argv, command->flags & COMMAND_STOPS_EARLY, &in->args,
			  err) < 0)
		return err_prefix(err, "%s", command->name);
	if (in->args.help) {
		print_help(command);
		return 0;
	}
	if (check_count(command, &in->args, err) < 0)
		return err_prefix(err, "%s", command->name);
	if (choose_manager(&in->args, &in->ctx.manager, err) < 0)
		return -1;
	if (command->flags & COMMAND_ENTERS && selfexe_protect(all, err) < 0)
		return -1;
	if (!(command->flags & COMMAND_STATELESS) && choose_root(in, err) < 0)
		return -1;
	return command->run(&in->ctx, &in->args, ret_status, err);
}

static int dispatch(struct invocation *in, char **all, int *ret_status, struct err *err)
{
	char **argv = in->args.positional;

	if (in->args.version) {
		print_version();
		return 0;
	}
	if (!*argv || in->args.help) {
		print_help(NULL);
		*ret_status = !in->args.help;
		return 0;
	}
	in->command = command_find(*argv);
	if (!in->command)
		return err_set(err, "No help topic for '%s': there is no such command", *argv);
	return run_command(in, all, argv, ret_status, err);
}

/* What was written may still be lost on its way to a full disk. */
static int flush_output(struct err *err)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return err_errno(err, errno, "write to standard output");
}

static int invoke(struct invocation *in, char **argv, int *ret_status, struct err *err)
{
	int result;

	if (options_parse(global_rows, argv, true, &in->args, err) < 0 ||
	    open_log(&in->args, err) < 0)
		return -1;
	result = dispatch(in, argv, ret_status, err);
	return result < 0 ? -1 : flush_output(err);
}

/* Standard streams that are closed would lend their numbers to files of ours. */
static void open_standard_streams(void)
{
	struct pollfd streams[] = { { .fd = 0 }, { .fd = 1 }, { .fd = 2 } };

	(void)poll(streams, 3, 0);
	for (size_t i = 0; i < 3; i++)
		if (streams[i].revents & POLLNVAL)
			(void)open("/dev/null", O_RDWR);
}

int main(int argc, char **argv)
{
	struct invocation in = { .ctx.facts = &in.facts, .facts.cgroup_mount = -1 };
	struct err err = { 0 };
	int status = 0;

	if (argc < 1 || getauxval(AT_SECURE)) {
		(void)fprintf(stderr,
			      "rung: must not be installed set-uid or with file capabilities\n");
		return 1;
	}
	(void)signal(SIGPIPE, SIG_IGN);
	(void)mallopt(M_TOP_PAD, HEAP_STEP);
	(void)mallopt(M_TRIM_THRESHOLD, 64 * HEAP_STEP);
	(void)prctl(PR_SET_NAME, "rung");
	open_standard_streams();
	if (invoke(&in, argv, &status, &err) < 0) {
		log_error("%s", err.text);
		status = in.command && in.command->flags & COMMAND_FAILS_255 ? 255 : 1;
	}
	free(in.root);
	arena_free(&in.args.arena);
	return status;
}
