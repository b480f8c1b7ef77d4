/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * netdev - network devices of the host that a container gets (runtime-spec
 * config-linux.md "Network Devices").
 *
 * The kernel takes a device down and its addresses away when it moves to another
 * network namespace; the permanent ones of global scope are put back there, and the
 * device is brought up.  With the namespace a physical device returns to the host by
 * itself, a virtual one ends: rung takes nothing back but from a create that failed.
 */
#ifndef HOST_NETDEV_H
#define HOST_NETDEV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct netdev_plan {
	const char *name;      /* on the host */
	const char *new_name;  /* in the container; may hold one "%d" for the kernel to fill in */
	const char *json_path; /* "linux.netDevices.eth0" */
};

struct netdev_address;

/* A device on its way; zeroed before. */
struct netdev_move {
	const struct netdev_plan *plan;
	unsigned host_index, index; /* before, and in the container's namespace */
	bool was_up, moved;
	struct netdev_address *addresses; /* a list, owned */
};

/* The sockets of both sides; they keep the container's namespace until they are closed. */
struct netdev_sides {
	int host_fd, container_fd; /* netlink */
	int host_ns_fd, container_ns_fd;
};

#define NETDEV_SIDES_NONE       \
	((struct netdev_sides){ \
		.host_fd = -1, .container_fd = -1, .host_ns_fd = -1, .container_ns_fd = -1 })

/*
 * Opens both sides; @container_ns_fd, a network namespace, is taken.  Refuses the caller's own.
 * On failure @ret is none.
 */
int netdev_open(int container_ns_fd, struct netdev_sides *ret, struct err *err);
void netdev_close(struct netdev_sides *sides);

/*
 * Moves @plan's device into the container, gives it its name and addresses and brings it up.
 * On failure what is done so far is in @move, for netdev_return().
 */
int netdev_take(const struct netdev_sides *sides, const struct netdev_plan *plan,
		struct netdev_move *move, struct err *err);

/* Moves it back under its old name, with its addresses, up if it was; what fails is warned of. */
void netdev_return(const struct netdev_sides *sides, struct netdev_move *move);

/* Frees what @move holds. */
void netdev_done(struct netdev_move *move);

#endif
