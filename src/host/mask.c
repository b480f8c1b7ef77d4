/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the container may not see or change: masked and read-only paths, the root (R184-R186). */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"
#include "host/inroot.h"
#include "host/mount.h"
#include "host/rootfs.h"

/* One empty read-only tmpfs for all masked directories; attached once, then cloned from there. */
static int new_cover(void)
{
	autoclose int fs_fd = -1;
	int code;

	fs_fd = sys_fsopen("tmpfs", FSOPEN_CLOEXEC);
	if (fs_fd < 0)
		return fs_fd;
	code = sys_fsconfig(fs_fd, FSCONFIG_SET_STRING, "mode", "755", 0);
	if (code == 0)
		code = sys_fsconfig(fs_fd, FSCONFIG_SET_STRING, "size", "4k", 0);
	if (code == 0)
		code = sys_fsconfig(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
	if (code < 0)
		return code;
	return sys_fsmount(fs_fd, FSMOUNT_CLOEXEC,
			   MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
				   MOUNT_ATTR_NOEXEC);
}

static int cover(int target_fd, int source_fd)
{
	autoclose int tree_fd = -1;

	tree_fd = sys_open_tree(source_fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	return tree_fd < 0 ? tree_fd : mount_attach(tree_fd, target_fd);
}

static int cover_directory(int target_fd, int *cover_fd)
{
	if (*cover_fd >= 0)
		return cover(target_fd, *cover_fd);
	*cover_fd = new_cover();
	return *cover_fd < 0 ? *cover_fd : mount_attach(*cover_fd, target_fd);
}

static bool is_repeated(const struct rootfs_plan *plan, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (str_eq(plan->masked[k], plan->masked[i]))
			return true;
	return false;
}

static int mask_path(const struct rootfs_plan *plan, struct rootfs *live, size_t i, int *cover_fd,
		     struct err *err)
{
	autoclose int fd = -1;
	struct stat st;
	int code;

	if (is_repeated(plan, i))
		return 0;
	fd = inroot_open(live->root_fd, plan->masked[i], O_PATH);
	if (fd == -ENOENT || fd == -ENOTDIR)
		return 0; /* nothing there to hide */
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, fd < 0 ? fd : errno, "linux.maskedPaths[%zu]: %s", i,
				 plan->masked[i]);
	code = S_ISDIR(st.st_mode) ? cover_directory(fd, cover_fd) : cover(fd, live->null_fd);
	return code < 0 ?
		       err_errno(err, code, "linux.maskedPaths[%zu]: mask %s", i, plan->masked[i]) :
		       0;
}

static int mask_all(const struct rootfs_plan *plan, struct rootfs *live, struct err *err)
{
	autoclose int cover_fd = -1;

	for (size_t i = 0; i < plan->masked_len; i++)
		if (mask_path(plan, live, i, &cover_fd, err) < 0)
			return -1;
	return 0;
}

/* Flags that the mount has already stay: only read-only is added (R185). */
static int make_read_only(const struct rootfs *live, const char *path, size_t i, struct err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };
	autoclose int fd = -1;
	autoclose int tree_fd = -1;
	int code;

	fd = inroot_open(live->root_fd, path, O_PATH);
	if (fd == -ENOENT || fd == -ENOTDIR)
		return 0;
	tree_fd = fd < 0 ? fd :
			   sys_open_tree(fd, "",
					 AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE |
						 OPEN_TREE_CLOEXEC);
	code = tree_fd < 0 ? tree_fd : sys_mount_setattr(tree_fd, "", AT_EMPTY_PATH, &attr);
	if (code == 0)
		code = mount_attach(tree_fd, fd);
	return code < 0 ? err_errno(err, code, "linux.readonlyPaths[%zu]: %s", i, path) : 0;
}

/* tmpfs and /dev that were asked to be read-only, now that they are filled (R39). */
static int finish_mounts(const struct rootfs_plan *plan, const struct rootfs *live, struct err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };

	for (size_t i = 0; i < plan->mounts_len; i++) {
		const struct mount_plan *mount = &plan->mounts[i];
		autoclose int fd = -1;
		int code;

		if (!mount->read_only_late)
			continue;
		fd = inroot_open(live->root_fd, mount->destination, O_PATH);
		code = fd < 0 ? fd : sys_mount_setattr(fd, "", AT_EMPTY_PATH, &attr);
		if (code < 0)
			return err_errno(err, code, "%s: make %s read-only", mount->json_path,
					 mount->destination);
	}
	return 0;
}

int rootfs_finish(const struct rootfs_plan *plan, struct rootfs *live, struct err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };
	int code = 0;

	if (!plan->own_mount_namespace)
		return 0;
	for (size_t i = 0; i < plan->read_only_paths_len; i++)
		if (make_read_only(live, plan->read_only_paths[i], i, err) < 0)
			return -1;
	if (mask_all(plan, live, err) < 0 || finish_mounts(plan, live, err) < 0)
		return -1;
	if (plan->read_only)
		code = sys_mount_setattr(live->root_fd, "", AT_EMPTY_PATH, &attr);
	return code < 0 ? err_errno(err, code, "root.readonly") : 0;
}
