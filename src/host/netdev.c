/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/netdev.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/scope.h"
#include "base/sys.h"
#include "host/netlink.h"
#include "host/ns.h"

enum { ATTRIBUTES_MAX = 256, FIRST_FREE_INDEX = 10000, INDEX_TRIES = 64 };

/* What the kernel sets by itself, or would start over. */
enum { FLAGS_OF_STATE = IFA_F_PERMANENT | IFA_F_TENTATIVE | IFA_F_DADFAILED | IFA_F_DEPRECATED };

/* An address as the kernel has told it, to be told back. */
struct netdev_address {
	struct netdev_address *next;
	struct ifaddrmsg head;
	size_t len;
	_Alignas(struct rtattr) char attributes[ATTRIBUTES_MAX];
};

static int open_in(int ns_fd, int own_ns_fd, struct err *err)
{
	int code = sys_setns(ns_fd, CLONE_NEWNET), fd;

	if (code < 0)
		return err_errno(err, code,
				 "linux.netDevices: enter the container's network namespace");
	fd = netlink_open(err);
	code = sys_setns(own_ns_fd, CLONE_NEWNET);
	if (code == 0)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return err_errno(err, code, "linux.netDevices: return to the host's network namespace");
}

int netdev_open(int container_ns_fd, struct netdev_sides *ret, struct err *err)
{
	*ret = NETDEV_SIDES_NONE;
	ret->container_ns_fd = container_ns_fd;
	if (ns_is_own(NS_NET, container_ns_fd))
		(void)err_set(
			err,
			"linux.netDevices: unable to move network devices without a private NET namespace: the container's is the runtime's own");
	else if ((ret->host_ns_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC)) < 0)
		(void)err_errno(err, errno, "open /proc/self/ns/net");
	else if ((ret->host_fd = netlink_open(err)) >= 0 &&
		 (ret->container_fd = open_in(container_ns_fd, ret->host_ns_fd, err)) >= 0)
		return 0;
	netdev_close(ret);
	return -1;
}

void netdev_close(struct netdev_sides *sides)
{
	drop_fd(&sides->host_fd);
	drop_fd(&sides->container_fd);
	drop_fd(&sides->host_ns_fd);
	drop_fd(&sides->container_ns_fd);
}

static int read_link(const struct nlmsghdr *message, void *context)
{
	const struct ifinfomsg *link = NLMSG_DATA(message);
	struct netdev_move *move = context;

	move->host_index = (unsigned)link->ifi_index;
	move->was_up = link->ifi_flags & IFF_UP;
	return 0;
}

static int find(int fd, const char *name, struct netdev_move *move)
{
	const struct ifinfomsg any = { 0 };
	struct netlink_request request;

	netlink_begin(&request, RTM_GETLINK, &any, sizeof(any));
	netlink_add(&request, IFLA_IFNAME, name, strlen(name) + 1);
	return netlink_ask(fd, &request, 0, read_link, move);
}

static bool is_there(int fd, unsigned index)
{
	const struct ifinfomsg link = { .ifi_index = (int)index };
	struct netlink_request request;

	netlink_begin(&request, RTM_GETLINK, &link, sizeof(link));
	return netlink_ask(fd, &request, 0, NULL, NULL) == 0;
}

/* Labels begin with the name that the device had, lifetimes are those of permanent addresses. */
static bool is_kept(const struct rtattr *attribute)
{
	switch (attribute->rta_type) {
	case IFA_ADDRESS:
	case IFA_LOCAL:
	case IFA_BROADCAST:
	case IFA_RT_PRIORITY:
		return true;
	default:
		return false;
	}
}

static void keep_attributes(struct netdev_address *address, const struct nlmsghdr *message,
			    unsigned *flags)
{
	const struct rtattr *at = IFA_RTA((const struct ifaddrmsg *)NLMSG_DATA(message));
	int left = (int)IFA_PAYLOAD(message);

	for (; RTA_OK(at, left); at = RTA_NEXT(at, left)) {
		size_t size = RTA_ALIGN(at->rta_len);

		if (at->rta_type == IFA_FLAGS)
			memcpy(flags, RTA_DATA(at), sizeof(*flags));
		if (!is_kept(at) || address->len + size > sizeof(address->attributes))
			continue;
		memcpy(address->attributes + address->len, at, at->rta_len);
		address->len += size;
	}
}

static int read_address(const struct nlmsghdr *message, void *context)
{
	const struct ifaddrmsg *head = NLMSG_DATA(message);
	struct netdev_move *move = context;
	struct netdev_address *address, **end = &move->addresses;
	unsigned flags = head->ifa_flags;

	if (head->ifa_index != move->host_index || head->ifa_scope != RT_SCOPE_UNIVERSE)
		return 0;
	address = calloc(1, sizeof(*address));
	if (!address)
		return -ENOMEM;
	address->head = *head;
	keep_attributes(address, message, &flags);
	if (!(flags & IFA_F_PERMANENT)) {
		free(address);
		return 0;
	}
	address->head.ifa_flags = (unsigned char)(flags & 0xff & ~(unsigned)FLAGS_OF_STATE);
	while (*end)
		end = &(*end)->next;
	*end = address;
	return 0;
}

