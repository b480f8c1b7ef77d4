/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A mount is made detached, given its flags, filled, and attached by one
 * move_mount(2) to a descriptor of its destination.  Each detached tree is moved
 * exactly once: closing one that wasn't costs a grace period (performance.md F4).
 */
#include "host/mount.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/log.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"
#include "host/inroot.h"
#include "host/ns.h"

int mount_attach(int tree_fd, int target_fd)
{
	return sys_move_mount(tree_fd, "", target_fd, "",
			      MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

static uint64_t flags_of(int fd)
{
	static const struct {
		unsigned long seen;
		uint64_t flag;
	} table[] = {
		{ ST_RDONLY, MOUNT_ATTR_RDONLY },   { ST_NOSUID, MOUNT_ATTR_NOSUID },
		{ ST_NODEV, MOUNT_ATTR_NODEV },	    { ST_NOEXEC, MOUNT_ATTR_NOEXEC },
		{ ST_NOATIME, MOUNT_ATTR_NOATIME }, { ST_NODIRATIME, MOUNT_ATTR_NODIRATIME },
	};
	struct statvfs fs;
	uint64_t flags = 0;

	if (fstatvfs(fd, &fs) < 0)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		flags |= fs.f_flag & table[i].seen ? table[i].flag : 0;
	return fs.f_flag & (ST_NOATIME | ST_RELATIME) ? flags : flags | MOUNT_ATTR_STRICTATIME;
}

/*
 * In a user namespace no flag of the source may be cleared.  It stays unless clearing it was
 * asked for in words, which is then refused, as by the kernel where it is asked (R31).
 */
static int keep_locked(const struct mount_plan *mount, int fd, struct mount_attr *attr,
		       struct err *err)
{
	const uint64_t atime = MOUNT_ATTR__ATIME | MOUNT_ATTR_NODIRATIME;
	uint64_t has = flags_of(fd);
	uint64_t locked = has & (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
				 MOUNT_ATTR_NOEXEC);
	bool other_atime = attr->attr_clr & MOUNT_ATTR__ATIME &&
			   (attr->attr_set & atime) != (has & atime);

	if (mount->asked_clr & locked || other_atime)
		return err_errno(err, EPERM,
				 "%s.options: %s: flags of %s are locked in a user namespace",
				 mount->json_path, mount->destination, mount->source);
	attr->attr_clr &= ~(locked | atime);
	attr->attr_set &= ~atime;
	return 0;
}

static int set_attributes(const struct mount_plan *mount, int fd, struct err *err)
{
	struct mount_attr attr = { .attr_set = mount->attr_set, .attr_clr = mount->attr_clr };
	struct mount_attr all = { .attr_set = mount->recursive_set,
				  .attr_clr = mount->recursive_clr };
	int code = 0;

	if (mount->keep_locked && (attr.attr_set || attr.attr_clr) &&
	    keep_locked(mount, fd, &attr, err) < 0)
		return -1;
	if (attr.attr_set || attr.attr_clr)
		code = sys_mount_setattr(fd, "", AT_EMPTY_PATH, &attr);
	if (code == 0 && (all.attr_set || all.attr_clr))
		code = sys_mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &all);
	return code < 0 ? err_errno(err, code, "%s.options: set flags of %s", mount->json_path,
				    mount->destination) :
			  0;
}

/* @ns_fd: a namespace with the maps of @mount, -1: made here. */
static int set_id_map(const struct mount_plan *mount, int fd, int ns_fd, struct err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_IDMAP };
	autoclose int own_fd = -1;
	int code;

	if (!mount->idmap)
		return 0;
	if (ns_fd < 0 && idmap_namespace(&mount->uid_map, &mount->gid_map, &own_fd, err) < 0)
		return -1;
	attr.userns_fd = (unsigned)(ns_fd < 0 ? own_fd : ns_fd);
	code = sys_mount_setattr(
		fd, "", AT_EMPTY_PATH | (mount->idmap_recursive ? AT_RECURSIVE : 0), &attr);
	if (code == -EINVAL)
		return err_errno(err, code, "%s: id-map %s: its file system may not support it",
				 mount->json_path, mount->source);
	return code < 0 ? err_errno(err, code, "%s: id-map %s", mount->json_path, mount->source) :
			  0;
}

