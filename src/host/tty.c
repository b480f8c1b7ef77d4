/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/tty.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scope.h"

static struct termios saved;

int tty_send_master(const char *path, int master_fd, struct err *err)
{
	static const char payload[] = "/dev/ptmx";
	autoclose int fd = -1;
	int code;

	fd = fd_connect_unix(path, SOCK_STREAM);
	code = fd < 0 ? fd : fd_send(fd, payload, strlen(payload), &master_fd, 1);
	return code < 0 ? err_errno(err, code, "send the terminal to console socket %s", path) : 0;
}

int tty_set_size(int fd, unsigned short height, unsigned short width, struct err *err)
{
	const struct winsize size = { .ws_row = height, .ws_col = width };

	return ioctl(fd, TIOCSWINSZ, &size) < 0 ? err_errno(err, errno, "process.consoleSize") : 0;
}

void tty_copy_size(int from_fd, int to_fd)
{
	struct winsize size;

	if (ioctl(from_fd, TIOCGWINSZ, &size) == 0)
		(void)ioctl(to_fd, TIOCSWINSZ, &size);
}

void tty_pass_newlines(int master_fd)
{
	struct termios mode;

	if (tcgetattr(master_fd, &mode) < 0)
		return;
	mode.c_oflag &= ~(tcflag_t)ONLCR;
	(void)tcsetattr(master_fd, TCSANOW, &mode);
}

bool tty_make_raw(int fd)
{
	struct termios raw;

	if (tcgetattr(fd, &saved) < 0)
		return false;
	raw = saved;
	cfmakeraw(&raw);
	raw.c_oflag |= saved.c_oflag & OPOST;
	return tcsetattr(fd, TCSANOW, &raw) == 0;
}

void tty_restore(int fd)
{
	(void)tcsetattr(fd, TCSANOW, &saved);
}
