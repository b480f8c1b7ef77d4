/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One poll loop.  Each direction of the relay holds one buffer: nothing is read
 * before the last bytes are written, so a slow reader slows the program down and
 * costs neither memory nor CPU.
 */
#include "run/foreground.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/scope.h"
#include "host/tty.h"

enum { BUFFER = 8192, DRAIN_MS = 200 };

struct pump {
	int from, to;
	char bytes[BUFFER];
	size_t at, len;
};

int foreground_prepare(struct foreground *foreground, bool subreaper, struct err *err)
{
	sigset_t forwarded;

	(void)sigfillset(&forwarded);
	for (const int *own = (const int[]){ SIGPIPE, SIGURG, SIGSEGV, SIGBUS, SIGFPE, SIGILL,
					     SIGABRT, SIGTTIN, SIGTTOU, SIGTSTP, 0 };
	     *own; own++)
		(void)sigdelset(&forwarded, *own);
	if (sigprocmask(SIG_BLOCK, &forwarded, NULL) < 0)
		return err_errno(err, errno, "block signals");
	foreground->signal_fd = signalfd(-1, &forwarded, SFD_CLOEXEC | SFD_NONBLOCK);
	if (foreground->signal_fd < 0)
		return err_errno(err, errno, "signalfd");
	if (subreaper && prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return err_errno(err, errno, "become a subreaper");
	return 0;
}

static void close_pump(struct pump *pump)
{
	pump->from = -1;
}

static void pump_in(struct pump *pump)
{
	ssize_t n = read(pump->from, pump->bytes, sizeof(pump->bytes));

	if (n > 0) {
		pump->at = 0;
		pump->len = (size_t)n;
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		close_pump(pump); /* EIO: the terminal's last user is gone */
	}
}

static void pump_out(struct pump *pump)
{
	ssize_t n = write(pump->to, pump->bytes + pump->at, pump->len);

	if (n > 0) {
		pump->at += (size_t)n;
		pump->len -= (size_t)n;
	} else if (errno != EAGAIN && errno != EINTR) {
		pump->len = 0;
		close_pump(pump);
	}
}

static struct pollfd pump_wants(const struct pump *pump)
{
	if (pump->len)
		return (struct pollfd){ .fd = pump->to, .events = POLLOUT };
	return (struct pollfd){ .fd = pump->from, .events = POLLIN };
}

static void pump_step(struct pump *pump, short revents)
{
	if (!revents)
		return;
	if (pump->len)
		pump_out(pump);
	else
		pump_in(pump);
}

/* Reaps whoever has ended; true when @pid was among them. */
static bool reap(pid_t pid, int *status)
{
	bool ended = false;
	pid_t done;
	int how;

	while (!ended && (done = waitpid(-1, &how, WNOHANG)) > 0)
		if (done == pid) {
			*status = how;
			ended = true; /* what else there is goes with this process */
		}
	return ended;
}

/* Handles what has arrived; true when @pid has ended. */
static bool handle_signals(int signal_fd, pid_t pid, int master_fd, int *status)
{
	struct signalfd_siginfo info;

	while (read(signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			if (reap(pid, status))
				return true;
		} else if (info.ssi_signo == SIGWINCH && master_fd >= 0) {
			tty_copy_size(STDIN_FILENO, master_fd);
		} else {
			(void)kill(pid, (int)info.ssi_signo);
		}
	}
	return false;
}

/* What the program wrote before its end is still to be read from its terminal. */
static void drain(struct pump *out)
{
	while (out->from >= 0 || out->len) {
		struct pollfd ready = pump_wants(out);

		if (poll(&ready, 1, DRAIN_MS) <= 0)
			return;
		pump_step(out, ready.revents);
	}
}

/*
 * Later messages are read, too, and dropped: a program that goes on sending must not
 * find its socket full.
 */
static void pass_readiness(struct notify *notify)
{
	struct err why;

	if (!notify_drain(notify) || notify->host_fd < 0)
		return;
	if (notify_tell(notify, getpid(), &why) < 0)
		log_warn("%s", why.text);
	(void)close(take_fd(&notify->host_fd));
}

static int loop(struct foreground *foreground, pid_t pid, int master_fd, struct pump pumps[2])
{
	struct notify *notify = foreground->notify;
	int status = 0;

	if (reap(pid, &status))
		return status;
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = foreground->signal_fd, .events = POLLIN },
			pump_wants(&pumps[0]),
			pump_wants(&pumps[1]),
			{ .fd = notify ? notify->container_fd : -1, .events = POLLIN },
		};

		if (poll(fds, ARRAY_LEN(fds), -1) < 0 && errno != EINTR)
			return status;
		for (size_t i = 0; i < 2; i++)
			pump_step(&pumps[i], fds[1 + i].revents);
		if (fds[3].revents)
			pass_readiness(notify);
		if (fds[0].revents &&
		    handle_signals(foreground->signal_fd, pid, master_fd, &status))
			return status;
	}
}

int foreground_wait(struct foreground *foreground, pid_t pid, int master_fd, int *ret_status,
		    struct err *err)
{
	static struct pump pumps[2];
	bool raw = false;
	int status;

	(void)err;
	pumps[0] = (struct pump){ .from = master_fd < 0 ? -1 : STDIN_FILENO, .to = master_fd };
	pumps[1] = (struct pump){ .from = master_fd, .to = STDOUT_FILENO };
	if (master_fd >= 0) {
		(void)fcntl(master_fd, F_SETFL, O_NONBLOCK);
		tty_copy_size(STDIN_FILENO, master_fd);
		raw = tty_make_raw(STDIN_FILENO);
	}
	status = loop(foreground, pid, master_fd, pumps);
	drain(&pumps[1]);
	if (foreground->notify && foreground->notify->container_fd >= 0)
		pass_readiness(foreground->notify); /* of a program that ended at once */
	if (raw)
		tty_restore(STDIN_FILENO);
	*ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return 0;
}

void foreground_done(struct foreground *foreground)
{
	drop_fd(&foreground->signal_fd);
}
