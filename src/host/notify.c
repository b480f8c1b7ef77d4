/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"

enum { HOST_DEADLINE_S = 30, MESSAGE_MAX = 4096 };

const char *notify_host_address(void)
{
	const char *address = getenv("NOTIFY_SOCKET");

	return address && *address ? address : NULL;
}

int notify_check(const char *address, struct err *err)
{
	const struct sockaddr_un *any = NULL;

	if ((*address != '/' && *address != '@') || !address[1])
		return err_set(err, "NOTIFY_SOCKET: \"%s\" is neither an absolute path nor @NAME",
			       address);
	if (*address == '@' && strlen(address) > sizeof(any->sun_path))
		return err_set(err, "NOTIFY_SOCKET: \"%.60s...\" is too long for a socket",
			       address);
	return 0;
}

static int connect_abstract(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
	autoclose int fd = -1;

	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	memcpy(address.sun_path + 1, name, strlen(name)); /* notify_check(): it fits */
	if (connect(fd, (struct sockaddr *)&address, len) < 0)
		return -errno;
	return take_fd(&fd);
}

static int connect_host(const char *address, struct err *err)
{
	const struct timeval limit = { .tv_sec = HOST_DEADLINE_S };
	int fd = *address == '@' ? connect_abstract(address + 1) :
				   fd_connect_unix(address, SOCK_DGRAM);

	if (fd < 0)
		return err_errno(err, fd, "NOTIFY_SOCKET: connect to %s", address);
	/* a manager that does not read must not hold us for ever */
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	return fd;
}

/* Bound through the directory's descriptor: a state root may be longer than sun_path. */
static int bind_in(int dir_fd)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	autoclose int fd = -1;

	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	(void)snprintf(address.sun_path, sizeof(address.sun_path),
		       "/proc/self/fd/%d/" NOTIFY_SOCKET_NAME, dir_fd);
	(void)unlinkat(dir_fd, NOTIFY_SOCKET_NAME, 0); /* of a start that was interrupted */
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	/* any user of the container may be the one who notifies */
	if (fchmodat(dir_fd, NOTIFY_SOCKET_NAME, 0777, 0) < 0)
		return -errno;
	return take_fd(&fd);
}

int notify_open(const char *address, int dir_fd, struct notify *ret, struct err *err)
{
	*ret = NOTIFY_NONE;
	ret->host_fd = connect_host(address, err);
	if (ret->host_fd < 0)
		return -1;
	ret->container_fd = bind_in(dir_fd);
	return ret->container_fd < 0 ?
		       err_errno(err, ret->container_fd, "bind the container's NOTIFY_SOCKET") :
		       0;
}

static bool has_ready_line(char *message)
{
	const char *line;

	while ((line = strsep(&message, "\n")))
		if (str_eq(line, "READY=1"))
			return true;
	return false;
}

bool notify_drain(const struct notify *notify)
{
	char message[MESSAGE_MAX + 1];
	bool ready = false;
	ssize_t n;

	/* without room for control messages the kernel closes the descriptors among them */
	while ((n = recv(notify->container_fd, message, MESSAGE_MAX, MSG_DONTWAIT)) >= 0 ||
	       errno == EINTR) {
		message[n > 0 ? n : 0] = '\0';
		ready |= has_ready_line(message);
	}
	return ready;
}

int notify_tell(const struct notify *notify, pid_t main_pid, struct err *err)
{
	char message[64];
	int len = snprintf(message, sizeof(message), "READY=1\nMAINPID=%d", (int)main_pid), code;

	code = fd_send(notify->host_fd, message, (size_t)len, NULL, 0);
	return code < 0 ? err_errno(err, code, "NOTIFY_SOCKET: tell that the container is ready") :
			  0;
}

int notify_barrier(const struct notify *notify, struct err *err)
{
	static const char barrier[] = "BARRIER=1";
	autoclose int read_end = -1;
	autoclose int write_end = -1;
	struct pollfd closed;
	int ends[2], code;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_errno(err, errno, "pipe");
	read_end = ends[0];
	write_end = ends[1];
	code = fd_send(notify->host_fd, barrier, sizeof(barrier) - 1, &write_end, 1);
	if (code < 0)
		return err_errno(err, code, "NOTIFY_SOCKET: send the barrier");
	(void)close(take_fd(&write_end));
	closed = (struct pollfd){ .fd = read_end };
	do
		code = poll(&closed, 1, HOST_DEADLINE_S * 1000);
	while (code < 0 && errno == EINTR);
	return code == 1 ? 0 :
			   err_set(err, "NOTIFY_SOCKET: barrier not passed within %d s",
				   HOST_DEADLINE_S);
}

void notify_close(struct notify *notify)
{
	drop_fd(&notify->host_fd);
	drop_fd(&notify->container_fd);
}
