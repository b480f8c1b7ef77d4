/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* seccomp - loads a filter that the plan has compiled, and sends its listener on (R168-R181). */
#ifndef HOST_SECCOMP_H
#define HOST_SECCOMP_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct seccomp_plan {
	struct sock_filter *program;
	size_t len;	/* instructions; 0: no filter */
	unsigned flags; /* SECCOMP_FILTER_FLAG_... */
	bool notify;	/* has a listener for listener_path */
	const char *listener_path, *listener_metadata;
};

/* Loads it into the caller; *@ret_notify_fd: the listener, or -1. */
int seccomp_load_filter(const struct seccomp_plan *plan, int *ret_notify_fd, struct err *err);

/* Sends @notify_fd with the container process state, of which @state_json is the state (R178). */
int seccomp_send_listener(const struct seccomp_plan *plan, int notify_fd, pid_t pid,
			  const char *state_json, struct err *err);

/* True when the running kernel takes SECCOMP_FILTER_FLAG_... @flag. */
bool seccomp_has_flag(unsigned flag);

#endif
