/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/selfexe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/sys.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

enum { SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

static bool is_protected(int exe_fd)
{
	struct statvfs fs;
	int seals;

	if (fstatvfs(exe_fd, &fs) == 0 && (fs.f_flag & SELFEXE_MOUNT_FLAGS) == SELFEXE_MOUNT_FLAGS)
		return true;
	seals = fcntl(exe_fd, F_GET_SEALS);
	if (seals >= 0 && (seals & SEALS) == SEALS)
		return true;
	/* an unprivileged caller's containers can write no more than the caller can */
	return geteuid() != 0 && access("/proc/self/exe", W_OK) < 0;
}

static int open_read_only_mount(void)
{
	struct mount_attr attr = { .attr_set = SELFEXE_MOUNT_ATTR };
	autoclose int fd = -1;
	int code;

	fd = sys_open_tree(AT_FDCWD, "/proc/self/exe", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd < 0)
		return fd;
	code = sys_mount_setattr(fd, "", AT_EMPTY_PATH, &attr);
	return code < 0 ? code : take_fd(&fd);
}

static int copy_all(int to, int from)
{
	struct stat st;
	off_t done = 0;

	if (fstat(from, &st) < 0)
		return -errno;
	while (done < st.st_size)
		if (sendfile(to, from, &done, (size_t)(st.st_size - done)) <= 0)
			return errno ? -errno : -EIO;
	return 0;
}

static int make_sealed_copy(int exe_fd, int *ret_fd, struct err *err)
{
	autoclose int fd = -1;
	int code;

	fd = memfd_create("rung", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
	if (fd < 0 && errno == EINVAL) /* before Linux 6.3 there was no MFD_EXEC */
		fd = memfd_create("rung", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return err_errno(err, errno, "make a copy of the runtime");
	code = copy_all(fd, exe_fd);
	if (code < 0)
		return err_errno(err, code, "copy the runtime");
	if (fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return err_errno(err, errno, "seal the copy of the runtime");
	*ret_fd = take_fd(&fd);
	return 0;
}

int selfexe_protect(char *const *argv, struct err *err)
{
	extern char **environ;
	autoclose int exe_fd = -1;
	autoclose int fd = -1;

	exe_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (exe_fd < 0)
		return err_errno(err, errno, "open /proc/self/exe (is /proc mounted?)");
	if (is_protected(exe_fd))
		return 0;
	fd = open_read_only_mount();
	if (fd < 0 && make_sealed_copy(exe_fd, &fd, err) < 0)
		return -1;
	(void)execveat(fd, "", argv, environ, AT_EMPTY_PATH);
	return err_errno(err, errno, "start the protected copy of the runtime");
}
