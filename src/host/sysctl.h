/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sysctl - kernel parameters of the container's own namespaces (R164-R166). */
#ifndef HOST_SYSCTL_H
#define HOST_SYSCTL_H

#include <stddef.h>

#include "base/err.h"

struct sysctl_setting {
	const char *name; /* as the configuration has it */
	const char *path; /* "sys/net/ipv4/ip_forward", under a procfs */
	const char *value;
};

struct sysctl_plan {
	struct sysctl_setting *at;
	size_t len;
};

/* Writes all of them under @proc_fd (proc_open()) from within the container's namespaces. */
int sysctl_write_all(const struct sysctl_plan *plan, int proc_fd, struct err *err);

#endif
