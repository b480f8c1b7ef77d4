/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* command - what main() dispatches to. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"
#include "run/run.h"

struct command {
	const char *name;
	const char *synopsis; /* of what is no option: "ID COMMAND..." */
	const char *help;
	const struct option_row *rows;
	size_t min, max; /* positional arguments */
	bool stop_early; /* no options after the first of them */
	bool enters;	 /* runs foreign code: the binary is protected first */
	int failure;	 /* exit status of errors */
	/* *@ret_status: what to exit with on success, 0 unless set */
	int (*run)(const struct run_context *ctx, struct arguments *args, int *ret_status,
		   struct err *err);
};

extern const struct command commands[]; /* ends with a NULL name */
extern const struct option_row global_rows[];

/* Prints the whole help of @command, NULL: of rung itself. */
void print_help(const struct command *command);

typedef int command_function(const struct run_context *ctx, struct arguments *args, int *ret_status,
			     struct err *err);
command_function cmd_create, cmd_start, cmd_run, cmd_state, cmd_kill, cmd_delete, cmd_exec,
	cmd_list;
command_function cmd_ps, cmd_pause, cmd_resume, cmd_update, cmd_spec, cmd_features, cmd_later,
	cmd_debug;

#endif
