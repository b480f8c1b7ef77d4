/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/scope.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

const struct ns_info ns_info[] = {
	[NS_USER] = { "user", "user", CLONE_NEWUSER },
	[NS_CGROUP] = { "cgroup", "cgroup", CLONE_NEWCGROUP },
	[NS_IPC] = { "ipc", "ipc", CLONE_NEWIPC },
	[NS_NET] = { "network", "net", CLONE_NEWNET },
	[NS_PID] = { "pid", "pid", CLONE_NEWPID },
	[NS_TIME] = { "time", "time", CLONE_NEWTIME },
	[NS_UTS] = { "uts", "uts", CLONE_NEWUTS },
	[NS_MOUNT] = { "mount", "mnt", CLONE_NEWNS },
};
_Static_assert(ARRAY_LEN(ns_info) == NS_KINDS, "a row for each ns_kind");

int ns_open(enum ns_kind kind, const char *path, struct err *err)
{
	autoclose int fd = -1;
	int type;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return err_errno(err, errno, "open %s namespace %s", ns_info[kind].oci, path);
	type = ioctl(fd, NS_GET_NSTYPE);
	if (type < 0)
		return err_set(err, "%s is not a namespace", path);
	if (type != ns_info[kind].flag)
		return err_set(err, "%s is not a %s namespace", path, ns_info[kind].oci);
	return take_fd(&fd);
}

int ns_open_of(enum ns_kind kind, pid_t pid, struct err *err)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, ns_info[kind].proc);
	return ns_open(kind, path, err);
}

bool ns_is_own(enum ns_kind kind, int fd)
{
	char path[64];
	struct stat own, other;

	(void)snprintf(path, sizeof(path), "/proc/self/ns/%s", ns_info[kind].proc);
	return stat(path, &own) == 0 && fstat(fd, &other) == 0 && own.st_dev == other.st_dev &&
	       own.st_ino == other.st_ino;
}

int ns_new_flags(const struct ns_plan *plan)
{
	int flags = 0;

	for (int kind = 0; kind < NS_KINDS; kind++)
		if (plan->of[kind].how == NS_NEW)
			flags |= ns_info[kind].flag;
	return flags;
}

bool ns_has_user(const struct ns_plan *plan)
{
	return plan->of[NS_USER].how != NS_INHERIT;
}
