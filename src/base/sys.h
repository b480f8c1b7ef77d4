/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sys - the kernel's calls in the kernel's own convention: a value or -errno.
 * Constants that older headers lack are here too.  Each is one system call.
 */
#ifndef BASE_SYS_H
#define BASE_SYS_H

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#ifndef MOUNT_ATTR_NOSYMFOLLOW
#define MOUNT_ATTR_NOSYMFOLLOW 0x00200000
#endif

struct clone_args;

/* openat2(2).  @resolve: RESOLVE_* bits.  Adds O_CLOEXEC. */
int sys_openat2(int dir_fd, const char *path, uint64_t flags, uint64_t resolve);
/* The same for O_CREAT: @mode is the new file's. */
int sys_openat2_create(int dir_fd, const char *path, const struct open_how *how);

pid_t sys_clone3(struct clone_args *args, size_t size);
int sys_pidfd_open(pid_t pid, unsigned flags);
int sys_pidfd_send_signal(int pid_fd, int signal);
int sys_setns(int fd, int type);
int sys_unshare(int flags);

int sys_open_tree(int dir_fd, const char *path, unsigned flags);
/* @flags: MOVE_MOUNT_*; both paths may be "" with the matching EMPTY_PATH flag. */
int sys_move_mount(int from_fd, const char *from, int to_fd, const char *to, unsigned flags);
int sys_fsopen(const char *type, unsigned flags);
int sys_fsconfig(int fs_fd, unsigned command, const char *key, const void *value, int aux);
int sys_fsmount(int fs_fd, unsigned flags, unsigned attributes);
int sys_mount_setattr(int dir_fd, const char *path, unsigned flags, const struct mount_attr *attr);
int sys_pivot_root(const char *new_root, const char *put_old);

#endif
