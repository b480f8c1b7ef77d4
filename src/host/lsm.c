/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Labels go through files of the kernel, one write each, reached over a procfs that
 * the container cannot have tampered with.  libselinux does the same over the
 * /proc it finds, and so isn't used.
 */
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

/* An O_PATH descriptor of selinuxfs, which is there only when SELinux is enabled; or -1. */
static int open_selinuxfs(void)
{
	autoclose int fd = -1;
	struct statfs fs;

	fd = open("/sys/fs/selinux", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstatfs(fd, &fs) < 0 || (unsigned long)fs.f_type != SELINUX_MAGIC)
		return -1;
	return take_fd(&fd);
}

bool lsm_has_selinux(void)
{
	autoclose int fd = -1;

	fd = open_selinuxfs();
	return fd >= 0;
}

bool lsm_has_apparmor(void)
{
	autoclose int fd = -1;
	char answer = 'N';

	fd = open("/sys/module/apparmor/parameters/enabled", O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, &answer, 1) == 1 && answer == 'Y';
}

int lsm_check_selinux(const char *label, struct err *err)
{
	autoclose int fs_fd = -1;
	autoclose int fd = -1;
	size_t size = strlen(label) + 1;

	fs_fd = open_selinuxfs();
	if (fs_fd >= 0)
		fd = openat(fs_fd, "context", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || write(fd, label, size) == (ssize_t)size || errno == EACCES || errno == EPERM)
		return 0;
	return err_errno(err, errno, "\"%s\" is no context of this host's SELinux policy", label);
}

/*
 * attr/apparmor belongs to AppArmor alone; attr/exec to whichever module is first, and
 * kernels before 5.8 have nothing else.
 */
static int set_apparmor(const char *profile, int proc_fd, struct err *err)
{
	const char *path = "thread-self/attr/apparmor/exec";
	char command[4096]; /* the kernel takes less than a page */
	int code;

	if (snprintf(command, sizeof(command), "exec %s", profile) >= (int)sizeof(command))
		return err_set(err, "process.apparmorProfile: too long");
	if (faccessat(proc_fd, path, F_OK, 0) < 0)
		path = "thread-self/attr/exec";
	code = proc_write(proc_fd, path, command);
	if (code == -ENOENT)
		return err_errno(err, code, "process.apparmorProfile: profile \"%s\" is not loaded",
				 profile);
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
