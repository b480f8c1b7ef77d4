/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ns - the eight kinds of namespace: one table of facts, joining, unsharing.
 * Source: runtime-spec config-linux.md "Namespaces", namespaces(7).
 */
#ifndef HOST_NS_H
#define HOST_NS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * In the order of joining: the user namespace first, for it owns the others;
 * the mount namespace last, for joining it loses the paths of all others.
 */
enum ns_kind { NS_USER, NS_CGROUP, NS_IPC, NS_NET, NS_PID, NS_TIME, NS_UTS, NS_MOUNT, NS_KINDS };

struct ns_info {
	const char *oci;  /* linux.namespaces[].type */
	const char *proc; /* name under /proc/PID/ns */
	int flag;	  /* CLONE_NEW... */
};

extern const struct ns_info ns_info[NS_KINDS];

enum ns_how { NS_INHERIT, NS_NEW, NS_JOIN };

struct ns_request {
	enum ns_how how;
	const char *path; /* NS_JOIN: of the namespace file, in the caller's mount namespace */
};

struct ns_plan {
	struct ns_request of[NS_KINDS];
	const char *time_offsets; /* lines for /proc/self/timens_offsets, NULL: none */
};

/* True when the container gets a namespace of @kind that is not the caller's by inheritance. */
static inline bool ns_is_private(const struct ns_plan *plan, enum ns_kind kind)
{
	return plan->of[kind].how != NS_INHERIT;
}

/*
 * Opens the namespace file @path and checks that it is one of @kind.  Returns a
 * close-on-exec descriptor, or -1 with @err set.
 */
int ns_open(enum ns_kind kind, const char *path, struct err *err);

/* The same for the namespace of process @pid. */
int ns_open_of(enum ns_kind kind, pid_t pid, struct err *err);

/* True when @fd is the namespace of @kind that the caller is in. */
bool ns_is_own(enum ns_kind kind, int fd);

/* The CLONE_NEW... flags of all kinds in @plan that are to be made anew. */
int ns_new_flags(const struct ns_plan *plan);

/* True when @plan makes or joins a user namespace. */
bool ns_has_user(const struct ns_plan *plan);

#endif
