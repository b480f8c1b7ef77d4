/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/plan-exec.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

enum { ID_LAST = 0xfffffffe };

static int no_memory(struct err *err)
{
	return err_errno(err, ENOMEM, "exec");
}

/* @a and then @b, each entry of @b that is in @a left out when @unique. */
static int join_lists(struct arena *arena, struct str_list *a, const struct str_list *b,
		      bool unique, struct err *err)
{
	char **at = arena_alloc(arena, (a->len + b->len + 1) * sizeof(*at));
	size_t len = a->len;

	if (!at)
		return no_memory(err);
	if (a->len)
		memcpy(at, a->at, a->len * sizeof(*at));
	for (size_t i = 0; i < b->len; i++) {
		bool there = false;

		for (size_t k = 0; unique && k < len; k++)
			there |= str_eq(at[k], b->at[i]);
		if (!there)
			at[len++] = b->at[i];
	}
	*a = (struct str_list){ at, len };
	return 0;
}

/* "UID" or "UID:GID" in decimal digits and nothing else: no spelling but zero may give root (C02). */
static int set_user(struct arena *arena, const char *text, struct oci_process *process,
		    struct err *err)
{
	struct oci_user *user = arena_alloc(arena, sizeof(*user));
	char *copy = arena_copy(arena, text, strlen(text)), *colon;
	uint64_t uid, gid = 0;

	if (!user || !copy)
		return no_memory(err);
	if (process->user)
		*user = *process->user;
	colon = strchr(copy, ':');
	if (colon)
		*colon = '\0';
	if (!str_to_uint(copy, ID_LAST, &uid) || (colon && !str_to_uint(colon + 1, ID_LAST, &gid)))
		return err_set(err, "--user: \"%s\" is not UID or UID:GID in decimal digits", text);
	user->uid = (struct opt_uint){ true, uid };
	if (colon)
		user->gid = (struct opt_uint){ true, gid };
	process->user = user;
	return 0;
}

static int add_groups(struct arena *arena, const struct str_list *gids, struct oci_process *process,
		      struct err *err)
{
	struct oci_user *user = arena_alloc(arena, sizeof(*user));
	struct uint_list *list;

	if (!user)
		return no_memory(err);
	if (process->user)
		*user = *process->user;
	list = &user->additional_gids;
	list->at = arena_alloc(arena, (list->len + gids->len + 1) * sizeof(*list->at));
	if (!list->at)
		return no_memory(err);
	if (process->user && list->len)
		memcpy(list->at, process->user->additional_gids.at, list->len * sizeof(*list->at));
	for (size_t i = 0; i < gids->len; i++)
		if (!str_to_uint(gids->at[i], ID_LAST, &list->at[list->len++]))
			return err_set(err, "--additional-gids: \"%s\" is no group id",
				       gids->at[i]);
	process->user = user;
	return 0;
}

/* Bounding, effective and permitted get them; inheritable never, so that no file's do (C04). */
static int add_caps(struct arena *arena, const struct str_list *caps, struct oci_process *process,
		    struct err *err)
{
	struct oci_capabilities *sets = arena_alloc(arena, sizeof(*sets));

	if (!sets)
		return no_memory(err);
	if (process->capabilities)
		*sets = *process->capabilities;
	process->capabilities = sets;
	if (join_lists(arena, &sets->bounding, caps, true, err) < 0 ||
	    join_lists(arena, &sets->effective, caps, true, err) < 0 ||
	    join_lists(arena, &sets->permitted, caps, true, err) < 0)
		return -1;
	return sets->inheritable.len ? join_lists(arena, &sets->ambient, caps, true, err) : 0;
}

/*
 * What a --process document leaves out is the container's (peers.md 1.3), the user
 * above all, for the default would be root.  noNewPrivileges is as the document has
 * it: absent is false.
 */
static void inherit(const struct oci_process *container, struct oci_process *ret)
{
	if (!ret->user)
		ret->user = container->user;
	if (!ret->env.len)
		ret->env = container->env;
	if (!ret->capabilities)
		ret->capabilities = container->capabilities;
	if (!ret->rlimits.len)
		ret->rlimits = container->rlimits;
	if (!ret->selinux_label)
		ret->selinux_label = container->selinux_label;
	if (!ret->apparmor_profile)
		ret->apparmor_profile = container->apparmor_profile;
	if (!ret->oom_score_adj.set)
		ret->oom_score_adj = container->oom_score_adj;
	if (!ret->scheduler)
		ret->scheduler = container->scheduler;
	if (!ret->io_priority)
		ret->io_priority = container->io_priority;
	if (!ret->exec_cpu_affinity)
		ret->exec_cpu_affinity = container->exec_cpu_affinity;
}

/* The umask of the container goes on unless the document has its own (R72). */
static int inherit_umask(struct arena *arena, const struct oci_process *container,
			 struct oci_process *ret, struct err *err)
{
	struct oci_user *user;

	if (!ret->user || ret->user->umask.set || !container->user || !container->user->umask.set)
		return 0;
	user = arena_alloc(arena, sizeof(*user));
	if (!user)
		return no_memory(err);
	*user = *ret->user;
	user->umask = container->user->umask;
	ret->user = user;
	return 0;
}

static int take_args(char **args, struct oci_process *ret, struct err *err)
{
	size_t len = 0;

	while (args && args[len])
		len++;
	if (!len)
		return err_set(err, "exec: no command given");
	ret->args = (struct str_list){ args, len };
	return 0;
}

static int take_base(const struct oci_process *container, const struct exec_request *request,
		     struct oci_process *ret, struct err *err)
{
	if (request->given) {
		*ret = *request->given;
		inherit(container, ret);
		return ret->args.len ? 0 : take_args(request->args, ret, err);
	}
	*ret = *container;
	ret->terminal = (struct opt_bool){ true, false };
	ret->console_size = NULL;
	return take_args(request->args, ret, err);
}

static void take_values(const struct exec_request *request, struct oci_process *ret)
{
	if (request->tty)
		ret->terminal = (struct opt_bool){ true, true };
	if (request->cwd)
		ret->cwd = (char *)request->cwd;
	if (request->apparmor)
		ret->apparmor_profile = (char *)request->apparmor;
	if (request->label)
		ret->selinux_label = (char *)request->label;
	if (request->no_new_privs)
		ret->no_new_privileges = (struct opt_bool){ true, true };
}

int plan_exec_process(struct arena *arena, const struct oci_process *container,
		      const struct exec_request *request, struct oci_process *ret, struct err *err)
{
	if (take_base(container, request, ret, err) < 0)
		return -1;
	take_values(request, ret);
	if (request->env.len && join_lists(arena, &ret->env, &request->env, false, err) < 0)
		return -1;
	if (request->user && set_user(arena, request->user, ret, err) < 0)
		return -1;
	if (request->gids.len && add_groups(arena, &request->gids, ret, err) < 0)
		return -1;
	if (request->caps.len && add_caps(arena, &request->caps, ret, err) < 0)
		return -1;
	return inherit_umask(arena, container, ret, err);
}