static int read_addresses(int fd, struct netdev_move *move)
{
	const struct ifaddrmsg any = { 0 };
	struct netlink_request request;

	netlink_begin(&request, RTM_GETADDR, &any, sizeof(any));
	return netlink_ask(fd, &request, NLM_F_DUMP, read_address, move);
}

static int add_address(int fd, const struct netdev_address *address, unsigned index, char why[128])
{
	const struct rtattr *at = (const struct rtattr *)(const void *)address->attributes;
	struct ifaddrmsg head = address->head;
	struct netlink_request request;
	int left = (int)address->len;

	head.ifa_index = index;
	netlink_begin(&request, RTM_NEWADDR, &head, sizeof(head));
	for (; RTA_OK(at, left); at = RTA_NEXT(at, left))
		netlink_add(&request, at->rta_type, RTA_DATA(at), RTA_PAYLOAD(at));
	return netlink_do(fd, &request, NLM_F_CREATE | NLM_F_REPLACE, why);
}

static int set_up(int fd, unsigned index, char why[128])
{
	const struct ifinfomsg up = { .ifi_index = (int)index,
				      .ifi_flags = IFF_UP,
				      .ifi_change = IFF_UP };
	struct netlink_request request;

	netlink_begin(&request, RTM_NEWLINK, &up, sizeof(up));
	return netlink_do(fd, &request, 0, why);
}

struct journey {
	int fd;	   /* of the side that it leaves */
	int ns_fd; /* to arrive in */
	unsigned index;
	const char *name;
};

/* It arrives as @index and is down: only then may it be renamed. */
static int move_link(const struct journey *journey, unsigned index)
{
	const struct ifinfomsg down = { .ifi_index = (int)journey->index, .ifi_change = IFF_UP };
	struct netlink_request request;

	netlink_begin(&request, RTM_NEWLINK, &down, sizeof(down));
	netlink_add(&request, IFLA_NET_NS_FD, &journey->ns_fd, sizeof(journey->ns_fd));
	netlink_add(&request, IFLA_IFNAME, journey->name, strlen(journey->name) + 1);
	netlink_add(&request, IFLA_NEW_IFINDEX, &index, sizeof(index));
	return netlink_do(journey->fd, &request, 0, NULL);
}

/*
 * The number is chosen here, so that the device is known whatever its name becomes: its old one
 * or, where that is taken, another that is free.  0 or -errno.
 */
static int travel(const struct journey *journey, unsigned *ret_index)
{
	int code = -EBUSY;

	for (unsigned i = 0; code == -EBUSY && i < INDEX_TRIES; i++) {
		*ret_index = i ? FIRST_FREE_INDEX + journey->index + i : journey->index;
		code = move_link(journey, *ret_index);
	}
	return code;
}

static int fail(const struct netdev_plan *plan, int code, const char *what, const char *why,
		struct err *err)
{
	return err_errno(err, code, "%s: %s %s%s%s%s", plan->json_path, what, plan->name,
			 *why ? " (" : "", why, *why ? ")" : "");
}

static int furnish(const struct netdev_sides *sides, const struct netdev_move *move,
		   struct err *err)
{
	char why[128];
	int code;

	for (const struct netdev_address *a = move->addresses; a; a = a->next) {
		code = add_address(sides->container_fd, a, move->index, why);
		if (code < 0)
			return fail(move->plan, code, "give its address back to", why, err);
	}
	code = set_up(sides->container_fd, move->index, why);
	return code < 0 ? fail(move->plan, code, "bring up", why, err) : 0;
}

int netdev_take(const struct netdev_sides *sides, const struct netdev_plan *plan,
		struct netdev_move *move, struct err *err)
{
	struct journey journey = { sides->host_fd, sides->container_ns_fd, 0, plan->new_name };
	int code;

	move->plan = plan;
	code = find(sides->host_fd, plan->name, move);
	if (code < 0)
		return fail(plan, code, "find network device", "", err);
	code = read_addresses(sides->host_fd, move);
	if (code < 0)
		return fail(plan, code, "read the addresses of", "", err);
	journey.index = move->host_index;
	code = travel(&journey, &move->index);
	/* the kernel moves first and gives the new name then, which may be refused */
	move->moved = code == 0 || !is_there(sides->host_fd, move->host_index);
	if (code == -EEXIST)
		return err_set(err, "%s: a network device %s is in the container already",
			       plan->json_path, plan->new_name);
	if (code < 0)
		return fail(plan, code, "move network device", "", err);
	return furnish(sides, move, err);
}

void netdev_return(const struct netdev_sides *sides, struct netdev_move *move)
{
	struct journey journey = { sides->container_fd, sides->host_ns_fd, move->index, NULL };
	unsigned index = 0;
	int code;

	if (!move->moved)
		return;
	journey.name = move->plan->name;
	code = travel(&journey, &index);
	for (const struct netdev_address *a = move->addresses; code == 0 && a; a = a->next)
		code = add_address(sides->host_fd, a, index, NULL);
	if (code == 0 && move->was_up)
		code = set_up(sides->host_fd, index, NULL);
	if (code < 0)
		log_warn("%s: return network device %s to the host: %s", move->plan->json_path,
			 move->plan->name, strerror(-code));
	move->moved = false;
}

void netdev_done(struct netdev_move *move)
{
	while (move->addresses) {
		struct netdev_address *next = move->addresses->next;

		free(move->addresses);
		move->addresses = next;
	}
}
