/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * command - the table of commands: main() dispatches by it; help, completions and
 * the test of the manual page are made of it.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"
#include "run/run.h"

/*
 * @ctx: what the global options say.  *@ret_status: what to exit with on success, 0
 * unless set.
 */
typedef int command_function(const struct run_context *ctx, struct arguments *args, int *ret_status,
			     struct err *err);

enum {
	COMMAND_STOPS_EARLY = 1 << 0, /* no options after its first positional argument */
	COMMAND_ENTERS = 1 << 1,      /* runs foreign code: the binary is protected first */
	COMMAND_STATELESS = 1 << 2,   /* works without a state root */
	COMMAND_FAILS_255 = 1 << 3,   /* exits with 255 where others do with 1 (peers.md 1.4) */
	COMMAND_HIDDEN = 1 << 4,
	COMMAND_TAKES_ID = 1 << 5, /* of a container that is there: for completions */
};

enum { COMMAND_MANY = 1 << 20 };

struct command {
	const char *name;
	const char *synopsis; /* of what is no option: "ID COMMAND..." */
	const char *help;
	const struct option_row *rows;
	size_t min, max; /* positional arguments */
	unsigned flags;
	command_function *run;
};

extern const struct command commands[]; /* ends with a NULL name */
extern const struct option_row global_rows[];

/* The command called @name, or NULL. */
const struct command *command_find(const char *name);

/* Prints the whole help of @command, NULL: of rung itself. */
void print_help(const struct command *command);

command_function cmd_create, cmd_start, cmd_run, cmd_state, cmd_kill, cmd_delete, cmd_exec;
command_function cmd_list, cmd_ps, cmd_pause, cmd_resume, cmd_update, cmd_spec, cmd_features;
command_function cmd_later, cmd_help, cmd_version, cmd_debug;

#endif
