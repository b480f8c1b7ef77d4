/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * output - what state, list and ps print, in the shapes that callers parse (R201,
 * peers.md 1.5).  Write errors stay in @out; main() looks at them once.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

#include "run/run.h"

/* One container as indented JSON.  pid is always there, 0 once stopped. */
void output_state(FILE *out, const struct container_state *state);

/* All of them as a JSON array on one line, "null" when there is none; owner: the user's name. */
void output_list_json(FILE *out, const struct container_state *states, size_t count);

/* The same with a heading, in columns as wide as they need to be. */
void output_list_table(FILE *out, const struct container_state *states, size_t count);

/* "[1,2]" on a line of its own. */
void output_pids(FILE *out, const struct pid_list *pids);

/*
 * Copies what ps(1) printed from @in: the heading, and the lines whose column "PID"
 * is in @pids.  -1 with @err set when there is no such column.
 */
int output_ps(FILE *out, FILE *in, const struct pid_list *pids, struct err *err);

#endif
