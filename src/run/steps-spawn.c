/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How init comes into its namespaces.
 *
 * Directly: one clone3(2) makes it with all new namespaces, in its cgroup; it
 * joins the others and unshares its cgroup namespace, which has to be rooted in
 * the cgroup it was born in.
 *
 * Staged, where a user namespace is joined, or a new one meets others that exist
 * already or a time namespace with offsets: an intermediate process joins what
 * belongs to the outside, enters the user namespace, joins and unshares the rest
 * and clones init as its sibling, a child of runtime.
 */
#include "run/steps.h"

#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys.h"
#include "host/spawn.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

static bool joins_any(const struct ns_plan *ns)
{
	for (int kind = 0; kind < NS_KINDS; kind++)
		if (kind != NS_USER && ns->of[kind].how == NS_JOIN)
			return true;
	return false;
}

bool play_is_staged(const struct play *play)
{
	return play->staged;
}

bool play_must_stage(const struct play *play)
{
	const struct ns_plan *ns = &play->plan->ns;

	if (play->target_pid)
		return ns_has_user(ns) && geteuid() != 0;
	if (ns->of[NS_USER].how == NS_JOIN)
		return true;
	return ns->of[NS_USER].how == NS_NEW && (joins_any(ns) || ns->time_offsets);
}

bool step_has_joins(const struct play *play)
{
	return joins_any(&play->plan->ns) || play->plan->ns.of[NS_USER].how == NS_JOIN;
}

int step_open_namespaces(struct play *play, struct err *err)
{
	for (int kind = 0; kind < NS_KINDS; kind++) {
		const struct ns_request *request = &play->plan->ns.of[kind];

		if (request->how != NS_JOIN)
			continue;
		play->join_fd[kind] = ns_open(kind, request->path, err);
		if (play->join_fd[kind] < 0)
			return -1;
	}
	return 0;
}

static int write_time_offsets(const char *offsets, struct err *err)
{
	int code = fd_write_file(AT_FDCWD, "/proc/self/timens_offsets", offsets);

	return code < 0 ?
		       err_errno(err, code, "linux.timeOffsets: write /proc/self/timens_offsets") :
		       0;
}

static int new_time_namespace(const struct ns_plan *ns, struct err *err)
{
	int code = sys_unshare(CLONE_NEWTIME);

	if (code < 0)
		return err_errno(err, code, "unshare the time namespace");
	return ns->time_offsets ? write_time_offsets(ns->time_offsets, err) : 0;
}

/* What runtime changes of itself so that its next child is born elsewhere, to be put back. */
struct birthplace {
	int own_pid_fd, own_time_fd;
};

static int move_birthplace(struct play *play, int pid_ns_fd, struct birthplace *old,
			   struct err *err)
{
	const struct ns_plan *ns = &play->plan->ns;
	int code;

	if (pid_ns_fd >= 0) {
		old->own_pid_fd = ns_open_of(NS_PID, getpid(), err);
		if (old->own_pid_fd < 0)
			return -1;
		code = sys_setns(pid_ns_fd, CLONE_NEWPID);
		if (code < 0)
			return err_errno(err, code, "join the pid namespace");
	}
	if (!play->target_pid && ns->of[NS_TIME].how == NS_NEW) {
		old->own_time_fd = ns_open_of(NS_TIME, getpid(), err);
		return old->own_time_fd < 0 ? -1 : new_time_namespace(ns, err);
	}
	return 0;
}

static void restore_birthplace(struct birthplace *old)
{
	if (old->own_pid_fd >= 0) {
		(void)sys_setns(old->own_pid_fd, CLONE_NEWPID);
		(void)close(old->own_pid_fd);
	}
	if (old->own_time_fd >= 0) {
		(void)sys_setns(old->own_time_fd, CLONE_NEWTIME);
		(void)close(old->own_time_fd);
	}
}

/* What init keeps from before its birth is closed here, the rest at its exec. */
static void leave_runtime_behind(struct play *play)
{
	store_close(&play->store);
	cgroup_close(&play->cgroup);
	(void)close(take_fd(&play->runtime_end));
	if (!play_is_staged(play))
		drop_fd(&play->join_fd[NS_PID]); /* init was born in it */
}