static int open_inside(int root_fd, const struct mount_plan *mount)
{
	const char *path = mount->source_inside;

	return mount->source_no_follow && path[1] ? inroot_open_last(root_fd, path) :
						    inroot_open(root_fd, path, O_PATH);
}

/* A source in the rootfs is looked for in the tree as the mounts so far have made it (R49). */
static int clone_tree(int root_fd, const struct mount_plan *mount)
{
	unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC;
	autoclose int inside_fd = -1;

	flags |= mount->recursive ? AT_RECURSIVE : 0;
	if (root_fd < 0 || !mount->source_inside)
		return sys_open_tree(AT_FDCWD, mount->source,
				     flags | (mount->source_no_follow ? AT_SYMLINK_NOFOLLOW : 0));
	inside_fd = open_inside(root_fd, mount);
	return inside_fd < 0 ? inside_fd : sys_open_tree(inside_fd, "", flags | AT_EMPTY_PATH);
}

int mount_clone_source(const struct mount_plan *mount, int root_fd, int map_fd, struct err *err)
{
	autoclose int fd = clone_tree(root_fd, mount);

	if (fd < 0)
		return err_errno(err, fd, "%s.source: %s", mount->json_path, mount->source);
	if (set_attributes(mount, fd, err) < 0 || set_id_map(mount, fd, map_fd, err) < 0)
		return -1;
	return take_fd(&fd);
}

static int open_or_make(int root_fd, const struct mount_plan *mount, bool directory, bool *ret_made)
{
	const char *path = mount->destination;
	int fd = mount->destination_no_follow ? inroot_open_last(root_fd, path) : -ENOENT;

	if (fd != -ENOENT)
		return fd;
	return directory ? inroot_make_directory(root_fd, path, ret_made) :
			   inroot_make_file(root_fd, path);
}

static int open_destination(const struct rootfs *live, const struct mount_plan *mount,
			    bool directory, bool *ret_made, struct err *err)
{
	const char *path = mount->destination;
	int fd;

	*ret_made = false;
	if (mount->plain_destination) {
		fd = inroot_open_plain(live->root_fd, path, O_PATH | O_DIRECTORY);
		if (fd == -ENOENT)
			fd = inroot_make_directory(live->root_fd, path, ret_made);
		if (fd == -ELOOP || fd == -ENOTDIR)
			return err_set(
				err,
				"%s.destination: %s of type %s must be mounted on ordinary directory",
				mount->json_path, path, mount->type);
	} else {
		fd = open_or_make(live->root_fd, mount, directory, ret_made);
	}
	return fd < 0 ? err_errno(err, fd, "%s.destination: %s", mount->json_path, path) : fd;
}

static bool is_directory(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

static int set_propagation(const struct mount_plan *mount, int fd, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(mount->propagation) && mount->propagation[i]; i++) {
		unsigned long flags = mount->propagation[i];
		struct mount_attr attr = { .propagation = flags & ~(unsigned long)MS_REC };
		int code = sys_mount_setattr(
			fd, "", AT_EMPTY_PATH | (flags & MS_REC ? AT_RECURSIVE : 0), &attr);

		if (code < 0)
			return err_errno(err, code, "%s.options: set the propagation of %s",
					 mount->json_path, mount->destination);
	}
	return 0;
}

/* Mounts on "/" hide the tree: what follows goes on top of it (R52). */
static int enter_new_root(struct rootfs *live, const struct mount_plan *mount, int *tree_fd)
{
	if (!str_eq(mount->destination, "/"))
		return 0;
	(void)close(live->root_fd);
	live->root_fd = take_fd(tree_fd);
	return 0;
}

