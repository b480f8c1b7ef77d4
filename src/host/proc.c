/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/proc.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/sys.h"

static int open_private(void)
{
	autoclose int fs_fd = -1;
	int code;

	fs_fd = sys_fsopen("proc", FSOPEN_CLOEXEC);
	if (fs_fd < 0)
		return fs_fd;
	code = sys_fsconfig(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
	if (code < 0)
		return code;
	return sys_fsmount(fs_fd, FSMOUNT_CLOEXEC,
			   MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
}

int proc_open(int *ret_fd, struct err *err)
{
	int fd = open_private();

	if (fd < 0)
		return proc_open_mounted(ret_fd, err);
	*ret_fd = fd;
	return 0;
}

/* Any directory of a procfs has its magic, and only the root shows processes under their names. */
static bool is_proc_root(int fd)
{
	enum { PROC_ROOT_INODE = 1 };
	struct statfs fs;
	struct stat st;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC && fstat(fd, &st) == 0 &&
	       st.st_ino == PROC_ROOT_INODE;
}

int proc_open_mounted(int *ret_fd, struct err *err)
{
	autoclose int fd = -1;

	fd = open("/proc", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, errno, "open /proc");
	if (!is_proc_root(fd))
		return err_set(err, "/proc is not a procfs");
	*ret_fd = take_fd(&fd);
	return 0;
}

int proc_write(int proc_fd, const char *path, const char *value)
{
	autoclose int fd = -1;
	size_t len = strlen(value);
	ssize_t n;

	fd = sys_openat2(proc_fd, path, O_WRONLY | O_NOFOLLOW,
			 RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS);
	if (fd < 0)
		return fd;
	n = write(fd, value, len);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}
