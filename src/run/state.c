/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of containers: state, list, ps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/scope.h"
#include "host/cgroup-mount.h"
#include "host/cgroup.h"
#include "run/container.h"
#include "run/run.h"

/* The record's strings move to @arena with the container's own. */
static void fill_state(struct container *container, struct container_state *ret)
{
	const struct record *record = &container->record;

	*ret = (struct container_state){
		.oci_version = record->oci_version,
		.id = record->id,
		.bundle = record->bundle,
		.rootfs = record->rootfs,
		.created = record->created,
		.status = container->status,
		.pid = container_is_alive(container) ? (pid_t)record->pid.value : 0,
		.owner = (uid_t)record->owner.value,
		.scope = record->cgroup_scope,
		.annotations = record->annotations,
	};
}

int run_state(const struct run_context *ctx, const char *id, struct arena *arena,
	      struct container_state *ret, struct err *err)
{
	struct container container;
	int result = container_open(ctx, id, STORE_UNLOCKED, &container, err);

	if (result == 0)
		fill_state(&container, ret);
	arena_merge(arena, &container.arena);
	container_close(&container);
	return result;
}

int run_list(const struct run_context *ctx, struct arena *arena, struct container_state **ret,
	     size_t *ret_count, struct err *err)
{
	size_t ids_len = 0, count = 0;
	char **ids;

	if (store_list(ctx->root, ctx->root_given, &ids, &ids_len, err) < 0)
		return -1;
	*ret = arena_alloc(arena, (ids_len + 1) * sizeof(**ret));
	ctx->facts->cgroup_mount = cgroup_open_mount(NULL);
	for (size_t i = 0; *ret && i < ids_len; i++) {
		struct err why = { 0 };

		if (run_state(ctx, ids[i], arena, &(*ret)[count], &why) == 0)
			count++;
		else if (why.code != ENOENT)
			log_warn("container %s is left out: %s", ids[i], why.text);
	}
	drop_fd(&ctx->facts->cgroup_mount);
	store_free_ids(ids, ids_len);
	*ret_count = count;
	return *ret ? 0 : err_errno(err, ENOMEM, "list containers");
}

static int copy_pids(struct arena *arena, const pid_t *from, size_t len, struct pid_list *ret,
		     struct err *err)
{
	ret->at = arena_alloc(arena, (len + 1) * sizeof(*ret->at));
	if (!ret->at)
		return err_errno(err, ENOMEM, "ps");
	if (len)
		memcpy(ret->at, from, len * sizeof(*from));
	ret->len = len;
	return 0;
}

static int read_pids(const struct container *container, struct arena *arena, struct pid_list *ret,
		     struct err *err)
{
	struct cgroup cgroup = CGROUP_NONE;
	pid_t init = (pid_t)container->record.pid.value;
	autofree pid_t *pids = NULL;
	struct err why = { 0 };
	size_t len = 0;
	int result = container_cgroup(container, &cgroup, &why);

	if (result == 0)
		result = cgroup_pids(&cgroup, &pids, &len, err);
	else if (why.code == ENOENT) /* no cgroup: init is all that is known */
		return copy_pids(arena, &init, container_is_alive(container), ret, err);
	else
		(void)err_pass(err, &why);
	cgroup_close(&cgroup);
	return result < 0 ? -1 : copy_pids(arena, pids, len, ret, err);
}

int run_ps(const struct run_context *ctx, const char *id, struct arena *arena, struct pid_list *ret,
	   struct err *err)
{
	struct container container;
	int result = container_open(ctx, id, STORE_UNLOCKED, &container, err);

	if (result == 0)
		result = read_pids(&container, arena, ret, err);
	container_close(&container);
	return result;
}
