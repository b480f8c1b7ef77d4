/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/lsm.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/scope.h"
#include "host/proc.h"

bool lsm_has_selinux(void)
{
	struct statfs fs;

	return statfs("/sys/fs/selinux", &fs) == 0 && (unsigned long)fs.f_type == SELINUX_MAGIC;
}

bool lsm_has_apparmor(void)
{
	autoclose int fd = -1;
	char answer = 'N';

	fd = open("/sys/module/apparmor/parameters/enabled", O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, &answer, 1) == 1 && answer == 'Y';
}

static int set_apparmor(const char *profile, int proc_fd, struct err *err)
{
	char command[512];
	int code;

	(void)snprintf(command, sizeof(command), "exec %s", profile);
	code = proc_write(proc_fd, "thread-self/attr/apparmor/exec", command);
	if (code == -ENOENT || code == -ELOOP)
		code = proc_write(proc_fd, "thread-self/attr/exec", command);
	return code < 0 ? err_errno(err, code, "process.apparmorProfile: apply \"%s\"", profile) :
			  0;
}

int lsm_set_key_label(const char *label, int proc_fd, struct err *err)
{
	int code = proc_write(proc_fd, "thread-self/attr/keycreate", label);

	return code < 0 ? err_errno(err, code, "process.selinuxLabel: label keys \"%s\"", label) :
			  0;
}

int lsm_set_exec(const char *selinux_label, const char *apparmor_profile, int proc_fd,
		 struct err *err)
{
	int code;

	if (apparmor_profile && *apparmor_profile &&
	    set_apparmor(apparmor_profile, proc_fd, err) < 0)
		return -1;
	if (!selinux_label || !*selinux_label)
		return 0;
	code = proc_write(proc_fd, "thread-self/attr/exec", selinux_label);
	return code < 0 ?
		       err_errno(err, code, "process.selinuxLabel: apply \"%s\"", selinux_label) :
		       0;
}
