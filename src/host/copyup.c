/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tmpcopyup: a tree copied by descriptors, with owners, modes, links and times (R40). */
#include "host/mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/str.h"

enum { DEPTH_MAX = 256, CHUNK = 1 << 20 };

static int copy_directory(int from_fd, int to_fd, int depth);

static int copy_metadata(int to_fd, const char *name, const struct stat *st)
{
	const struct timespec times[] = { st->st_atim, st->st_mtim };

	if (fchownat(to_fd, name, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW) < 0 &&
	    errno != EPERM && errno != EINVAL)
		return -errno;
	if (!S_ISLNK(st->st_mode) && fchmodat(to_fd, name, st->st_mode & 07777, 0) < 0)
		return -errno;
	return utimensat(to_fd, name, times, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

static int copy_file(int from_fd, int to_fd, const char *name)
{
	autoclose int in = -1;
	autoclose int out = -1;
	ssize_t n;

	in = openat(from_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (in < 0)
		return -errno;
	out = openat(to_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0)
		return -errno;
	while ((n = sendfile(out, in, NULL, CHUNK)) > 0)
		;
	return n < 0 ? -errno : 0;
}

static int copy_link(int from_fd, int to_fd, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(from_fd, name, target, sizeof(target) - 1);

	if (n < 0)
		return -errno;
	target[n] = '\0';
	return symlinkat(target, to_fd, name) < 0 ? -errno : 0;
}

static int copy_subdirectory(int from_fd, int to_fd, const char *name, int depth)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	autoclose int in = -1;
	autoclose int out = -1;

	if (depth >= DEPTH_MAX)
		return -ELOOP;
	if (mkdirat(to_fd, name, 0700) < 0)
		return -errno;
	in = openat(from_fd, name, flags);
	out = openat(to_fd, name, flags);
	return in < 0 || out < 0 ? -errno : copy_directory(in, out, depth + 1);
}

static int copy_entry(int from_fd, int to_fd, const char *name, int depth)
{
	struct stat st;
	int code;

	if (fstatat(from_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		code = copy_subdirectory(from_fd, to_fd, name, depth);
	else if (S_ISREG(st.st_mode))
		code = copy_file(from_fd, to_fd, name);
	else if (S_ISLNK(st.st_mode))
		code = copy_link(from_fd, to_fd, name);
	else
		code = mknodat(to_fd, name, st.st_mode, st.st_rdev) < 0 ? -errno : 0;
	return code < 0 ? code : copy_metadata(to_fd, name, &st);
}

static int copy_directory(int from_fd, int to_fd, int depth)
{
	autoclosedir DIR *dir = NULL;
	int listing = openat(from_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), code = 0;
	struct dirent *entry;

	dir = listing < 0 ? NULL : fdopendir(listing);
	if (!dir)
		return -errno;
	while (code == 0 && (entry = readdir(dir)))
		if (!str_eq(entry->d_name, ".") && !str_eq(entry->d_name, ".."))
			code = copy_entry(from_fd, to_fd, entry->d_name, depth);
	return code;
}

int mount_copy_up(int from_fd, int to_fd)
{
	return copy_directory(from_fd, to_fd, 0);
}