static int attach(struct rootfs *live, const struct mount_plan *mount, int *tree_fd, int target_fd,
		  struct err *err)
{
	int code = mount_attach(*tree_fd, target_fd);

	if (code < 0)
		return err_errno(err, code, "%s: attach %s", mount->json_path, mount->destination);
	if (set_propagation(mount, *tree_fd, err) < 0)
		return -1;
	return enter_new_root(live, mount, tree_fd);
}

static int copy_link(const struct rootfs *live, const struct mount_plan *mount, struct err *err)
{
	char target[PATH_MAX];
	autoclose int parent_fd = -1;
	const char *name;
	ssize_t n = readlink(mount->source, target, sizeof(target) - 1);

	if (n < 0)
		return err_errno(err, errno, "%s.source: %s", mount->json_path, mount->source);
	target[n] = '\0';
	parent_fd = inroot_make_parent(live->root_fd, mount->destination, &name);
	if (parent_fd < 0)
		return err_errno(err, parent_fd, "%s.destination: %s", mount->json_path,
				 mount->destination);
	if (symlinkat(target, parent_fd, name) < 0 && errno != EEXIST)
		return err_errno(err, errno, "%s: copy link %s", mount->json_path,
				 mount->destination);
	return 0;
}

static bool is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static int mount_bind(struct rootfs *live, const struct mount_plan *mount,
		      struct mount_source *ready, struct err *err)
{
	autoclose int own_fd = -1;
	autoclose int target_fd = -1;
	bool made;

	if (mount->copy_symlink && is_link(mount->source))
		return copy_link(live, mount, err);
	if (ready->tree_fd >= 0)
		own_fd = take_fd(&ready->tree_fd);
	else
		own_fd = mount_clone_source(mount, live->root_fd, ready->map_fd, err);
	if (own_fd < 0)
		return -1;
	target_fd = open_destination(live, mount, is_directory(own_fd), &made, err);
	if (target_fd < 0)
		return -1;
	return attach(live, mount, &own_fd, target_fd, err);
}

/* The kernel's own words about a context that it refused, if there are any. */
static int fs_error(int fs_fd, int code, const struct mount_plan *mount, struct err *err)
{
	char message[256];
	ssize_t n = read(fs_fd, message, sizeof(message) - 1);

	if (n <= 0)
		return err_errno(err, code, "%s: mount %s at %s", mount->json_path, mount->type,
				 mount->destination);
	message[n] = '\0';
	message[strcspn(message, "\n")] = '\0';
	return err_errno(err, code, "%s: mount %s at %s (%s)", mount->json_path, mount->type,
			 mount->destination,
			 n > 2 ? message + 2 : message); /* after "e " for error */
}

static int configure(const struct mount_plan *mount, int fs_fd, const char *mode, const char *label)
{
	int code = sys_fsconfig(fs_fd, FSCONFIG_SET_STRING, "source",
				mount->source && *mount->source ? mount->source : mount->type, 0);

	for (size_t i = 0; code == 0 && i < mount->data_len; i++) {
		const struct mount_datum *d = &mount->data[i];

		code = sys_fsconfig(fs_fd, d->value ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG,
				    d->key, d->value, 0);
	}
	if (code == 0 && mode)
		code = sys_fsconfig(fs_fd, FSCONFIG_SET_STRING, "mode", mode, 0);
	if (code == 0 && label)
		code = sys_fsconfig(fs_fd, FSCONFIG_SET_STRING, "context", label, 0);
	return code;
}

struct fs_request {
	const struct mount_plan *mount;
	const char *mode, *label;
};

