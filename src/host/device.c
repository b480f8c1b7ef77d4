/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device nodes and the links of /dev (R117-R126). */
#include "host/rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"
#include "host/inroot.h"
#include "host/mount.h"

static const char *label(const struct device_plan *device)
{
	return device->json_path ? device->json_path : "default device";
}

/* What is there already may stay when it is the same device (R119). */
static int check_existing(int parent_fd, const char *name, const struct device_plan *device,
			  struct err *err)
{
	struct stat st;

	if (fstatat(parent_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_errno(err, errno, "%s: %s", label(device), device->path);
	if ((st.st_mode & S_IFMT) != (device->mode & S_IFMT) ||
	    (!S_ISFIFO(st.st_mode) && st.st_rdev != device->number))
		return err_set(err, "%s: %s is there already and not the same device",
			       label(device), device->path);
	return 0;
}

/* Where a user namespace may not make nodes, the host's is bound (R121). */
static int bind_node(const struct rootfs *live, const struct device_plan *device, struct err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC };
	autoclose int tree_fd = -1;
	autoclose int target_fd = -1;
	struct stat st;
	int code;

	tree_fd = sys_open_tree(AT_FDCWD, device->path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree_fd < 0 || fstat(tree_fd, &st) < 0)
		return err_errno(err, tree_fd < 0 ? tree_fd : errno, "%s: bind the host's %s",
				 label(device), device->path);
	if ((st.st_mode & S_IFMT) != (device->mode & S_IFMT) || st.st_rdev != device->number)
		return err_set(err, "%s: the host's %s is %u:%u, not %u:%u", label(device),
			       device->path, major(st.st_rdev), minor(st.st_rdev),
			       major(device->number), minor(device->number));
	target_fd = inroot_make_file(live->root_fd, device->path);
	if (target_fd < 0)
		return err_errno(err, target_fd, "%s: %s", label(device), device->path);
	(void)sys_mount_setattr(tree_fd, "", AT_EMPTY_PATH, &attr);
	code = mount_attach(tree_fd, target_fd);
	return code < 0 ? err_errno(err, code, "%s: bind %s", label(device), device->path) : 0;
}

static int give_owner(int parent_fd, const char *name, const struct device_plan *device,
		      struct err *err)
{
	if (!device->uid && !device->gid)
		return 0;
	if (fchownat(parent_fd, name, device->uid, device->gid, AT_SYMLINK_NOFOLLOW) < 0)
		return err_errno(err, errno, "%s: change the owner of %s", label(device),
				 device->path);
	return 0;
}

/* The directory of the last node: most nodes lie in /dev. */
struct directory {
	const char *path;
	size_t len;
	int fd;
};

static int enter_directory(const struct rootfs *live, const char *path, struct directory *last,
			   const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;

	*ret_name = slash ? slash + 1 : path;
	if (last->fd >= 0 && **ret_name && len == last->len && !strncmp(path, last->path, len))
		return 0;
	drop_fd(&last->fd);
	last->fd = inroot_make_parent(live->root_fd, path, ret_name);
	last->path = path;
	last->len = len;
	return last->fd < 0 ? last->fd : 0;
}

static int make_node(const struct rootfs_plan *plan, const struct rootfs *live,
		     const struct device_plan *device, struct directory *parent, struct err *err)
{
	const char *name;
	int code;

	if (plan->own_user_namespace && !S_ISFIFO(device->mode))
		return bind_node(live, device, err);
	code = enter_directory(live, device->path, parent, &name);
	if (code < 0)
		return err_errno(err, code, "%s: %s", label(device), device->path);
	if (mknodat(parent->fd, name, device->mode, device->number) == 0)
		return give_owner(parent->fd, name, device, err);
	if (errno == EEXIST)
		return check_existing(parent->fd, name, device, err);
	if (errno == EPERM && !S_ISFIFO(device->mode))
		return bind_node(live, device, err);
	return err_errno(err, errno, "%s: make %s", label(device), device->path);
}

static int make_link(int dev_fd, const char *target, const char *name, struct err *err)
{
	if (symlinkat(target, dev_fd, name) < 0 && errno != EEXIST)
		return err_errno(err, errno, "link /dev/%s", name);
	return 0;
}

/* Replaces whatever is there: its text is what programs and suites look at (R123). */
static int link_ptmx(int dev_fd, struct err *err)
{
	char text[16];
	ssize_t n;

	if (symlinkat("pts/ptmx", dev_fd, "ptmx") == 0)
		return 0;
	n = readlinkat(dev_fd, "ptmx", text, sizeof(text) - 1);
	if (n == (ssize_t)strlen("pts/ptmx") && !strncmp(text, "pts/ptmx", (size_t)n))
		return 0;
	if (unlinkat(dev_fd, "ptmx", 0) < 0 && errno != ENOENT)
		return err_errno(err, errno, "replace /dev/ptmx");
	return make_link(dev_fd, "pts/ptmx", "ptmx", err);
}

static int make_links(const struct rootfs *live, struct directory *last, struct err *err)
{
	static const char *const links[][2] = {
		{ "/proc/self/fd", "fd" },
		{ "/proc/self/fd/0", "stdin" },
		{ "/proc/self/fd/1", "stdout" },
		{ "/proc/self/fd/2", "stderr" },
	};
	const char *name;
	int code = enter_directory(live, "/dev/core", last, &name), dev_fd = last->fd;

	if (code < 0)
		return err_errno(err, code, "/dev");
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		if (make_link(dev_fd, links[i][0], links[i][1], err) < 0)
			return -1;
	if (access("/proc/kcore", F_OK) == 0 && make_link(dev_fd, "/proc/kcore", name, err) < 0)
		return -1;
	return link_ptmx(dev_fd, err);
}

static int make_cwd(const struct rootfs_plan *plan, const struct rootfs *live, struct err *err)
{
	int fd = str_eq(plan->cwd, "/") ? -1 :
					  inroot_make_directory(live->root_fd, plan->cwd, NULL);

	if (fd >= 0)
		(void)close(fd);
	/* anything but absence is told when it is entered, with the program's own rights */
	(void)err;
	return 0;
}

static int make_all(const struct rootfs_plan *plan, const struct rootfs *live, struct err *err)
{
	struct directory parent = { .fd = -1 };
	int result = 0;

	for (size_t i = 0; i < plan->devices_len && result == 0; i++)
		result = make_node(plan, live, &plan->devices[i], &parent, err);
	if (result == 0 && plan->make_devices)
		result = make_links(live, &parent, err);
	drop_fd(&parent.fd);
	return result;
}

int rootfs_make_devices(const struct rootfs_plan *plan, struct rootfs *live, struct err *err)
{
	if (make_all(plan, live, err) < 0)
		return -1;
	return make_cwd(plan, live, err);
}
