/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <mntent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"
#include "host/inroot.h"
#include "host/mount.h"

enum { MOUNTS_MAX = 1 << 22 };

static int open_null(struct rootfs *live, struct err *err)
{
	struct stat st;

	live->null_fd = open("/dev/null", O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (live->null_fd < 0 || fstat(live->null_fd, &st) < 0)
		return err_errno(err, errno, "open /dev/null");
	if (!S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, 3))
		return err_set(err, "/dev/null of the host is not the null device");
	return 0;
}

static int check_rootfs(const struct rootfs_plan *plan, struct err *err)
{
	struct stat st;

	if (stat(plan->path, &st) < 0)
		return err_errno(err, errno, "root.path: %s", plan->path);
	return S_ISDIR(st.st_mode) ? 0 :
				     err_set(err, "root.path: %s is not a directory", plan->path);
}

/* True when runtime has to clone the source, for init won't be able to. */
static bool is_for_runtime(const struct rootfs_plan *plan, const struct mount_plan *mount)
{
	if (mount->copy_symlink)
		return false;
	if (plan->own_user_namespace)
		return plan->privileged && (mount->idmap || !mount->source_inside);
	return mount->idmap && !mount->source_inside;
}

static int make_sources(size_t len, struct rootfs *live, struct err *err)
{
	if (live->sources)
		return 0;
	live->sources = malloc(len * sizeof(*live->sources));
	if (!live->sources)
		return err_errno(err, ENOMEM, "mounts");
	for (size_t i = 0; i < len; i++)
		live->sources[i] = (struct mount_source){ -1, -1 };
	live->sources_len = len;
	return 0;
}

/* The map's namespace is runtime's to make in any case: init sees another /proc. */
static int open_source(const struct rootfs_plan *plan, struct rootfs *live, size_t i,
		       struct err *err)
{
	const struct mount_plan *mount = &plan->mounts[i];
	bool clone = is_for_runtime(plan, mount);

	if (mount->kind != MOUNT_BIND || (!clone && !mount->idmap))
		return 0;
	if (make_sources(plan->mounts_len, live, err) < 0)
		return -1;
	if (!clone)
		return idmap_namespace(&mount->uid_map, &mount->gid_map, &live->sources[i].map_fd,
				       err);
	live->sources[i].tree_fd = mount_clone_source(mount, -1, -1, err);
	return live->sources[i].tree_fd < 0 ? -1 : 0;
}

int rootfs_open_sources(const struct rootfs_plan *plan, struct rootfs *live, struct err *err)
{
	if (check_rootfs(plan, err) < 0)
		return -1;
	for (size_t i = 0; i < plan->mounts_len; i++)
		if (open_source(plan, live, i, err) < 0)
			return -1;
	return 0;
}

void rootfs_release(struct rootfs *live)
{
	drop_fd(&live->root_fd);
	drop_fd(&live->null_fd);
	drop_fd(&live->console_fd);
	for (size_t i = 0; i < live->sources_len; i++) {
		drop_fd(&live->sources[i].tree_fd);
		drop_fd(&live->sources[i].map_fd);
	}
	free(live->sources);
	live->sources = NULL;
	live->sources_len = 0;
}

/* Nothing mounted from here on shows on the host (R55, R183). */
int rootfs_make_private(const struct rootfs_plan *plan, struct rootfs *live, struct err *err)
{
	struct mount_attr attr = { .propagation = MS_SLAVE };
	int code;

	(void)live;
	if ((plan->propagation & ~(unsigned long)MS_REC) == MS_PRIVATE)
		attr.propagation = MS_PRIVATE;
	code = sys_mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &attr);
	return code < 0 ? err_errno(err, code, "cut the mounts off from the host's") : 0;
}

