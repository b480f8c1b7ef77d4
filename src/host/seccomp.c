/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/seccomp.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/scope.h"

#include <ocispec.h>

int seccomp_load_filter(const struct seccomp_plan *plan, int *ret_notify_fd, struct err *err)
{
	const struct sock_fprog program = { (unsigned short)plan->len, plan->program };
	unsigned flags = plan->flags | (plan->notify ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0);
	long result;

	*ret_notify_fd = -1;
	log_debug("seccomp filter flags: %u", flags);
	result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	if (result < 0)
		return err_errno(err, errno, "linux.seccomp: load the filter");
	if (plan->notify)
		*ret_notify_fd = (int)result;
	return 0;
}

/* The filter's address is bad on purpose: EFAULT says that the flag was understood. */
bool seccomp_has_flag(unsigned flag)
{
	if (flag & SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
		flag |= SECCOMP_FILTER_FLAG_NEW_LISTENER; /* invalid without it */
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flag, NULL) < 0 && errno == EFAULT;
}

int seccomp_send_listener(const struct seccomp_plan *plan, int notify_fd, pid_t pid,
			  const char *state_json, struct err *err)
{
	autofree char *text = NULL;
	autoclose int fd = -1;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int code;

	if (!out)
		return err_errno(err, ENOMEM, "linux.seccomp.listenerPath");
	(void)fprintf(out,
		      "{\"ociVersion\":\"" OCISPEC_VERSION
		      "\",\"fds\":[\"seccompFd\"],\"pid\":%d,\"metadata\":",
		      (int)pid);
	ocispec_write_string(out, plan->listener_metadata ? plan->listener_metadata : "");
	(void)fprintf(out, ",\"state\":%s}", state_json);
	if (fclose(out) != 0)
		return err_errno(err, ENOMEM, "linux.seccomp.listenerPath");
	fd = fd_connect_unix(plan->listener_path, SOCK_STREAM);
	if (fd < 0)
		return err_errno(
			err, fd,
			"linux.seccomp.listenerPath: failed to connect with seccomp agent specified in %s",
			plan->listener_path);
	code = fd_send(fd, text, size, &notify_fd, 1);
	return code < 0 ?
		       err_errno(err, code, "linux.seccomp.listenerPath: send the listener to %s",
				 plan->listener_path) :
		       0;
}
