/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/play.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "host/spawn.h"

enum { STEP_DEADLINE_MS = 120000, END_DEADLINE_MS = 1000, EXIT_RUNTIME = 255 };

int play_begin(struct play *play, struct err *err)
{
	int pair[2];

	play->staged = play_must_stage(play);
	play->store = STORE_NONE;
	play->cgroup = CGROUP_NONE;
	play->rootfs = ROOTFS_NONE;
	play->netdev_sides = NETDEV_SIDES_NONE;
	for (int kind = 0; kind < NS_KINDS; kind++)
		play->join_fd[kind] = -1;
	play->start_fd = play->result_fd = play->init_fd = play->master_fd = -1;
	play->proc_fd = -1;
	if (procfs_ignored_signals(&play->ignored_signals) < 0)
		return err_set(err, "/proc/self/status: no SigIgn (is /proc mounted?)");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, errno, "socketpair");
	play->runtime_end = pair[0];
	play->init_end = pair[1];
	return 0;
}

/* Why init ended: a memory limit, if its cgroup has seen the OOM killer. */
static bool describe_init_end(struct play *play, struct err *err)
{
	pid_t pid = play->init_pid > 0 ? play->init_pid : play->stage_pid;
	uint64_t kills = 0;
	char end[80];

	if (pid <= 0 || play->init_fd < 0)
		return false;
	spawn_describe_end(pid, play->init_fd, END_DEADLINE_MS, end);
	play->init_pid = play->stage_pid = 0; /* reaped */
	if (play->cgroup.fd >= 0 && cgroup_oom_kills(&play->cgroup, &kills, NULL) == 0 && kills)
		(void)err_set(err, "container init was OOM-killed (memory limit too low?)");
	else
		(void)err_set(err, "init ended: %s", end);
	return true;
}

int play_runtime(struct play *play, struct err *err)
{
	const struct seat seat = {
		.score = play->score,
		.me = RUNTIME,
		.peer = play->runtime_end,
		.mail = &play->mail,
		.deadline_ms = STEP_DEADLINE_MS,
		.failed_row = &play->failed_row,
		.peer_gone = describe_init_end,
	};

	play->failed_row = play->score->len;
	return score_play(&seat, play, err);
}

/*
 * For whoever waits for the execve(2): `start`, which may not have come yet.  What is in
 * a FIFO goes with its last descriptor, so that init stays until then.
 */
static void tell_late(struct play *play, const struct err *err)
{
	char byte;

	(void)fd_write_all(play->result_fd, err, sizeof(*err));
	while (play->start_fd >= 0 && read(play->start_fd, &byte, 1) < 0 && errno == EINTR)
		;
}

void play_init(struct play *play, const char *step)
{
	size_t failed_row = 0;
	const struct seat seat = {
		.score = play->score,
		.first = score_row(play->score, step),
		.me = INIT,
		.peer = play->init_end,
		.mail = &play->mail,
		.deadline_ms = -1,
		.failed_row = &failed_row,
	};
	struct err err = { 0 };

	(void)score_play(&seat, play, &err);
	if (!score_is_awaited(play->score, failed_row, play))
		tell_late(play, &err);
	_exit(EXIT_RUNTIME);
}

void play_end(struct play *play)
{
	int *const fds[] = { &play->start_fd, &play->result_fd, &play->init_fd,	   &play->master_fd,
			     &play->proc_fd,  &play->init_end,	&play->runtime_end };

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		drop_fd(fds[i]);
	for (int kind = 0; kind < NS_KINDS; kind++)
		drop_fd(&play->join_fd[kind]);
	while (play->mail.len) /* the step that it was for has failed */
		(void)close(play->mail.fd[--play->mail.len]);
	play_forget_net_devices(play);
	rootfs_release(&play->rootfs);
	cgroup_close(&play->cgroup);
	store_close(&play->store);
}