/* A detached mount of a new file system; -errno, @err set unless it is the caller's to handle. */
static int new_file_system(const struct fs_request *request, struct err *err)
{
	const struct mount_plan *mount = request->mount;
	autoclose int fs_fd = -1;
	uint64_t attributes = mount->attr_set;
	int code;

	fs_fd = sys_fsopen(mount->type, FSOPEN_CLOEXEC);
	if (fs_fd < 0) {
		(void)err_errno(err, fs_fd, "%s.type: %s", mount->json_path, mount->type);
		return fs_fd;
	}
	code = configure(mount, fs_fd, request->mode, request->label);
	if (code == 0)
		code = sys_fsconfig(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
	if (code < 0) {
		(void)fs_error(fs_fd, code, mount, err);
		return code;
	}
	if (mount->read_only_late)
		attributes &= ~(uint64_t)MOUNT_ATTR_RDONLY;
	code = sys_fsmount(fs_fd, FSMOUNT_CLOEXEC, (unsigned)attributes);
	if (code < 0)
		(void)fs_error(fs_fd, code, mount, err);
	return code;
}

/* A tmpfs takes the mode of the directory that it covers (R38). */
static const char *inherited_mode(const struct mount_plan *mount, int target_fd, bool made,
				  char text[16])
{
	struct stat st;

	if (!str_eq(mount->type, "tmpfs") || mount->has_mode || made || fstat(target_fd, &st) < 0)
		return NULL;
	(void)snprintf(text, 16, "%o", (unsigned)(st.st_mode & 07777));
	return text;
}

static bool takes_label(const struct mount_plan *mount)
{
	return !str_eq(mount->type, "proc") && !str_eq(mount->type, "sysfs") &&
	       !str_eq(mount->type, "mqueue");
}

static int copy_up(const struct mount_plan *mount, int target_fd, int tree_fd, struct err *err)
{
	int code = mount->copy_up ? mount_copy_up(target_fd, tree_fd) : 0;

	return code < 0 ? err_errno(err, code, "%s: copy %s up", mount->json_path,
				    mount->destination) :
			  0;
}

/* What stands in for a file system that this user namespace may not mount. */
static int stand_in(const struct rootfs_plan *plan, const struct mount_plan *mount, struct err *err)
{
	struct mount_plan bind = *mount;

	bind.recursive = true;
	bind.attr_clr = 0;
	bind.idmap = false;
	bind.source = mount->kind == MOUNT_CGROUP ? plan->cgroup_source : "/sys";
	return mount_clone_source(&bind, -1, -1, err);
}

static bool may_stand_in(const struct rootfs_plan *plan, const struct mount_plan *mount, int code)
{
	if (code != -EPERM && code != -EBUSY)
		return false;
	if (mount->kind == MOUNT_CGROUP)
		return plan->cgroup_source;
	return str_eq(mount->type, "sysfs") && mount->attr_set & MOUNT_ATTR_RDONLY; /* R44 */
}

static int mount_fs(const struct rootfs_plan *plan, struct rootfs *live,
		    const struct mount_plan *mount, struct err *err)
{
	autoclose int target_fd = -1;
	autoclose int tree_fd = -1;
	char mode[16];
	bool made;
	struct fs_request request = { .mount = mount };

	target_fd = open_destination(live, mount, true, &made, err);
	if (target_fd < 0)
		return -1;
	request.mode = inherited_mode(mount, target_fd, made, mode);
	request.label = takes_label(mount) ? plan->mount_label : NULL;
	tree_fd = new_file_system(&request, err);
	if (may_stand_in(plan, mount, tree_fd))
		tree_fd = stand_in(plan, mount, err);
	if (tree_fd < 0)
		return -1;
	if (copy_up(mount, target_fd, tree_fd, err) < 0)
		return -1;
	return attach(live, mount, &tree_fd, target_fd, err);
}

int mount_one(const struct rootfs_plan *plan, struct rootfs *live, size_t i, struct err *err)
{
	const struct mount_plan *mount = &plan->mounts[i];
	struct mount_source none = { -1, -1 };

	if (mount->kind == MOUNT_BIND)
		return mount_bind(live, mount, live->sources ? &live->sources[i] : &none, err);
	return mount_fs(plan, live, mount, err);
}