static void init_main(struct play *play)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	leave_runtime_behind(play);
	if (!ns_has_user(&play->plan->ns))
		(void)prctl(PR_SET_DUMPABLE, 0);
	play_init(play, "spawn-init");
}

static int direct_flags(const struct play *play)
{
	if (play->target_pid)
		return 0;
	return ns_new_flags(&play->plan->ns) & ~(CLONE_NEWCGROUP | CLONE_NEWTIME);
}

static int spawn_direct(struct play *play, int pid_ns_fd, struct err *err)
{
	const struct spawn_request request = { .flags = direct_flags(play),
					       .cgroup_fd = play->cgroup.fd };
	struct birthplace old = { -1, -1 };
	pid_t pid = -1;

	if (move_birthplace(play, pid_ns_fd, &old, err) == 0)
		pid = spawn_clone(&request, &play->init_fd, err);
	if (pid == 0)
		init_main(play);
	restore_birthplace(&old);
	play->init_pid = pid;
	return pid < 0 ? -1 : 0;
}

static int spawn_stage(struct play *play, struct err *err)
{
	const struct spawn_request request = { .cgroup_fd = play->cgroup.fd };
	pid_t pid = spawn_clone(&request, &play->init_fd, err);

	if (pid == 0)
		init_main(play);
	play->stage_pid = pid;
	return pid < 0 ? -1 : 0;
}

int step_spawn_init(struct play *play, struct err *err)
{
	autoclose int target_ns_fd = -1;
	int pid_ns_fd = play->join_fd[NS_PID];
	int result;

	if (play->target_pid && !play_is_staged(play) && ns_is_private(&play->plan->ns, NS_PID)) {
		target_ns_fd = ns_open_of(NS_PID, play->target_pid, err);
		if (target_ns_fd < 0)
			return -1;
		pid_ns_fd = target_ns_fd;
	}
	result = play_is_staged(play) ? spawn_stage(play, err) : spawn_direct(play, pid_ns_fd, err);
	(void)close(play->init_end);
	play->init_end = -1;
	return result;
}

void undo_spawn_init(struct play *play)
{
	if (play->init_pid > 0)
		spawn_kill(play->init_pid, play->init_fd);
	else if (play->stage_pid > 0)
		spawn_kill(play->stage_pid, play->init_fd);
	play->init_pid = play->stage_pid = 0;
}

bool step_has_user(const struct play *play)
{
	return ns_has_user(&play->plan->ns);
}

static bool makes_user(const struct play *play)
{
	return play->plan->ns.of[NS_USER].how == NS_NEW;
}

bool step_direct_new_user(const struct play *play)
{
	return makes_user(play) && !play_is_staged(play);
}

bool step_staged_new_user(const struct play *play)
{
	return makes_user(play) && play_is_staged(play);
}

int step_write_id_maps(struct play *play, struct err *err)
{
	pid_t pid = play->stage_pid > 0 ? play->stage_pid : play->init_pid;

	return idmap_write(&play->plan->idmap, pid, err);
}

/* Joins the namespace of @kind that the plan names, if any; 0 or -errno. */
static int join_kind(struct play *play, enum ns_kind kind)
{
	int *fd = &play->join_fd[kind], code;

	if (*fd < 0)
		return 0;
	code = sys_setns(*fd, ns_info[kind].flag);
	if (code == 0)
		(void)close(take_fd(fd));
	return code;
}

static int report_join(const struct play *play, enum ns_kind kind, int code, struct err *err)
{
	return err_errno(err, code, "join the %s namespace %s", ns_info[kind].oci,
			 play->plan->ns.of[kind].path);
}

/*
 * From outside of the user namespace: what belongs to it already is beyond us
 * then and is joined afterwards.
 */
int step_join_outer(struct play *play, struct err *err)
{
	for (int kind = NS_CGROUP; kind < NS_MOUNT; kind++) {
		int code = join_kind(play, (enum ns_kind)kind);

		if (code < 0 && code != -EPERM)
			return report_join(play, (enum ns_kind)kind, code, err);
	}
	return 0;
}

