/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/scope.h"

enum { READ_FIRST = 4096, SEND_FDS_MAX = 16 };

int fd_write_all(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

ssize_t fd_read_all(int fd, size_t limit, char **ret_text)
{
	size_t room = limit < READ_FIRST ? limit : READ_FIRST, len = 0;
	autofree char *text = malloc(room + 1);

	for (;;) {
		char *bigger;
		ssize_t n;

		if (!text)
			return -ENOMEM;
		n = read(fd, text + len, room + 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		len += (size_t)n;
		if (len > limit)
			return -EFBIG;
		if (n == 0)
			break;
		if (len <= room)
			continue;
		room = room > limit / 2 ? limit : room * 2;
		bigger = realloc(text, room + 1);
		if (!bigger)
			return -ENOMEM;
		text = bigger;
	}
	text[len] = '\0';
	*ret_text = take_ptr(text);
	return (ssize_t)len;
}

ssize_t fd_read_file(int dir_fd, const char *path, size_t limit, char **ret_text)
{
	autoclose int fd = -1;

	fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd_read_all(fd, limit, ret_text);
}

ssize_t fd_read_small(int dir_fd, const char *path, char text[FD_SMALL])
{
	autoclose int fd = -1;
	ssize_t n;

	fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, FD_SMALL - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	return n;
}

int fd_write_file(int dir_fd, const char *path, const char *text)
{
	autoclose int fd = -1;
	size_t len = strlen(text);
	ssize_t n;

	fd = openat(dir_fd, path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	do
		n = write(fd, text, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

int fd_send(int socket_fd, const void *data, size_t len, const int *fds, size_t count)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(SEND_FDS_MAX * sizeof(int))];
	} control = { .head = { 0 } };
	struct iovec bytes = { (void *)data, len };
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };
	ssize_t n;

	if (count > SEND_FDS_MAX)
		return -E2BIG;
	if (count) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.head =
			(struct cmsghdr){ CMSG_LEN(count * sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.head), fds, count * sizeof(int));
	}
	do
		n = sendmsg(socket_fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

bool fd_is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

int fd_cloexec_from(unsigned first)
{
	return syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC) < 0 ? -errno : 0;
}

/* From @first to the next of @keep, and so on from behind it. */
int fd_close_others(unsigned first, const int *keep, size_t count)
{
	for (;;) {
		unsigned next = UINT_MAX;

		for (size_t i = 0; i < count; i++)
			if (keep[i] >= 0 && (unsigned)keep[i] >= first && (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next > first && syscall(SYS_close_range, first, next - 1, 0) < 0)
			return -errno;
		if (next == UINT_MAX)
			return 0;
		first = next + 1;
	}
}

int fd_connect_unix(const char *path, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	autoclose int at_fd = -1;
	autoclose int fd = -1;

	fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (strlen(path) < sizeof(address.sun_path)) {
		strcpy(address.sun_path, path);
	} else {
		/* sun_path holds 107 bytes; a descriptor's own path is always short */
		at_fd = open(path, O_PATH | O_CLOEXEC);
		if (at_fd < 0)
			return -errno;
		(void)snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d",
			       at_fd);
	}
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return take_fd(&fd);
}
