/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* debug: what tests and builds want to see of rung's inside; its output may change. */
#include <stdio.h>

#include "base/scope.h"
#include "base/str.h"
#include "base/userns.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "plan/bundle.h"
#include "plan/dump.h"
#include "plan/plan.h"
#include "run/scores.h"

static void print_scores(void)
{
	static const struct score *const scores[] = { &create_score, &exec_score };

	for (size_t i = 0; i < ARRAY_LEN(scores); i++)
		for (size_t k = 0; k < scores[i]->len; k++)
			(void)printf("%s %s %s\n", scores[i]->name,
				     scores[i]->steps[k].who == RUNTIME ? "RUNTIME" : "INIT",
				     scores[i]->steps[k].name);
}

static int print_plan(const struct run_context *ctx, const struct arguments *args, struct err *err)
{
	struct bundle bundle = { 0 };
	struct plan plan = { 0 };
	struct plan_input in = {
		.id = args->positional[1],
		.manager = ctx->manager,
		.privileged = userns_is_initial_root(),
	};
	int result = bundle_read(args->bundle ? args->bundle : ".", args->config, &bundle, err);

	if (result == 0) {
		in.config = bundle.config;
		in.bundle = bundle.path;
		result = plan_make(&plan, &in, err);
	}
	if (result == 0)
		plan_dump(stdout, &plan);
	plan_free(&plan);
	bundle_release(&bundle);
	return result;
}

int cmd_debug(const struct run_context *ctx, struct arguments *args, int *ret_status,
	      struct err *err)
{
	const char *what = args->positional[0];

	(void)ret_status;
	if (args->positional_len == 2 && str_eq(what, "plan"))
		return print_plan(ctx, args, err);
	if (args->positional_len == 2 && str_eq(what, "completion"))
		return completion_write(stdout, args->positional[1], err);
	if (args->positional_len == 2 || !str_eq(what, "scores"))
		return err_set(err, "debug: known are scores, plan ID and completion SHELL");
	print_scores();
	return 0;
}
