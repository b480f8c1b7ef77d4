/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/container.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"
#include "store/id.h"

enum { CONFIG_SIZE_MAX = 16 << 20 };

const char *const container_status_name[] = {
	[STATUS_CREATING] = "creating", [STATUS_CREATED] = "created", [STATUS_RUNNING] = "running",
	[STATUS_PAUSED] = "paused",	[STATUS_STOPPED] = "stopped",
};

const char *run_boot_id(const struct run_context *ctx)
{
	struct host_facts *facts = ctx->facts;

	if (!*facts->boot_id && procfs_boot_id(facts->boot_id) < 0)
		*facts->boot_id = '\0';
	return facts->boot_id;
}

static bool is_this_boot(const struct container *container)
{
	const char *then = container->record.boot_id;

	return then && *then && str_eq(run_boot_id(container->ctx), then);
}

/*
 * A pidfd of @pid if it is the process that started at @start, and alive.  The
 * pidfd comes first: what is checked afterwards is what it refers to.
 */
static int open_live(pid_t pid, uint64_t start)
{
	autoclose int fd = -1;
	uint64_t ticks;
	bool dead;

	fd = pid > 0 ? sys_pidfd_open(pid, 0) : -ESRCH;
	if (fd < 0)
		return -1;
	if (procfs_start_time(pid, &ticks, &dead) < 0 || dead || ticks != start)
		return -1;
	return take_fd(&fd);
}

static bool waits_for_start(const struct store *store)
{
	autoclose int fd = -1;

	/* opens only while init holds the other end (R202) */
	fd = openat(store->dir_fd, "start", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0;
}

static bool is_frozen(const struct container *container)
{
	struct cgroup cgroup = CGROUP_NONE;
	bool frozen = false;

	if (container_cgroup(container, &cgroup, NULL) == 0)
		(void)cgroup_is_frozen(&cgroup, &frozen, NULL);
	cgroup_close(&cgroup);
	return frozen;
}

static enum container_status creating_status(const struct record *record)
{
	int fd = open_live((pid_t)record->creator_pid.value, record->creator_start.value);

	if (fd < 0)
		return STATUS_STOPPED;
	(void)close(fd);
	return STATUS_CREATING;
}

static enum container_status derive_status(struct container *container)
{
	const struct record *record = &container->record;

	drop_fd(&container->pid_fd);
	if (!is_this_boot(container))
		return STATUS_STOPPED;
	if (record->phase.value == PHASE_CREATING)
		return creating_status(record);
	container->pid_fd = open_live((pid_t)record->pid.value, record->pid_start.value);
	if (container->pid_fd < 0)
		return STATUS_STOPPED;
	if (is_frozen(container))
		return STATUS_PAUSED;
	return waits_for_start(&container->store) ? STATUS_CREATED : STATUS_RUNNING;
}

/* What is known of a container before its first record: its name, and when it was begun. */
static int describe_unrecorded(struct container *container, struct err *err)
{
	struct stat st;
	char date[CLOCK_DATE_SIZE];
	char *id, *created;

	if (fstat(container->store.dir_fd, &st) < 0)
		return err_errno(err, errno, "stat container %s", container->store.id);
	clock_date_of(&st.st_mtim, date, 9);
	created = arena_copy(&container->arena, date, strlen(date));
	id = arena_copy(&container->arena, container->store.id, strlen(container->store.id));
	if (!created || !id)
		return err_errno(err, ENOMEM, "container %s", container->store.id);
	container->record = (struct record){
		.phase = { true, PHASE_CREATING },
		.id = id,
		.oci_version = (char *)OCISPEC_VERSION,
		.bundle = (char *)"",
		.rootfs = (char *)"",
		.created = created,
		.owner = { true, st.st_uid },
	};
	return 0;
}

/* As record_read(), which told that there is no record. */
static int look_without_record(struct container *container, struct err *err)
{
	enum store_stage stage = store_stage(&container->store);
	struct err why = { 0 };

	if (stage == STORE_GONE)
		return store_fail_absent(&container->store, err);
	/* a creator that has ended meanwhile has written it first */
	if (stage == STORE_ABANDONED &&
	    record_read(&container->store, &container->arena, &container->record, &why) == 0)
		return 0;
	if (why.code && why.code != ENODATA)
		return err_pass(err, &why);
	container->unrecorded = true;
	container->status = stage == STORE_ABANDONED ? STATUS_STOPPED : STATUS_CREATING;
	return describe_unrecorded(container, err);
}

int container_refresh(struct container *container, struct err *err)
{
	struct err why = { 0 };

	container->unrecorded = false;
	if (record_read(&container->store, &container->arena, &container->record, &why) < 0) {
		if (why.code != ENODATA)
			return err_pass(err, &why);
		if (look_without_record(container, err) < 0)
			return -1;
	}
	if (!container->unrecorded)
		container->status = derive_status(container);
	return 0;
}

int container_open(const struct run_context *ctx, const char *id, enum store_lock lock,
		   struct container *ret, struct err *err)
{
	*ret = CONTAINER_NONE;
	ret->ctx = ctx;
	if (id_check(id, err) < 0)
		return -1;
	if (store_open(ctx->root, id, lock, &ret->store, err) < 0)
		return -1;
	return container_refresh(ret, err);
}

void container_close(struct container *container)
{
	drop_fd(&container->pid_fd);
	store_close(&container->store);
	arena_free(&container->arena);
}

bool container_is_alive(const struct container *container)
{
	return container->pid_fd >= 0;
}

struct oci_config *container_config(struct container *container, struct err *err)
{
	struct read_error why;
	autofree char *text = NULL;
	struct oci_config *config;
	ssize_t n = fd_read_file(container->store.dir_fd, "config.json", CONFIG_SIZE_MAX, &text);

	if (n < 0) {
		(void)err_errno(err, (int)n, "read the saved config.json of %s",
				container->store.id);
		return NULL;
	}
	config = ocispec_read(&oci_config_desc, text, (size_t)n, &container->arena, &why);
	if (!config)
		(void)err_set(err, "saved config.json of %s:%u:%u: %s", container->store.id,
			      why.line, why.column, why.text);
	return config;
}

int container_cgroup(const struct container *container, struct cgroup *ret, struct err *err)
{
	const struct record *record = &container->record;

	if (record->cgroup_path && record->cgroup_inode.set)
		return cgroup_open_at(container->ctx->facts->cgroup_mount, record->cgroup_path,
				      record->cgroup_inode.value, ret, err);
	(void)err_set(err, "container %s has no cgroup", container->store.id);
	return err_as(err, ENOENT);
}
