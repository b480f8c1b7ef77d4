/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* help - the table of commands for people; in the layout of runc's, which its suite looks for. */
#include <stdio.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/version.h"

static void print_row(const struct option_row *row)
{
	char names[64], letter[8] = "";

	if (row->letter)
		(void)snprintf(letter, sizeof(letter), ", -%c", row->letter);
	(void)snprintf(names, sizeof(names), "--%s%s%s%s", row->name, row->argument ? " " : "",
		       row->argument ? row->argument : "", letter);
	(void)printf("   %-32s  %s\n", names, row->help);
}

static void print_rows(const struct option_row *rows)
{
	for (; rows->name; rows++)
		print_row(rows);
}

static void print_command(const struct command *command)
{
	(void)printf("NAME:\n   rung %s - %s\n\n", command->name, command->help);
	(void)printf("USAGE:\n   rung [global option...] %s [option...] %s\n\n", command->name,
		     command->synopsis);
	(void)printf("OPTIONS:\n");
	print_rows(command->rows);
}

void print_help(const struct command *command)
{
	if (command) {
		print_command(command);
		return;
	}
	(void)printf("NAME:\n   rung - Open Container Initiative runtime\n\n"
		     "USAGE:\n   rung [global option...] command [argument...]\n\n"
		     "COMMANDS:\n");
	for (const struct command *c = commands; c->name; c++)
		if (!(c->flags & COMMAND_HIDDEN))
			(void)printf("   %-12s  %s\n", c->name, c->help);
	(void)printf("\nGLOBAL OPTIONS:\n");
	print_rows(global_rows);
}

int cmd_help(const struct run_context *ctx, struct arguments *args, int *ret_status,
	     struct err *err)
{
	const struct command *command = NULL;

	(void)ctx;
	(void)ret_status;
	if (args->positional_len) {
		command = command_find(args->positional[0]);
		if (!command)
			return err_set(err, "No help topic for '%s'", args->positional[0]);
	}
	print_help(command);
	return 0;
}

int cmd_version(const struct run_context *ctx, struct arguments *args, int *ret_status,
		struct err *err)
{
	(void)ctx;
	(void)args;
	(void)ret_status;
	(void)err;
	print_version();
	return 0;
}
