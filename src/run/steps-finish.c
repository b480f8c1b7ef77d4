/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The terminal, and init's last rows: committed, waiting, executing. */
#include "run/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/str.h"
#include "host/signals.h"
#include "host/tty.h"

bool step_has_terminal(const struct play *play)
{
	return play->plan->process.terminal;
}

int step_open_console(struct play *play, struct err *err)
{
	int master_fd = -1;

	if (rootfs_open_console(&play->plan->rootfs, &play->rootfs, &master_fd, err) < 0)
		return -1;
	play->mail.fd[play->mail.len++] = master_fd;
	return 0;
}

/* exec: the tree of the container that has been joined is "/" already. */
int step_open_terminal(struct play *play, struct err *err)
{
	int master_fd = -1;

	play->rootfs.root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (play->rootfs.root_fd < 0)
		return err_errno(err, errno, "open /");
	if (rootfs_open_terminal(&play->rootfs, &master_fd, err) < 0)
		return -1;
	play->mail.fd[play->mail.len++] = master_fd;
	return 0;
}

int step_receive_console(struct play *play, struct err *err)
{
	if (play->mail.len != 1)
		return err_set(err, "no terminal came from init");
	play->mail.len = 0;
	play->master_fd = play->mail.fd[0];
	if (!play->console_socket) {
		tty_pass_newlines(play->master_fd); /* relayed by the foreground process */
		return 0;
	}
	if (tty_send_master(play->console_socket, play->master_fd, err) < 0)
		return -1;
	(void)close(take_fd(&play->master_fd));
	return 0;
}

/* Standard streams and controlling terminal; the caller's terminal is left (R08, R254). */
int step_take_terminal(struct play *play, struct err *err)
{
	int slave_fd = play->rootfs.console_fd;
	const struct process_plan *process = &play->plan->process;

	if (process->console_size_set &&
	    tty_set_size(slave_fd, process->console_height, process->console_width, err) < 0)
		return -1;
	if (ioctl(slave_fd, TIOCSCTTY, 0) < 0)
		return err_errno(err, errno, "make the console the controlling terminal");
	if (fchown(slave_fd, process->uid, (gid_t)-1) < 0 && errno != EPERM && errno != EROFS &&
	    errno != EINVAL)
		return err_errno(err, errno, "give the console to uid %u", (unsigned)process->uid);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (dup2(slave_fd, fd) < 0)
			return err_errno(err, errno, "console as descriptor %d", fd);
	return 0;
}

/*
 * Init no longer dies with its creator's process.  Until the creator has taken
 * note of that it still dies when the creator's end of the socket closes.
 */
int step_commit(struct play *play, struct err *err)
{
	(void)play;
	return prctl(PR_SET_PDEATHSIG, 0) < 0 ? err_errno(err, errno, "prctl") : 0;
}

/* From here on init's failures go to `start`. */
int step_part(struct play *play, struct err *err)
{
	(void)err;
	(void)close(take_fd(&play->init_end));
	return 0;
}

/* Does nothing but give init its turn: all that could fail here is done. */
int step_release_init(struct play *play, struct err *err)
{
	(void)play;
	(void)err;
	return 0;
}

/* Without handlers the first process of a pid namespace would not notice (pid_namespaces(7)). */
static void end_by_signal(int signal)
{
	_exit(128 + signal);
}

static void heed_termination(void)
{
	const struct sigaction end = { .sa_handler = end_by_signal };

	for (const int *signal = (const int[]){ SIGINT, SIGQUIT, SIGTERM, 0 }; *signal; signal++)
		(void)sigaction(*signal, &end, NULL);
}

int step_wait_for_start(struct play *play, struct err *err)
{
	char byte;
	ssize_t n;

	heed_termination();
	do
		n = read(play->start_fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		return err_errno(err, n < 0 ? errno : EPIPE, "wait for start");
	(void)close(take_fd(&play->start_fd));
	return 0;
}

/*
 * What the program inherits beside the standard streams (R256), and no more from here on: a
 * directory that the caller left open would be a way out of the container for a working directory
 * in /proc/self/fd, or for who can look at init while it waits.
 */
int step_close_fds(struct play *play, struct err *err)
{
	const int keep[] = { play->init_end, play->start_fd, play->result_fd, log_descriptor() };
	unsigned preserved = play->plan->preserve_fds;
	int code;

	for (unsigned i = 0; i < preserved; i++)
		if (fcntl(3 + (int)i, F_SETFD, 0) < 0)
			return err_errno(err, errno, "descriptor %u is to be preserved", 3 + i);
	if (preserved)
		process_fix_listen_pid(&play->plan->process);
	rootfs_release(&play->rootfs);
	drop_fd(&play->proc_fd);
	code = fd_close_others(3 + preserved, keep, ARRAY_LEN(keep));
	return code < 0 ? err_errno(err, code, "close_range") : 0;
}

/* Handlers end with exec, but what is ignored or blocked would be inherited. */
int step_reset_signals(struct play *play, struct err *err)
{
	int code = signals_reset(play->ignored_signals);

	return code < 0 ? err_errno(err, code, "reset the signal mask") : 0;
}

int step_exec(struct play *play, struct err *err)
{
	const struct process_plan *process = &play->plan->process;

	(void)execve(play->program, process->argv, process->envp);
	return err_errno(err, errno, "exec %s", play->program);
}
