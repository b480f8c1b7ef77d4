/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spawn - a clone of the caller, born in its namespaces and its cgroup. */
#ifndef HOST_SPAWN_H
#define HOST_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct spawn_request {
	int flags;     /* CLONE_NEW... */
	int cgroup_fd; /* directory of the cgroup to be born in, -1: the caller's */
	bool sibling;  /* child of the caller's parent */
};

/*
 * clone3(2).  Returns the child's pid, with a pidfd in *@ret_pid_fd (unless that
 * is NULL), 0 in the child, or -1 with @err set and its code the kernel's.
 * The child has copies of the caller's memory and descriptors.
 */
pid_t spawn_clone(const struct spawn_request *request, int *ret_pid_fd, struct err *err);

/* Sends SIGKILL through @pid_fd and reaps the child @pid; both may be gone already. */
void spawn_kill(pid_t pid, int pid_fd);

/*
 * "killed by signal 9 (Killed)" or "exit status 1": how the child @pid, which
 * ends now, ended.  Reaps it.  Waits at most @deadline_ms.
 */
void spawn_describe_end(pid_t pid, int pid_fd, int deadline_ms, char text[80]);

#endif
