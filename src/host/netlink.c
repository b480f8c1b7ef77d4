/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/netlink.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/scope.h"

enum { DEADLINE_S = 5, ANSWER_ROOM = 32768 };

int netlink_open(struct err *err)
{
	const struct timeval deadline = { .tv_sec = DEADLINE_S };
	const int yes = 1;
	autoclose int fd = -1;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof(deadline)) < 0)
		return err_errno(err, errno, "netlink socket");
	(void)setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &yes, sizeof(yes));
	(void)setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &yes, sizeof(yes));
	return take_fd(&fd);
}

void netlink_begin(struct netlink_request *request, unsigned short type, const void *body,
		   size_t size)
{
	memset(request, 0, sizeof(*request));
	request->head.nlmsg_type = type;
	request->head.nlmsg_len = (unsigned)NLMSG_LENGTH(size);
	memcpy(NLMSG_DATA(&request->head), body, size);
}

void netlink_add(struct netlink_request *request, unsigned short type, const void *data,
		 size_t size)
{
	struct rtattr *attribute =
		(struct rtattr *)(void *)(request->room + NLMSG_ALIGN(request->head.nlmsg_len));

	if (NLMSG_ALIGN(request->head.nlmsg_len) + RTA_SPACE(size) > sizeof(request->room))
		return; /* callers add a handful of small ones */
	attribute->rta_type = type;
	attribute->rta_len = (unsigned short)RTA_LENGTH(size);
	if (size)
		memcpy(RTA_DATA(attribute), data, size);
	request->head.nlmsg_len =
		(unsigned)(NLMSG_ALIGN(request->head.nlmsg_len) + RTA_ALIGN(attribute->rta_len));
}

static int send_request(int fd, struct netlink_request *request, unsigned short flags)
{
	static const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t n;

	request->head.nlmsg_flags = (unsigned short)(NLM_F_REQUEST | flags);
	request->head.nlmsg_seq++;
	do
		n = sendto(fd, request, request->head.nlmsg_len, 0,
			   (const struct sockaddr *)&kernel, sizeof(kernel));
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* The kernel's words follow its verdict as an attribute (NETLINK_EXT_ACK). */
static void read_why(const struct nlmsghdr *message, char why[128])
{
	const struct nlmsgerr *verdict = NLMSG_DATA(message);
	const struct rtattr *at = (const struct rtattr *)(const void *)(verdict + 1);
	int left = (int)message->nlmsg_len - (int)NLMSG_LENGTH(sizeof(*verdict));

	if (!why || !(message->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	for (; RTA_OK(at, left); at = RTA_NEXT(at, left))
		if (at->rta_type == NLMSGERR_ATTR_MSG)
			(void)snprintf(why, 128, "%.*s", (int)RTA_PAYLOAD(at),
				       (const char *)RTA_DATA(at));
}

struct answer {
	netlink_reader *reader;
	void *context;
	bool many;
	char *why;
	bool done;
};

/* One message of the answer: 0 to go on, with @answer->done set at the end. */
static int take_message(struct answer *answer, const struct nlmsghdr *message)
{
	const struct nlmsgerr *verdict = NLMSG_DATA(message);
	int code;

	switch (message->nlmsg_type) {
	case NLMSG_ERROR:
		answer->done = true;
		read_why(message, answer->why);
		return verdict->error;
	case NLMSG_DONE:
		answer->done = true;
		return 0;
	default:
		code = answer->reader ? answer->reader(message, answer->context) : 0;
		answer->done = code || !answer->many;
		return code;
	}
}

static int receive(int fd, unsigned sequence, struct answer *answer)
{
	_Alignas(struct nlmsghdr) char room[ANSWER_ROOM];
	int code = 0;

	while (!answer->done) {
		const struct nlmsghdr *message = (const struct nlmsghdr *)(const void *)room;
		ssize_t n = recv(fd, room, sizeof(room), 0);
		size_t left = (size_t)n;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		for (; code == 0 && !answer->done && NLMSG_OK(message, left);
		     message = NLMSG_NEXT(message, left))
			if (message->nlmsg_seq == sequence)
				code = take_message(answer, message);
	}
	return code;
}

int netlink_do(int fd, struct netlink_request *request, unsigned short flags, char why[128])
{
	struct answer answer = { .many = true, .why = why };
	int code;

	if (why)
		*why = '\0';
	code = send_request(fd, request, (unsigned short)(NLM_F_ACK | flags));
	return code < 0 ? code : receive(fd, request->head.nlmsg_seq, &answer);
}

int netlink_ask(int fd, struct netlink_request *request, unsigned short flags,
		netlink_reader *reader, void *context)
{
	struct answer answer = { .reader = reader,
				 .context = context,
				 .many = (flags & NLM_F_DUMP) == NLM_F_DUMP };
	int code = send_request(fd, request, flags);

	return code < 0 ? code : receive(fd, request->head.nlmsg_seq, &answer);
}
