/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/net.h"

#include <errno.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/scope.h"

int net_raise_loopback(struct err *err)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	autoclose int fd = -1;

	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_errno(err, errno, "socket");
	return ioctl(fd, SIOCSIFFLAGS, &request) < 0 ? err_errno(err, errno, "bring lo up") : 0;
}
