/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hooks at their places in the create (R205, R212). */
#include "run/steps.h"

#include <unistd.h>

#include "base/scope.h"
#include "run/hook-state.h"

static int run_hooks(struct play *play, enum hook_kind kind, struct hook_call call, struct err *err)
{
	return hooks_run(&play->plan->hooks, kind, &call, err);
}

static bool has(const struct play *play, enum hook_kind kind)
{
	return play->plan->hooks.of[kind].len;
}

bool step_has_runtime_hooks(const struct play *play)
{
	return has(play, HOOK_PRESTART) || has(play, HOOK_CREATE_RUNTIME);
}

int step_run_runtime_hooks(struct play *play, struct err *err)
{
	autofree char *state = hook_state(&play->record, STATUS_CREATING, play->init_pid, err);
	const struct hook_call call = { .state_json = state, .cwd = play->plan->bundle };

	if (!state || run_hooks(play, HOOK_PRESTART, call, err) < 0)
		return -1;
	return run_hooks(play, HOOK_CREATE_RUNTIME, call, err);
}

bool step_has_container_hooks(const struct play *play)
{
	return has(play, HOOK_CREATE_CONTAINER);
}

/*
 * In init, before the pivot, in the rootfs: what these hooks mount is seen by the
 * container.  They get init's own pid, as its pid namespace has it (R214).
 */
int step_run_container_hooks(struct play *play, struct err *err)
{
	autofree char *state = hook_state(&play->record, STATUS_CREATING, getpid(), err);
	const struct hook_call call = { .state_json = state, .cwd = play->plan->rootfs.path };

	return state ? run_hooks(play, HOOK_CREATE_CONTAINER, call, err) : -1;
}

bool step_has_start_hooks(const struct play *play)
{
	return has(play, HOOK_START_CONTAINER);
}

int step_run_start_hooks(struct play *play, struct err *err)
{
	autofree char *state = hook_state(&play->record, STATUS_CREATED, getpid(), err);
	const struct hook_call call = { .state_json = state,
					.default_env = play->plan->process.envp };

	return state ? run_hooks(play, HOOK_START_CONTAINER, call, err) : -1;
}
