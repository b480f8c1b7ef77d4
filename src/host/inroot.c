/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/inroot.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/sys.h"

enum { LINKS_MAX = 40, RACE_RETRIES = 128 };

/* EAGAIN: the tree changed while the kernel resolved "..", which is no answer yet. */
static int open_how(int root_fd, const char *path, const struct open_how *how)
{
	int fd, tries = 0;

	do
		fd = sys_openat2_create(root_fd, path, how);
	while (fd == -EAGAIN && tries++ < RACE_RETRIES);
	return fd;
}

int inroot_open(int root_fd, const char *path, uint64_t flags)
{
	const struct open_how how = { .flags = flags | O_CLOEXEC,
				      .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };

	return open_how(root_fd, path, &how);
}

int inroot_open_plain(int root_fd, const char *path, uint64_t flags)
{
	const struct open_how how = { .flags = flags | O_CLOEXEC,
				      .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS };

	return open_how(root_fd, path, &how);
}

int inroot_open_last(int root_fd, const char *path)
{
	return inroot_open(root_fd, path, O_PATH | O_NOFOLLOW);
}

static int make_directory(int root_fd, const char *path, bool *ret_made, int links);

/* Where the link @name in @parent_fd, the last component of @path, leads to. */
static int read_link(int parent_fd, const char *path, const char *name, char whole[PATH_MAX])
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(parent_fd, name, target, sizeof(target) - 1);
	int written;

	if (n < 0)
		return errno == EINVAL ? -ENOTDIR : -errno;
	target[n] = '\0';
	if (target[0] == '/')
		written = snprintf(whole, PATH_MAX, "%s", target);
	else
		written = snprintf(whole, PATH_MAX, "%.*s/%s", (int)(name - path), path, target);
	return written >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/*
 * @path names something that is there but leads nowhere: a dangling link.  Makes
 * the directory that it points to.
 */
static int make_link_target(int root_fd, int parent_fd, const char *path, const char *name,
			    int links)
{
	char whole[PATH_MAX];
	int code = links < LINKS_MAX ? read_link(parent_fd, path, name, whole) : -ELOOP;

	return code < 0 ? code : make_directory(root_fd, whole, NULL, links + 1);
}

/* How much of the @len bytes of @path lies above its last component. */
static size_t length_above(const char *path, size_t len)
{
	while (len && path[len - 1] == '/')
		len--;
	while (len && path[len - 1] != '/')
		len--;
	while (len && path[len - 1] == '/')
		len--;
	return len;
}

static int open_prefix(int root_fd, const char *path, size_t len)
{
	char prefix[PATH_MAX];

	(void)snprintf(prefix, sizeof(prefix), "%.*s", (int)len, path);
	return inroot_open(root_fd, len ? prefix : "/", O_PATH | O_DIRECTORY);
}

/* Makes the last component of @path in @parent_fd. */
static int make_last(int root_fd, int parent_fd, const char *path, bool *ret_made, int links)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	int fd;

	if (mkdirat(parent_fd, name, 0755) == 0) {
		if (ret_made)
			*ret_made = true;
		return openat(parent_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (errno != EEXIST)
		return -errno;
	fd = inroot_open(root_fd, path, O_PATH | O_DIRECTORY); /* made by another meanwhile? */
	return fd == -ENOENT ? make_link_target(root_fd, parent_fd, path, name, links) : fd;
}

static int make_directory(int root_fd, const char *path, bool *ret_made, int links)
{
	size_t len = strlen(path), end;
	int fd = inroot_open(root_fd, len ? path : "/", O_PATH | O_DIRECTORY);

	if (fd != -ENOENT)
		return fd;
	while (len && path[len - 1] == '/')
		len--;
	if (len >= PATH_MAX)
		return -ENAMETOOLONG;
	end = len;
	while (fd == -ENOENT && end) { /* up to what is there */
		end = length_above(path, end);
		fd = open_prefix(root_fd, path, end);
	}
	while (fd >= 0 && end < len) { /* and down again */
		autoclose int parent_fd = fd;
		char prefix[PATH_MAX];

		end += strspn(path + end, "/");
		end += strcspn(path + end, "/");
		(void)snprintf(prefix, sizeof(prefix), "%.*s", (int)end, path);
		fd = make_last(root_fd, parent_fd, prefix, end == len ? ret_made : NULL, links);
	}
	return fd;
}

int inroot_make_directory(int root_fd, const char *path, bool *ret_made)
{
	if (ret_made)
		*ret_made = false;
	return make_directory(root_fd, path, ret_made, 0);
}

int inroot_make_parent(int root_fd, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX];

	*ret_name = slash ? slash + 1 : path;
	if (!**ret_name || (size_t)(*ret_name - path) >= sizeof(parent))
		return -EINVAL;
	(void)snprintf(parent, sizeof(parent), "%.*s", (int)(*ret_name - path), path);
	return inroot_make_directory(root_fd, parent, NULL);
}

static int create_file(int root_fd, const char *path)
{
	const struct open_how how = {
		.flags = O_CREAT | O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC,
		.mode = 0644,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = open_how(root_fd, path, &how);

	if (fd < 0)
		return fd;
	(void)close(fd);
	return inroot_open(root_fd, path, O_PATH);
}

/* Where the last component is a link into directories that are missing, those are made first. */
static int make_file(int root_fd, const char *path, int links)
{
	autoclose int parent_fd = -1;
	char target[PATH_MAX];
	const char *name;
	int fd;

	parent_fd = inroot_make_parent(root_fd, path, &name);
	if (parent_fd < 0)
		return parent_fd;
	fd = create_file(root_fd, path);
	if (fd != -ENOENT)
		return fd;
	fd = links < LINKS_MAX ? read_link(parent_fd, path, name, target) : -ELOOP;
	return fd < 0 ? fd : make_file(root_fd, target, links + 1);
}

int inroot_make_file(int root_fd, const char *path)
{
	int fd = inroot_open(root_fd, path, O_PATH);

	return fd == -ENOENT ? make_file(root_fd, path, 0) : fd;
}
