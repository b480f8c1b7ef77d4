/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The container's directory, its record and what is told to the caller in files. */
#include "run/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/str.h"

static int make_fifo(struct play *play, const char *name, int *ret_fd, struct err *err)
{
	if (mkfifoat(play->store.dir_fd, name, 0600) < 0)
		return err_errno(err, errno, "make FIFO %s", name);
	/* read and write: neither opening nor reading depends on a peer being there */
	*ret_fd = openat(play->store.dir_fd, name, O_RDWR | O_CLOEXEC);
	return *ret_fd < 0 ? err_errno(err, errno, "open FIFO %s", name) : 0;
}

/* Init's, whatever its ids: bound read-only into the container (R258). */
static int make_notify_directory(const struct store *store, struct err *err)
{
	if (mkdirat(store->dir_fd, "notify", 0755) < 0 ||
	    fchmodat(store->dir_fd, "notify", 0755, 0) < 0)
		return err_errno(err, errno, "make the directory notify");
	return 0;
}

int step_make_state(struct play *play, struct err *err)
{
	if (store_create(play->ctx->root, play->plan->id, &play->store, err) < 0)
		return -1;
	if (make_fifo(play, "start", &play->start_fd, err) < 0 ||
	    make_fifo(play, "result", &play->result_fd, err) < 0)
		return -1;
	if (play->plan->proxies_notify && make_notify_directory(&play->store, err) < 0)
		return -1;
	return store_write(&play->store, "config.json", play->config_text, err);
}

void undo_make_state(struct play *play)
{
	if (play->store.dir_fd >= 0)
		(void)store_remove(&play->store, NULL);
	store_close(&play->store);
}

static char *now_text(struct plan *plan, struct err *err)
{
	char date[CLOCK_DATE_SIZE];

	clock_date(date, 9);
	return plan_copy(plan, date, err);
}

/* A plan is const but for its arena, which holds the record's strings, too. */
static struct plan *arena_of(struct play *play)
{
	return (struct plan *)play->plan;
}

static int describe(struct play *play, struct err *err)
{
	const struct plan *plan = play->plan;
	struct record *record = &play->record;
	const char *boot_id = run_boot_id(play->ctx);
	uint64_t start = 0;
	bool dead;

	if (!*boot_id || procfs_start_time(getpid(), &start, &dead) < 0)
		return err_set(err, "/proc does not tell the boot id or the caller's start time");
	*record = (struct record){
		.phase = { true, PHASE_CREATING },
		.id = (char *)plan->id,
		.oci_version = plan->config->oci_version,
		.bundle = (char *)plan->bundle,
		.rootfs = (char *)plan->rootfs.path,
		.created = now_text(arena_of(play), err),
		.boot_id = (char *)boot_id,
		.creator_pid = { true, getpid() },
		.creator_start = { true, start },
		.pid = { true, 0 },
		.owner = { true, getuid() },
		.cgroup_manager = (char *)cgroup_manager_name[plan->cgroup.manager],
		.cgroup_path = (char *)plan->cgroup.path,
		.own_pid_namespace = { true, plan->ns.of[NS_PID].how == NS_NEW },
		.late_hooks = { true, plan->hooks.of[HOOK_POSTSTART].len ||
					      plan->hooks.of[HOOK_POSTSTOP].len },
		.annotations = plan->config->annotations,
	};
	return record->created ? 0 : -1;
}

/* Until it has been found empty and taken over, a cgroup that is there is someone else's. */
static void note_existing_cgroup(struct record *record)
{
	if (record->cgroup_path && cgroup_exists(record->cgroup_path))
		record->cgroup_kept = (struct opt_bool){ true, true };
}

int step_record_intent(struct play *play, struct err *err)
{
	if (describe(play, err) < 0)
		return -1;
	note_existing_cgroup(&play->record);
	return record_write(&play->store, &play->record, err);
}

int step_save_state(struct play *play, struct err *err)
{
	struct record *record = &play->record;
	uint64_t start = 0;
	bool dead = false;
	int code = procfs_start_time(play->init_pid, &start, &dead);

	if (code < 0 || dead)
		return err_errno(err, code < 0 ? code : ESRCH, "init %d", (int)play->init_pid);
	record->phase = (struct opt_int){ true, PHASE_CREATED };
	record->pid = (struct opt_int){ true, play->init_pid };
	record->pid_start = (struct opt_uint){ true, start };
	return record_write(&play->store, record, err);
}

bool step_has_pid_file(const struct play *play)
{
	return play->pid_file;
}

/* Digits and nothing else (R250), complete whenever it is there under its name. */
int step_write_pid_file(struct play *play, struct err *err)
{
	autofree char *temporary = str_printf("%s.%d", play->pid_file, (int)getpid());
	char digits[16];
	autoclose int fd = -1;
	int code;

	if (!temporary)
		return err_errno(err, ENOMEM, "pid file");
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0)
		return err_errno(err, errno, "write pid file %s", play->pid_file);
	(void)snprintf(digits, sizeof(digits), "%d", (int)play->init_pid);
	code = fd_write_all(fd, digits, strlen(digits));
	if (code == 0 && rename(temporary, play->pid_file) < 0)
		code = -errno;
	play->pid_written = code == 0;
	if (code == 0)
		return 0;
	(void)unlink(temporary);
	return err_errno(err, code, "write pid file %s", play->pid_file);
}

void undo_write_pid_file(struct play *play)
{
	if (play->pid_written)
		(void)unlink(play->pid_file);
}

bool step_has_pidfd_socket(const struct play *play)
{
	return play->pidfd_socket;
}

int step_send_pidfd(struct play *play, struct err *err)
{
	const char *payload = play->target_pid ? "setns" : "standard";
	autoclose int fd = -1;
	int code;

	fd = fd_connect_unix(play->pidfd_socket, SOCK_STREAM);
	code = fd < 0 ? fd : fd_send(fd, payload, strlen(payload), &play->init_fd, 1);
	return code < 0 ? err_errno(err, code, "send the pidfd to %s", play->pidfd_socket) : 0;
}
