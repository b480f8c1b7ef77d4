/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * notify - between a container's sd_notify(3) and that of its host (R258).
 *
 * The container's program sends to a socket of the runtime's, of whose messages one
 * line counts: READY=1.  The host is told of it with the main process that the
 * runtime names.  Nothing else of the container's reaches the service manager: not
 * MAINPID, by which it could point to a process that is not its own, nor descriptors.
 */
#ifndef HOST_NOTIFY_H
#define HOST_NOTIFY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* The socket's name in the directory that the container gets. */
#define NOTIFY_SOCKET_NAME "notify.sock"

struct notify {
	int host_fd;	  /* connected to the host's socket */
	int container_fd; /* -1: nothing is proxied */
};

#define NOTIFY_NONE ((struct notify){ .host_fd = -1, .container_fd = -1 })

/* Where the service manager of the caller listens, NOTIFY_SOCKET; NULL: nowhere. */
const char *notify_host_address(void);

/* Whether @address is one: a path that starts with '/', or '@' and an abstract name. */
int notify_check(const char *address, struct err *err);

/*
 * Connects to the host's @address, checked, and binds NOTIFY_SOCKET_NAME in the
 * directory @dir_fd, where all may send to it.  notify_close() is due in any case.
 */
int notify_open(const char *address, int dir_fd, struct notify *ret, struct err *err);

/* Reads what has come, without waiting; true when READY=1 was among it. */
bool notify_drain(const struct notify *notify);

/*
 * Tells the host READY=1 and MAINPID=@main_pid in one message: its manager never sees
 * the one without the other, and takes both from whom NotifyAccess= allows now.
 */
int notify_tell(const struct notify *notify, pid_t main_pid, struct err *err);

/*
 * Waits until the host has worked on what it was told, or 30 s: a sender who ends
 * before that may no longer be known as a process of its service
 * (sd_notify_barrier(3)).
 */
int notify_barrier(const struct notify *notify, struct err *err);

/* Closes it; accepts NOTIFY_NONE. */
void notify_close(struct notify *notify);

#endif
