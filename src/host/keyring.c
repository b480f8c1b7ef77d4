/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel finds a keyring by name for those who may search it, and gives a new
 * session keyring no such permission but to its possessors: without the change
 * below each exec would make one more of the same name.
 */
#include "host/keyring.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/scope.h"
#include "host/lsm.h"
#include "host/proc.h"

enum { USER_MAY_SEARCH = 0x00080000 }; /* KEY_USR_SEARCH of the kernel's linux/key.h */

static int make_searchable(long key)
{
	char text[512];
	unsigned permissions;
	long n = syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, text, sizeof(text));

	if (n < 0)
		return -errno;
	/* "keyring;UID;GID;PERMISSIONS;NAME" */
	if ((size_t)n > sizeof(text) || sscanf(text, "%*[^;];%*d;%*d;%x;", &permissions) != 1)
		return -EBADMSG;
	if (permissions & USER_MAY_SEARCH)
		return 0;
	return syscall(SYS_keyctl, KEYCTL_SETPERM, key, permissions | USER_MAY_SEARCH) < 0 ?
		       -errno :
		       0;
}

/* For keys made from now on; execve(2) clears it. */
static int label_keys(const char *label, struct err *err)
{
	autoclose int proc_fd = -1;

	if (!label)
		return 0;
	return proc_open(&proc_fd, err) < 0 ? -1 : lsm_set_key_label(label, proc_fd, err);
}

int keyring_join(const char *id, const char *label, struct err *err)
{
	char name[300];
	long key;
	int code;

	if (label_keys(label, err) < 0)
		return -1;
	(void)snprintf(name, sizeof(name), "_ses.%s", id);
	key = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, name);
	code = key < 0 ? -errno : make_searchable(key);
	switch (code) {
	case 0:
		return 0;
	case -ENOSYS:
	case -EDQUOT:
	case -EPERM:
	case -EACCES:
		log_warn("session keyring %s: %s, ignored", name, strerror(-code));
		return 0;
	default:
		return err_errno(err, code, "join session keyring %s", name);
	}
}
