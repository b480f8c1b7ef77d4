/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/remove.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "base/log.h"
#include "base/sys.h"
#include "host/cgroup.h"
#include "plan/plan.h"

enum { KILL_DEADLINE_MS = 10000 };

static int wait_for_end(const struct container *container, struct err *err)
{
	struct pollfd ended = { .fd = container->pid_fd, .events = POLLIN };
	int ready;

	do
		ready = poll(&ended, 1, KILL_DEADLINE_MS);
	while (ready < 0 && errno == EINTR);
	return ready == 1 ? 0 :
			    err_set(err, "init %d still runs %d s after SIGKILL",
				    (int)container->record.pid.value, KILL_DEADLINE_MS / 1000);
}

/* Its cgroup; *@ret is none when it has none, or it is gone already. */
static int open_cgroup(const struct container *container, struct cgroup *ret, struct err *err)
{
	struct err why = { 0 };

	*ret = CGROUP_NONE;
	if (container_cgroup(container, ret, &why) == 0)
		return 0;
	cgroup_close(ret);
	if (why.code == ENOENT || why.code == ESTALE)
		return 0;
	return err_pass(err, &why);
}

/* SIGKILL for all processes, and waits for their end; the cgroup belongs to the container alone. */
static int kill_all(const struct container *container, const struct cgroup *cgroup, struct err *err)
{
	int code = container_is_alive(container) ?
			   sys_pidfd_send_signal(container->pid_fd, SIGKILL) :
			   0;

	if (code < 0 && code != -ESRCH)
		return err_errno(err, code, "kill init %d", (int)container->record.pid.value);
	if (cgroup->fd >= 0 && (cgroup_kill_all(cgroup, err) < 0 ||
				cgroup_wait_empty(cgroup, KILL_DEADLINE_MS, err) < 0))
		return -1;
	return container_is_alive(container) ? wait_for_end(container, err) : 0;
}

static int empty_and_remove_cgroup(const struct container *container, struct err *err)
{
	struct cgroup cgroup;
	int result;

	if (open_cgroup(container, &cgroup, err) < 0)
		return -1;
	if (cgroup.fd >= 0 && !container_is_alive(container) && cgroup_remove_idle(&cgroup))
		cgroup_close(&cgroup);
	result = kill_all(container, &cgroup, err);
	if (result == 0 && cgroup.fd >= 0)
		result = cgroup_remove(&cgroup, err);
	cgroup_close(&cgroup);
	return result;
}

int container_remove(struct container *container, struct err *err)
{
	struct record *record = &container->record;
	struct err why;

	record->phase = (struct opt_int){ true, PHASE_DELETING };
	(void)record_write(&container->store, record, NULL); /* a full disk must not keep us */
	if (empty_and_remove_cgroup(container, err) < 0)
		return -1;
	if (run_saved_hooks(container, HOOK_POSTSTOP, STATUS_STOPPED, &why) < 0)
		log_error("poststop hooks: %s", why.text);
	return store_remove(&container->store, err);
}

/* A create that was killed before it knew its cgroup's inode may have made the cgroup. */
static void adopt_unfinished_cgroup(struct container *container)
{
	struct cgroup cgroup = CGROUP_NONE;
	struct record *record = &container->record;

	if (record->phase.value != PHASE_CREATING || !record->cgroup_path ||
	    record->cgroup_inode.set || record->cgroup_kept.value)
		return;
	if (cgroup_open(record->cgroup_path, 0, &cgroup, NULL) == 0)
		record->cgroup_inode = (struct opt_uint){ true, cgroup.inode };
	cgroup_close(&cgroup);
}

/*
 * Without a record the configuration still names the cgroup, and the cgroup
 * names the processes: an unreadable record never means "no container".
 */
static int recover_record(struct container *container, struct err *err)
{
	struct oci_config *config = container_config(container, NULL);
	struct plan_input in = { .config = config, .id = container->store.id };
	struct plan *plan;

	container->record = (struct record){ .phase = { true, PHASE_CREATING },
					     .id = (char *)container->store.id };
	if (!config)
		return 0; /* killed before anything was made */
	plan = arena_alloc(&container->arena, sizeof(*plan));
	if (!plan)
		return err_errno(err, ENOMEM, "recover container %s", container->store.id);
	if (plan_cgroup(plan, &in, err) < 0)
		return -1;
	container->record.cgroup_path = (char *)plan->cgroup.path;
	return 0;
}

static int check_deletable(const struct container *container, bool force, struct err *err)
{
	enum container_status status = container->status;

	if (force || status == STATUS_STOPPED || status == STATUS_CREATED)
		return 0;
	return err_set(err, "cannot delete container %s that is not stopped: %s",
		       container->store.id, container_status_name[status]);
}

static int delete_opened(struct container *container, bool force, struct err *err)
{
	if (check_deletable(container, force, err) < 0 ||
	    (container->unrecorded && recover_record(container, err) < 0))
		return -1;
	adopt_unfinished_cgroup(container);
	return container_remove(container, err);
}

int run_delete(const struct run_context *ctx, const char *id, bool force, struct err *err)
{
	struct container container;
	struct err why = { 0 };
	int result = container_open(ctx, id, STORE_EXCLUSIVE, &container, &why);

	if (result < 0 && why.code == EBADMSG && force) {
		container.status = STATUS_STOPPED;
		container.unrecorded = true;
		result = 0;
	}
	if (result == 0)
		result = delete_opened(&container, force, err);
	else if (why.code == ENOENT && force)
		result = 0;
	else
		(void)err_pass(err, &why);
	container_close(&container);
	return result;
}
