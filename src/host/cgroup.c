/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"
#include "host/cgroup-mount.h"

enum {
	DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
	FILE_MAX = 1 << 22,
	KEYED_MAX = 4096,
	DEADLINE_MS = 10000
};

const char *const cgroup_manager_name[] = {
	[CGROUP_FS] = "cgroupfs",
	[CGROUP_SYSTEMD] = "systemd",
	[CGROUP_DISABLED] = "disabled",
};

const char *cgroup_mountpoint(void)
{
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct statfs fs;

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (statfs(places[i], &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
			return places[i];
	return NULL;
}

int cgroup_open_mount(struct err *err)
{
	const char *mountpoint = cgroup_mountpoint();
	int fd;

	if (!mountpoint)
		return err_set(
			err,
			"no cgroup v2 hierarchy is mounted at /sys/fs/cgroup or /sys/fs/cgroup/unified");
	fd = open(mountpoint, DIRECTORY);
	return fd < 0 ? err_errno(err, errno, "open %s", mountpoint) : fd;
}

static int open_below(int mount_fd, const char *path)
{
	return sys_openat2(mount_fd, path[1] ? path + 1 : ".", O_RDONLY | O_DIRECTORY,
			   RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
}

int cgroup_open_at(int mount_fd, const char *path, uint64_t inode, struct cgroup *ret,
		   struct err *err)
{
	autoclose int own_fd = -1;
	autoclose int fd = -1;
	struct stat st;

	*ret = CGROUP_NONE;
	if (mount_fd < 0)
		mount_fd = own_fd = cgroup_open_mount(err);
	if (mount_fd < 0)
		return -1;
	fd = open_below(mount_fd, path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, fd < 0 ? fd : errno, "open cgroup %s", path);
	if (inode && st.st_ino != inode) {
		(void)err_set(err, "cgroup %s is not the one that the container was made with",
			      path);
		return err_as(err, ESTALE);
	}
	ret->path = strdup(path);
	if (!ret->path)
		return err_errno(err, ENOMEM, "cgroup %s", path);
	ret->inode = st.st_ino;
	ret->fd = take_fd(&fd);
	return 0;
}

int cgroup_open(const char *path, uint64_t inode, struct cgroup *ret, struct err *err)
{
	return cgroup_open_at(-1, path, inode, ret, err);
}

/* The path of @path under the mount; false when there is none. */
static bool path_under_mount(const char *path, char whole[PATH_MAX])
{
	const char *mountpoint = cgroup_mountpoint();

	return mountpoint && snprintf(whole, PATH_MAX, "%s%s", mountpoint, path) < PATH_MAX;
}

bool cgroup_takes_processes(const struct cgroup *cgroup)
{
	char text[FD_SMALL];

	return fd_read_small(cgroup->fd, "cgroup.subtree_control", text) <= 1; /* a newline */
}

bool cgroup_exists(const char *path)
{
	char whole[PATH_MAX];

	return path_under_mount(path, whole) && access(whole, F_OK) == 0;
}

void cgroup_close(struct cgroup *cgroup)
{
	if (cgroup->fd >= 0)
		(void)close(cgroup->fd);
	free(cgroup->path);
	*cgroup = CGROUP_NONE;
}

/* The number after "@key " in a flat keyed file that is open at @fd, or -errno. */
static int read_key(int fd, const char *key, uint64_t *ret)
{
	char text[KEYED_MAX];
	const char *line;
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	for (line = text; line && *line; line = strchr(line, '\n'), line += !!line) {
		const char *value = str_after(line, key);

		if (value && *value == ' ')
			return sscanf(value, "%" SCNu64, ret) == 1 ? 0 : -EBADMSG;
	}
	return -ENOENT;
}

static int read_file_key(const struct cgroup *cgroup, const char *file, const char *key,
			 uint64_t *ret)
{
	autoclose int fd = -1;

	fd = openat(cgroup->fd, file, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : read_key(fd, key, ret);
}

int cgroup_is_frozen(const struct cgroup *cgroup, bool *ret, struct err *err)
{
	uint64_t frozen = 0;
	int code = read_file_key(cgroup, "cgroup.events", "frozen", &frozen);

	if (code < 0 && code != -ENOENT)
		return err_errno(err, code, "read cgroup.events of %s", cgroup->path);
	*ret = frozen;
	return 0;
}

/* Waits until @key in cgroup.events is @wanted; the kernel wakes us at each change. */
static int wait_event(const struct cgroup *cgroup, const char *key, bool wanted, int deadline_ms)
{
	long long end = clock_ms() + deadline_ms;
	struct pollfd changed = { .events = POLLPRI };
	autoclose int fd = -1;

	fd = openat(cgroup->fd, "cgroup.events", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENODEV ? 0 : -errno;
	changed.fd = fd;
	for (;;) {
		uint64_t value = 0;
		int code = read_key(fd, key, &value); /* arms the notification, too */
		long long left = end - clock_ms();

		if (code == -ENODEV || code == -ENOENT || (code == 0 && !!value == wanted))
			return 0;
		if (code < 0)
			return code;
		if (left <= 0)
			return -ETIMEDOUT;
		(void)poll(&changed, 1, left > 100 ? 100 : (int)left);
	}
}

int cgroup_wait_empty(const struct cgroup *cgroup, int deadline_ms, struct err *err)
{
	int code = wait_event(cgroup, "populated", false, deadline_ms);

	return code < 0 ? err_errno(err, code, "wait for the processes of cgroup %s to end",
				    cgroup->path) :
			  0;
}

int cgroup_freeze(const struct cgroup *cgroup, bool frozen, struct err *err)
{
	int code = fd_write_file(cgroup->fd, "cgroup.freeze", frozen ? "1" : "0");

	if (code == 0)
		code = wait_event(cgroup, "frozen", frozen, DEADLINE_MS);
	if (code == 0)
		return 0;
	if (frozen)
		(void)fd_write_file(cgroup->fd, "cgroup.freeze", "0");
	return err_errno(err, code, "%s cgroup %s", frozen ? "freeze" : "thaw", cgroup->path);
}

int cgroup_kill_all(const struct cgroup *cgroup, struct err *err)
{
	int code = fd_write_file(cgroup->fd, "cgroup.kill", "1");

	if (code == -ENODEV || code == -ENOENT)
		return 0; /* it is gone, and its processes before it */
	return code < 0 ? err_errno(err, code, "kill cgroup %s", cgroup->path) : 0;
}

struct pid_list {
	pid_t *at;
	size_t len, room;
};

static int add_pid(struct pid_list *list, pid_t pid)
{
	if (list->len == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		pid_t *bigger = realloc(list->at, room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		list->at = bigger;
		list->room = room;
	}
	list->at[list->len++] = pid;
	return 0;
}

static int add_pids(int fd, struct pid_list *list)
{
	autofree char *text = NULL;
	ssize_t n = fd_read_file(fd, "cgroup.procs", FILE_MAX, &text);
	char *at = text;
	int code = 0;

	if (n == -EOPNOTSUPP || n == -ENODEV || n == -ENOENT)
		return 0; /* threaded: its processes are listed above */
	if (n < 0)
		return (int)n;
	while (code == 0 && *at) {
		code = add_pid(list, (pid_t)strtol(at, &at, 10));
		at += strspn(at, "\n");
	}
	return code;
}

typedef int visit_function(int parent_fd, const char *name, int fd, void *context);

/* Calls @visit for each cgroup below @fd, the deepest first. */
static int visit_below(int fd, visit_function *visit, void *context)
{
	int copy = openat(fd, ".", DIRECTORY), code = 0;
	autoclosedir DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (!dir)
		return errno == ENOENT || errno == ENODEV ? 0 : -errno;
	while (code == 0 && (entry = readdir(dir))) {
		autoclose int sub = -1;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		sub = openat(fd, entry->d_name, DIRECTORY);
		if (sub < 0)
			continue;
		code = visit_below(sub, visit, context);
		if (code == 0)
			code = visit(fd, entry->d_name, sub, context);
	}
	return code;
}

static int visit_pids(int parent_fd, const char *name, int fd, void *context)
{
	(void)parent_fd;
	(void)name;
	return add_pids(fd, context);
}

static int by_number(const void *a, const void *b)
{
	const pid_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int cgroup_pids(const struct cgroup *cgroup, pid_t **ret, size_t *ret_count, struct err *err)
{
	struct pid_list list = { 0 };
	int code = add_pids(cgroup->fd, &list);

	if (code == 0)
		code = visit_below(cgroup->fd, visit_pids, &list);
	if (code < 0) {
		free(list.at);
		return err_errno(err, code, "list the processes of cgroup %s", cgroup->path);
	}
	if (list.len)
		qsort(list.at, list.len, sizeof(*list.at), by_number);
	*ret = list.at;
	*ret_count = list.len;
	return 0;
}

int cgroup_signal_all(const struct cgroup *cgroup, int signal, struct err *err)
{
	autofree pid_t *pids = NULL;
	size_t count;

	if (cgroup_pids(cgroup, &pids, &count, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		autoclose int fd = -1;

		fd = pids[i] > 0 ? sys_pidfd_open(pids[i], 0) : -1;
		if (fd >= 0)
			(void)sys_pidfd_send_signal(fd, signal);
	}
	return 0;
}

static int visit_remove(int parent_fd, const char *name, int fd, void *context)
{
	(void)fd;
	(void)context;
	return unlinkat(parent_fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT ? -errno : 0;
}

static int remove_directory(const char *whole)
{
	return rmdir(whole) < 0 && errno != ENOENT ? -errno : 0;
}

/* A cgroup with others below it is busy, too. */
static int remove_once(const struct cgroup *cgroup, const char *whole)
{
	int code = remove_directory(whole);

	if (code != -EBUSY)
		return code;
	code = visit_below(cgroup->fd, visit_remove, NULL);
	return code < 0 ? code : remove_directory(whole);
}

bool cgroup_remove_idle(const struct cgroup *cgroup)
{
	char whole[PATH_MAX];

	return path_under_mount(cgroup->path, whole) && remove_directory(whole) == 0;
}

/* Zombies hold a cgroup for a moment after it is empty: the kernel tells when to try again. */
int cgroup_remove(const struct cgroup *cgroup, struct err *err)
{
	long long end = clock_ms() + DEADLINE_MS;
	char whole[PATH_MAX];
	int code;

	if (!path_under_mount(cgroup->path, whole))
		return err_set(err, "remove cgroup %s: no cgroup v2 is mounted", cgroup->path);
	while ((code = remove_once(cgroup, whole)) == -EBUSY && clock_ms() < end)
		if (wait_event(cgroup, "populated", false, (int)(end - clock_ms())) == 0)
			(void)poll(NULL, 0, 1);
	return code < 0 ? err_errno(err, code, "remove cgroup %s", cgroup->path) : 0;
}

int cgroup_of_process(pid_t pid, char **ret_path, struct err *err)
{
	autofree char *text = NULL;
	const char *line;
	char path[64];
	ssize_t n;

	(void)snprintf(path, sizeof(path), pid ? "/proc/%d/cgroup" : "/proc/self/cgroup", (int)pid);
	n = fd_read_file(AT_FDCWD, path, FILE_MAX, &text);
	if (n < 0)
		return err_errno(err, (int)n, "read %s", path);
	line = str_after(text, "0::");
	if (!line && (line = strstr(text, "\n0::")))
		line += strlen("\n0::");
	if (!line)
		return err_set(err, "%s: process %d is in no cgroup v2", path, (int)pid);
	*ret_path = strndup(line, strcspn(line, "\n"));
	return *ret_path ? 0 : err_errno(err, ENOMEM, "%s", path);
}

int cgroup_oom_kills(const struct cgroup *cgroup, uint64_t *ret, struct err *err)
{
	int code = read_file_key(cgroup, "memory.events", "oom_kill", ret);

	return code < 0 ? err_errno(err, code, "read memory.events of %s", cgroup->path) : 0;
}
