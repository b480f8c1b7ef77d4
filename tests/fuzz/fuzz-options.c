/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each line of the input is a word of the command line, parsed as main() does; what update and
 * exec make of their options without a container is made of them.
 */
#include <string.h>

#include "base/scope.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/limits.h"
#include "fuzz.h"
#include "plan/plan-exec.h"

enum { WORDS_MAX = 256 };

static void check_words(const struct arguments *args, char **argv, size_t count)
{
	must(args->positional && args->positional_len <= count);
	must(args->positional[args->positional_len] == NULL);
	for (size_t i = 0; i < args->positional_len; i++)
		must(args->positional[i] >= argv[0] && args->positional[i] <= argv[count - 1]);
}

static void check_limits(const struct arguments *args)
{
	struct limits limits;
	struct err err = { 0 };

	if (limits_read(args, &limits, &err) < 0)
		must(str_after(err.text, "--"));
	else
		must(!limits.memory.limit.set || limits.memory.limit.value >= -1);
}

static void check_exec(struct arguments *args)
{
	static char *container_args[] = { (char *)"true", NULL };
	const struct oci_process container = { .args = { container_args, 1 }, .cwd = (char *)"/" };
	const struct exec_request request = {
		.args = args->positional,
		.cwd = args->cwd,
		.user = args->user,
		.apparmor = args->apparmor,
		.label = args->process_label,
		.env = args->env,
		.caps = args->caps,
		.gids = args->additional_gids,
		.tty = args->tty,
		.no_new_privs = args->no_new_privs,
	};
	struct oci_process process;
	struct arena arena = { 0 };
	struct err err = { 0 };

	if (plan_exec_process(&arena, &container, &request, &process, &err) < 0)
		must(err.text[0]);
	arena_free(&arena);
}

static void check(char **argv, size_t count)
{
	struct arguments args = { 0 };
	const struct command *command = NULL;
	struct err err = { 0 };
	int result = options_parse(global_rows, argv, true, &args, &err);

	must((result < 0) == (err.text[0] != '\0'));
	if (result == 0) {
		check_words(&args, argv, count);
		command = args.positional_len ? command_find(args.positional[0]) : NULL;
	}
	if (command)
		result = options_parse(command->rows, args.positional,
				       command->flags & COMMAND_STOPS_EARLY, &args, &err);
	if (command && result == 0) {
		check_words(&args, argv, count);
		check_limits(&args);
		check_exec(&args);
	}
	arena_free(&args.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = str_printf("rung\n%.*s", (int)size, (const char *)data);
	char *argv[WORDS_MAX + 1] = { 0 }, *rest = text;
	size_t count = 0;

	must(text);
	while (count < WORDS_MAX && rest)
		argv[count++] = strsep(&rest, "\n");
	check(argv, count);
	return 0;
}
