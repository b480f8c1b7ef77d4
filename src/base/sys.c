/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/sys.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KERNEL(...)                                        \
	({                                                 \
		long value_ = syscall(__VA_ARGS__);        \
		(int)(value_ < 0 ? (long)-errno : value_); \
	})

int sys_openat2_create(int dir_fd, const char *path, const struct open_how *how)
{
	return KERNEL(SYS_openat2, dir_fd, path, how, sizeof(*how));
}

int sys_openat2(int dir_fd, const char *path, uint64_t flags, uint64_t resolve)
{
	const struct open_how how = { .flags = flags | O_CLOEXEC, .resolve = resolve };

	return sys_openat2_create(dir_fd, path, &how);
}

pid_t sys_clone3(struct clone_args *args, size_t size)
{
	return KERNEL(SYS_clone3, args, size);
}

int sys_pidfd_open(pid_t pid, unsigned flags)
{
	return KERNEL(SYS_pidfd_open, pid, flags);
}

int sys_pidfd_send_signal(int pid_fd, int signal)
{
	return KERNEL(SYS_pidfd_send_signal, pid_fd, signal, NULL, 0);
}

int sys_setns(int fd, int type)
{
	return KERNEL(SYS_setns, fd, type);
}

int sys_unshare(int flags)
{
	return KERNEL(SYS_unshare, flags);
}

int sys_open_tree(int dir_fd, const char *path, unsigned flags)
{
	return KERNEL(SYS_open_tree, dir_fd, path, flags);
}

int sys_move_mount(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	return KERNEL(SYS_move_mount, from_fd, from, to_fd, to, flags);
}

int sys_fsopen(const char *type, unsigned flags)
{
	return KERNEL(SYS_fsopen, type, flags);
}

int sys_fsconfig(int fs_fd, unsigned command, const char *key, const void *value, int aux)
{
	return KERNEL(SYS_fsconfig, fs_fd, command, key, value, aux);
}

int sys_fsmount(int fs_fd, unsigned flags, unsigned attributes)
{
	return KERNEL(SYS_fsmount, fs_fd, flags, attributes);
}

int sys_mount_setattr(int dir_fd, const char *path, unsigned flags, const struct mount_attr *attr)
{
	return KERNEL(SYS_mount_setattr, dir_fd, path, flags, attr, sizeof(*attr));
}

int sys_pivot_root(const char *new_root, const char *put_old)
{
	return KERNEL(SYS_pivot_root, new_root, put_old);
}