int step_enter_user(struct play *play, struct err *err)
{
	int code;

	if (play->plan->ns.of[NS_USER].how == NS_NEW)
		code = sys_unshare(CLONE_NEWUSER);
	else
		code = sys_setns(play->join_fd[NS_USER], CLONE_NEWUSER);
	drop_fd(&play->join_fd[NS_USER]);
	if (code < 0)
		return err_errno(err, code, "enter the user namespace");
	/* unmapped until runtime has written the maps: its files must stay the caller's */
	(void)prctl(PR_SET_DUMPABLE, 1);
	return 0;
}

int step_become_root(struct play *play, struct err *err)
{
	const struct idmap_plan *map = &play->plan->idmap;

	if (idmap_has(&map->gid, 0) && setresgid(0, 0, 0) < 0)
		return err_errno(err, errno, "become group 0 of the user namespace");
	if (idmap_has(&map->uid, 0) && setresuid(0, 0, 0) < 0)
		return err_errno(err, errno, "become user 0 of the user namespace");
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* the change of ids has cleared it */
	return 0;
}

int step_join_namespaces(struct play *play, struct err *err)
{
	for (int kind = NS_CGROUP; kind < NS_KINDS; kind++) {
		int code = join_kind(play, (enum ns_kind)kind);

		if (code < 0)
			return report_join(play, (enum ns_kind)kind, code, err);
	}
	return 0;
}

bool step_unshares(const struct play *play)
{
	return play_is_staged(play) || play->plan->ns.of[NS_CGROUP].how == NS_NEW;
}

int step_unshare(struct play *play, struct err *err)
{
	int flags = ns_new_flags(&play->plan->ns), code;

	flags = play_is_staged(play) ? flags & ~(CLONE_NEWUSER | CLONE_NEWTIME) : CLONE_NEWCGROUP;
	code = sys_unshare(flags);
	if (code < 0)
		return err_errno(err, code, "unshare namespaces %#x", (unsigned)flags);
	if (!play_is_staged(play) || play->plan->ns.of[NS_TIME].how != NS_NEW)
		return 0;
	(void)prctl(PR_SET_DUMPABLE, 1); /* or timens_offsets isn't ours to write */
	return new_time_namespace(&play->plan->ns, err);
}

/* Runs on as init, the first process of the new pid namespace; the intermediate one ends. */
int step_fork_init(struct play *play, struct err *err)
{
	const struct spawn_request request = { .cgroup_fd = -1, .sibling = true };
	pid_t pid = spawn_clone(&request, NULL, err);
	int fd;

	if (pid > 0)
		_exit(0);
	if (pid < 0)
		return -1;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_DUMPABLE, 0);
	fd = sys_pidfd_open(getpid(), 0);
	if (fd < 0)
		return err_errno(err, fd, "pidfd of init");
	play->mail.fd[play->mail.len++] = fd;
	return 0;
}

int step_adopt_init(struct play *play, struct err *err)
{
	if (play->mail.len != 1)
		return err_set(err, "no pidfd came from init");
	(void)close(play->init_fd);
	play->init_fd = play->mail.fd[0];
	play->mail.len = 0;
	(void)waitpid(play->stage_pid, NULL, 0);
	play->stage_pid = 0;
	play->init_pid = procfs_pid_of(play->init_fd);
	if (play->init_pid <= 0)
		return err_set(err, "init is not visible in runtime's pid namespace");
	return 0;
}

/* exec: all namespaces of the target that differ from ours, in one call. */
int step_join_target(struct play *play, struct err *err)
{
	int flags = 0, code;

	for (int kind = 0; kind < NS_KINDS; kind++) {
		bool birth = kind == NS_PID && !play_is_staged(play);
		autoclose int fd = -1;

		if (birth || !ns_is_private(&play->plan->ns, kind))
			continue;
		fd = ns_open_of(kind, play->target_pid, err);
		if (fd < 0)
			return -1;
		if (!ns_is_own(kind, fd))
			flags |= ns_info[kind].flag;
	}
	code = flags ? sys_setns(play->target_fd, flags) : 0;
	if (code < 0)
		return err_errno(err, code, "join the namespaces %#x of process %d",
				 (unsigned)flags, (int)play->target_pid);
	return 0;
}
