/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hooks (R98, R99, R216). */
#include "plan/plan.h"

#include <string.h>

#include "base/scope.h"
#include "base/str.h"

static char **copy_list(struct plan *plan, const struct str_list *list, struct err *err)
{
	char **copy = plan_alloc(plan, (list->len + 1) * sizeof(*copy), err);

	if (copy && list->len)
		memcpy(copy, list->at, list->len * sizeof(*copy));
	return copy;
}

static int plan_hook(struct plan *plan, const struct oci_hook *in, struct hook *out,
		     struct err *err)
{
	struct str_list argv = in->args;

	if (*in->path != '/')
		return err_set(err, "path: \"%s\" is not absolute", in->path);
	if (!argv.len)
		argv = (struct str_list){ (char **)&in->path, 1 };
	out->path = in->path;
	out->argv = copy_list(plan, &argv, err);
	out->envp = in->env.at ? copy_list(plan, &in->env, err) : NULL;
	out->timeout_ms = in->timeout.set && in->timeout.value < INT32_MAX / 1000 ?
				  (int)in->timeout.value * 1000 :
				  HOOK_TIMEOUT_MS;
	return out->argv && (out->envp || !in->env.at) ? 0 : -1;
}

static int plan_kind(struct plan *plan, const struct oci_hook_list *list, enum hook_kind kind,
		     struct err *err)
{
	struct hook *at = plan_alloc(plan, (list->len + 1) * sizeof(*at), err);

	if (!at)
		return -1;
	for (size_t i = 0; i < list->len; i++)
		if (plan_hook(plan, &list->at[i], &at[i], err) < 0)
			return err_prefix(err, "hooks.%s[%zu]", hook_kind_name[kind], i);
	plan->hooks.of[kind].at = at;
	plan->hooks.of[kind].len = list->len;
	return 0;
}

static void plan_redirection(struct plan *plan, const struct oci_config *config)
{
	for (size_t i = 0; i < config->annotations.len; i++) {
		const struct pair *p = &config->annotations.at[i];

		if (str_eq(p->key, "run.oci.hooks.stdout"))
			plan->hooks.stdout_path = p->value;
		if (str_eq(p->key, "run.oci.hooks.stderr"))
			plan->hooks.stderr_path = p->value;
	}
}

int plan_hooks(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct oci_hooks *hooks = in->config->hooks;

	plan_redirection(plan, in->config);
	if (!hooks)
		return 0;
	const struct oci_hook_list *const lists[HOOK_KINDS] = {
		[HOOK_PRESTART] = &hooks->prestart,
		[HOOK_CREATE_RUNTIME] = &hooks->create_runtime,
		[HOOK_CREATE_CONTAINER] = &hooks->create_container,
		[HOOK_START_CONTAINER] = &hooks->start_container,
		[HOOK_POSTSTART] = &hooks->poststart,
		[HOOK_POSTSTOP] = &hooks->poststop,
	};

	for (int kind = 0; kind < HOOK_KINDS; kind++)
		if (plan_kind(plan, lists[kind], (enum hook_kind)kind, err) < 0)
			return -1;
	return 0;
}