int rootfs_attach(const struct rootfs_plan *plan, struct rootfs *live, struct err *err)
{
	autoclose int tree_fd = -1;
	int code;

	(void)umask(0); /* modes are what they are said to be; the program's comes later */
	if (open_null(live, err) < 0)
		return -1;
	if (!plan->own_mount_namespace) {
		live->root_fd = open(plan->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		return live->root_fd < 0 ? err_errno(err, errno, "root.path: open %s", plan->path) :
					   0;
	}
	tree_fd = sys_open_tree(AT_FDCWD, plan->path,
				OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	if (tree_fd < 0)
		return err_errno(err, tree_fd, "root.path: clone %s", plan->path);
	code = sys_move_mount(tree_fd, "", AT_FDCWD, plan->path, MOVE_MOUNT_F_EMPTY_PATH);
	if (code < 0)
		return err_errno(err, code, "root.path: bind %s", plan->path);
	live->root_fd = take_fd(&tree_fd);
	return 0;
}

int rootfs_mount_all(const struct rootfs_plan *plan, struct rootfs *live, struct err *err)
{
	for (size_t i = 0; i < plan->mounts_len; i++)
		if (mount_one(plan, live, i, err) < 0)
			return -1;
	return 0;
}

static bool is_devpts(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (unsigned long)fs.f_type == DEVPTS_SUPER_MAGIC;
}

/* Master and slave by descriptor alone: no name under /dev/pts is looked up (CVE-2025-52565). */
static int open_pair(const struct rootfs *live, int *ret_master_fd, int *ret_slave_fd,
		     struct err *err)
{
	autoclose int master_fd = -1;
	struct stat st;
	int unlocked = 0;

	master_fd = inroot_open_plain(live->root_fd, "/dev/pts/ptmx", O_RDWR | O_NOCTTY);
	if (master_fd < 0 || !is_devpts(master_fd)) {
		if (master_fd >= 0)
			(void)close(take_fd(&master_fd));
		master_fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	}
	if (master_fd < 0 || fstat(master_fd, &st) < 0)
		return err_errno(err, errno, "open a pseudo-terminal");
	if (!S_ISCHR(st.st_mode) || st.st_rdev != makedev(5, 2))
		return err_set(err, "/dev/pts/ptmx is not the pseudo-terminal multiplexer");
	if (ioctl(master_fd, TIOCSPTLCK, &unlocked) < 0)
		return err_errno(err, errno, "unlock the pseudo-terminal");
	*ret_slave_fd = ioctl(master_fd, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*ret_slave_fd < 0)
		return err_errno(err, errno, "open the pseudo-terminal's other end");
	*ret_master_fd = take_fd(&master_fd);
	return 0;
}

static int bind_console(const struct rootfs *live, struct err *err)
{
	autoclose int target_fd = -1;
	autoclose int tree_fd = -1;
	int code;

	target_fd = inroot_make_file(live->root_fd, "/dev/console");
	if (target_fd < 0)
		return err_errno(err, target_fd, "/dev/console");
	tree_fd = sys_open_tree(live->console_fd, "",
				AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	code = tree_fd < 0 ? tree_fd : mount_attach(tree_fd, target_fd);
	return code < 0 ? err_errno(err, code, "bind the pseudo-terminal to /dev/console") : 0;
}

int rootfs_open_terminal(struct rootfs *live, int *ret_master_fd, struct err *err)
{
	return open_pair(live, ret_master_fd, &live->console_fd, err);
}

int rootfs_open_console(const struct rootfs_plan *plan, struct rootfs *live, int *ret_master_fd,
			struct err *err)
{
	if (open_pair(live, ret_master_fd, &live->console_fd, err) < 0)
		return -1;
	if (!plan->own_mount_namespace || bind_console(live, err) == 0)
		return 0;
	(void)close(take_fd(ret_master_fd));
	return -1;
}

/*
 * The host's tree stays below a root that was moved on top of it.  A procfs or sysfs in it, with
 * nothing masked, would allow a user namespace in the container a mount of its own that has nothing
 * masked either.
 */
static int hide_kernel_views(const struct rootfs_plan *plan, struct err *err)
{
	autofree char *text = NULL;
	autofclose FILE *mounts = NULL;
	const struct mntent *entry;
	ssize_t n = fd_read_file(AT_FDCWD, "/proc/self/mounts", MOUNTS_MAX, &text);

	if (n > 0) /* all of it first: it changes with each unmount, and goes with /proc */
		mounts = fmemopen(text, (size_t)n, "r");
	if (!mounts)
		return err_errno(err, n < 0 ? (int)n : errno, "read /proc/self/mounts");
	while ((entry = getmntent(mounts))) {
		if (!str_eq(entry->mnt_type, "proc") && !str_eq(entry->mnt_type, "sysfs"))
			continue;
		if (path_is_inside(entry->mnt_dir, plan->path))
			continue;
		if (umount2(entry->mnt_dir, MNT_DETACH) == 0 || errno == ENOENT)
			continue;
		if (mount("tmpfs", entry->mnt_dir, "tmpfs", MS_RDONLY, "size=4k") < 0)
			return err_errno(err, errno, "hide the host's %s", entry->mnt_dir);
	}
	return 0;
}

static int move_root(const struct rootfs_plan *plan, int root_fd, struct err *err)
{
	int code = hide_kernel_views(plan, err);

	if (code < 0)
		return -1;
	code = sys_move_mount(root_fd, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH);
	if (code < 0)
		return err_errno(err, code, "move the rootfs to /");
	return chroot(".") < 0 ? err_errno(err, errno, "chroot") : 0;
}

static int pivot(struct err *err)
{
	int code = sys_pivot_root(".", ".");

	if (code < 0)
		return err_errno(err, code, "pivot_root");
	if (umount2(".", MNT_DETACH) < 0)
		return err_errno(err, errno, "unmount the old root");
	return 0;
}

static int set_root_propagation(const struct rootfs_plan *plan, struct err *err)
{
	unsigned long kind = plan->propagation & ~(unsigned long)MS_REC;
	struct mount_attr attr = { .propagation = kind };
	int code;

	if (kind != MS_SHARED && kind != MS_UNBINDABLE)
		return 0;
	code = sys_mount_setattr(AT_FDCWD, "/", plan->propagation & MS_REC ? AT_RECURSIVE : 0,
				 &attr);
	return code < 0 ? err_errno(err, code, "linux.rootfsPropagation") : 0;
}

int rootfs_pivot(const struct rootfs_plan *plan, struct rootfs *live, struct err *err)
{
	int result;

	if (fchdir(live->root_fd) < 0)
		return err_errno(err, errno, "enter the rootfs");
	if (!plan->own_mount_namespace)
		result = chroot(".") < 0 ? err_errno(err, errno, "chroot") : 0;
	else
		result = plan->no_pivot ? move_root(plan, live->root_fd, err) : pivot(err);
	if (result < 0)
		return -1;
	if (chdir("/") < 0)
		return err_errno(err, errno, "enter /");
	return plan->own_mount_namespace ? set_root_propagation(plan, err) : 0;
}
