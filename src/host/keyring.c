/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/keyring.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"

int keyring_join(const char *id, struct err *err)
{
	char name[300];

	(void)snprintf(name, sizeof(name), "_ses.%s", id);
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, name) >= 0)
		return 0;
	switch (errno) {
	case ENOSYS:
	case EDQUOT:
	case EPERM:
	case EACCES:
		log_debug("session keyring %s: %s, ignored", name, strerror(errno));
		return 0;
	default:
		return err_errno(err, errno, "join session keyring %s", name);
	}
}
