/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * netlink - requests to rtnetlink(7), one at a time, each with a deadline.
 *
 * A few messages of two kinds are all that rung sends, which the kernel's own macros
 * serve as well as a library would.
 */
#ifndef HOST_NETLINK_H
#define HOST_NETLINK_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>

#include "base/err.h"

enum { NETLINK_ROOM = 4096 };

/* A request under construction. */
struct netlink_request {
	union {
		struct nlmsghdr head;
		char room[NETLINK_ROOM];
	};
};

/* A socket of the caller's network namespace that it keeps; -1 with @err set. */
int netlink_open(struct err *err);

/* Begins a request of @type with its fixed part, @size bytes at @body. */
void netlink_begin(struct netlink_request *request, unsigned short type, const void *body,
		   size_t size);

/* Adds an attribute of @size bytes, which must fit. */
void netlink_add(struct netlink_request *request, unsigned short type, const void *data,
		 size_t size);

/*
 * Sends @request with @flags (NLM_F_...) and waits at most 5 s for the kernel's verdict: 0 or
 * -errno.  @why (may be NULL) gets the kernel's words for a refusal, "" when it has none.
 */
int netlink_do(int fd, struct netlink_request *request, unsigned short flags, char why[128]);

/* Called for each message of an answer; what it returns ends the answer unless it is 0. */
typedef int netlink_reader(const struct nlmsghdr *message, void *context);

/*
 * Sends @request and hands its answer to @reader: one message, or with NLM_F_DUMP in @flags as
 * many as there are.  Returns 0, -errno, or what @reader has returned.
 */
int netlink_ask(int fd, struct netlink_request *request, unsigned short flags,
		netlink_reader *reader, void *context);

#endif
