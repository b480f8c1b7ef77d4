/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lock is a POSIX record lock: init, a clone of the locking process, does
 * not inherit it, and a killed owner lets go of it.
 */
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/userns.h"

enum { LOCK_WAIT_S = 10, DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW };

char *store_default_root(struct err *err)
{
	const char *runtime_dir = getenv("XDG_RUNTIME_DIR");
	char *root;

	if (userns_is_initial_root())
		root = strdup("/run/rung");
	else if (runtime_dir && *runtime_dir == '/')
		root = str_printf("%s/rung", runtime_dir);
	else
		root = str_printf("/run/user/%u/rung", (unsigned)geteuid());
	if (!root)
		(void)err_errno(err, ENOMEM, "state root");
	return root;
}

/* Makes @path and its missing parents: 0755, the last one 0700. */
static int make_root(const char *path, struct err *err)
{
	autofree char *copy = NULL;

	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	copy = strdup(path);
	if (!copy)
		return err_errno(err, ENOMEM, "state root %s", path);
	for (char *slash = copy + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		if (mkdir(copy, 0755) < 0 && errno != EEXIST)
			return err_errno(err, errno, "make state root %s", copy);
	}
	if (mkdir(copy, 0700) < 0 && errno != EEXIST)
		return err_errno(err, errno, "make state root %s", copy);
	return 0;
}

static int open_root(const char *root, int *ret_fd, struct err *err)
{
	autoclose int fd = -1;
	struct stat st;

	fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, errno, "open state root %s", root);
	if (fstat(fd, &st) < 0)
		return err_errno(err, errno, "stat state root %s", root);
	if (st.st_uid != geteuid() && geteuid() != 0)
		return err_set(err, "state root %s belongs to uid %u, not to the caller", root,
			       (unsigned)st.st_uid);
	if (st.st_mode & 0022 && !(st.st_mode & S_ISVTX))
		return err_set(err, "state root %s is writable by others (mode %04o)", root,
			       (unsigned)(st.st_mode & 07777));
	*ret_fd = take_fd(&fd);
	return 0;
}

static void on_alarm(int signal)
{
	(void)signal; /* its arrival ends the wait */
}

static int wait_for_lock(int fd, struct flock *lock)
{
	const struct itimerval limit = { .it_value.tv_sec = LOCK_WAIT_S }, none = { 0 };
	struct sigaction action = { .sa_handler = on_alarm }, old;
	int code;

	(void)sigaction(SIGALRM, &action, &old);
	(void)setitimer(ITIMER_REAL, &limit, NULL);
	code = fcntl(fd, F_SETLKW, lock) < 0 ? errno : 0;
	(void)setitimer(ITIMER_REAL, &none, NULL);
	(void)sigaction(SIGALRM, &old, NULL);
	return code;
}

static int set_lock(struct store *store, short type, struct err *err)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET }, holder = lock;
	int code;

	if (fcntl(store->lock_fd, F_SETLK, &lock) < 0) {
		code = wait_for_lock(store->lock_fd, &lock);
		if (code == EINTR && fcntl(store->lock_fd, F_GETLK, &holder) == 0)
			return err_set(
				err, "container %s is busy: process %d has held its lock for %d s",
				store->id, (int)holder.l_pid, LOCK_WAIT_S);
		if (code)
			return err_errno(err, code, "lock container %s", store->id);
	}
	return 0;
}

int store_fail_absent(const struct store *store, struct err *err)
{
	(void)err_set(err, "container does not exist: %s", store->id);
	return err_as(err, ENOENT);
}

static int check_not_deleted(const struct store *store, struct err *err)
{
	struct stat st;

	/* whoever held it may have deleted the container meanwhile */
	if (store->lock_fd >= 0 && fstat(store->lock_fd, &st) == 0 && st.st_nlink == 0)
		return store_fail_absent(store, err);
	return 0;
}

static int lock_store(struct store *store, enum store_lock kind, struct err *err)
{
	if (kind == STORE_UNLOCKED)
		return 0;
	store->lock_fd =
		openat(store->dir_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (store->lock_fd < 0)
		return err_errno(err, errno, "open the lock of container %s", store->id);
	return set_lock(store, kind == STORE_SHARED ? F_RDLCK : F_WRLCK, err);
}

static int create_in(const char *root, struct store *store, struct err *err)
{
	if (make_root(root, err) < 0 || open_root(root, &store->root_fd, err) < 0)
		return -1;
	if (mkdirat(store->root_fd, store->id, 0700) < 0)
		return errno == EEXIST ?
			       err_set(err, "container with given ID already exists: %s",
				       store->id) :
			       err_errno(err, errno, "make state directory %s/%s", root, store->id);
	store->dir_fd = openat(store->root_fd, store->id, DIRECTORY_FLAGS);
	if (store->dir_fd >= 0 && lock_store(store, STORE_EXCLUSIVE, err) == 0)
		return 0;
	if (store->dir_fd < 0)
		(void)err_errno(err, errno, "open state directory %s/%s", root, store->id);
	(void)store_remove(store, NULL);
	return -1;
}

int store_create(const char *root, const char *id, struct store *ret, struct err *err)
{
	*ret = STORE_NONE;
	ret->id = id;
	if (create_in(root, ret, err) == 0)
		return 0;
	store_close(ret);
	return -1;
}

static int open_in(const char *root, enum store_lock lock, struct store *store, struct err *err)
{
	autofree char *path = str_printf("%s/%s", root, store->id);

	if (!path)
		return err_errno(err, ENOMEM, "open container %s", store->id);
	store->root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (store->root_fd >= 0)
		store->dir_fd = openat(store->root_fd, store->id, DIRECTORY_FLAGS);
	if (store->dir_fd >= 0)
		return lock_store(store, lock, err) < 0 ? -1 : check_not_deleted(store, err);
	if (errno != ENOENT)
		return err_errno(err, errno, "open state directory %s", path);
	return store_fail_absent(store, err);
}

int store_open(const char *root, const char *id, enum store_lock lock, struct store *ret,
	       struct err *err)
{
	*ret = STORE_NONE;
	ret->id = id;
	if (open_in(root, lock, ret, err) == 0)
		return 0;
	store_close(ret);
	return -1;
}

/*
 * Whether a process holds the lock for itself; -ENOENT: there is no lock.  Not for the
 * holder, who would lose it with the descriptor.
 */
static int is_locked(const struct store *store)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	autoclose int fd = -1;

	fd = openat(store->dir_fd, "lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

enum store_stage store_stage(const struct store *store)
{
	int locked = store->lock_fd >= 0 ? 0 : is_locked(store);

	if (locked < 0)
		return STORE_GONE;
	if (!locked)
		return STORE_ABANDONED;
	/* the first file that create makes, and the first but one that delete removes */
	return faccessat(store->dir_fd, "start", F_OK, 0) == 0 ? STORE_IN_THE_MAKING : STORE_GONE;
}

static bool is_dots(const char *name)
{
	return str_eq(name, ".") || str_eq(name, "..");
}

/* Removes all that is in the directory @fd. */
static int empty_directory(int fd)
{
	autoclosedir DIR *dir = NULL;
	int copy = openat(fd, ".", DIRECTORY_FLAGS), result = 0;
	struct dirent *entry;

	dir = copy < 0 ? NULL : fdopendir(copy);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		autoclose int sub = -1;

		if (is_dots(entry->d_name))
			continue;
		if (unlinkat(fd, entry->d_name, 0) == 0)
			continue;
		sub = openat(fd, entry->d_name, DIRECTORY_FLAGS);
		if (sub >= 0)
			(void)empty_directory(sub);
		if (unlinkat(fd, entry->d_name, AT_REMOVEDIR) < 0 && errno != ENOENT)
			result = -errno;
	}
	return result;
}

static int remove_directory(const struct store *store)
{
	return unlinkat(store->root_fd, store->id, AT_REMOVEDIR) < 0 && errno != ENOENT ? -errno :
											  0;
}

int store_remove(struct store *store, struct err *err)
{
	/* record and lock go last, so that an interrupted removal can be taken up again */
	static const char *const usual[] = { "config.json", "start", "result", "state.json",
					     "lock" };
	int code;

	for (size_t i = 0; i < ARRAY_LEN(usual) && store->dir_fd >= 0; i++)
		(void)unlinkat(store->dir_fd, usual[i], 0);
	code = remove_directory(store);
	if (code == -ENOTEMPTY &&
	    store->dir_fd >= 0) { /* a socket, or left by a write that was killed */
		code = empty_directory(store->dir_fd);
		code = code < 0 ? code : remove_directory(store);
	}
	return code < 0 ? err_errno(err, code, "remove the state directory of %s", store->id) : 0;
}

void store_close(struct store *store)
{
	drop_fd(&store->lock_fd);
	drop_fd(&store->dir_fd);
	drop_fd(&store->root_fd);
}

static int is_container(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int store_list(const char *root, bool must_exist, char ***ret_ids, size_t *ret_count,
	       struct err *err)
{
	struct dirent **entries = NULL;
	int n = scandir(root, &entries, is_container, by_bytes);
	char **ids;

	if (n < 0 && errno == ENOENT && !must_exist)
		n = 0;
	if (n < 0)
		return err_errno(err, errno, "list containers in %s", root);
	ids = calloc((size_t)n + 1, sizeof(*ids));
	*ret_count = 0;
	for (int i = 0; i < n; i++) {
		if (ids && (ids[*ret_count] = strdup(entries[i]->d_name)))
			++*ret_count;
		free(entries[i]);
	}
	free(entries);
	*ret_ids = ids;
	return ids ? 0 : err_errno(err, ENOMEM, "list containers");
}

void store_free_ids(char **ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(ids[i]);
	free(ids);
}

/* What is lost at the next boot anyway needs no fsync. */
static bool must_sync(struct store *store)
{
	struct statfs fs;

	if (store->sync == SYNC_UNKNOWN)
		store->sync = fstatfs(store->dir_fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC ?
				      SYNC_NEVER :
				      SYNC_ALWAYS;
	return store->sync == SYNC_ALWAYS;
}

int store_write(struct store *store, const char *name, const char *text, struct err *err)
{
	char temporary[64];
	autoclose int fd = -1;
	bool sync = must_sync(store);
	int code;

	(void)snprintf(temporary, sizeof(temporary), "%s.new", name);
	fd = openat(store->dir_fd, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	if (fd < 0)
		return err_errno(err, errno, "write %s of container %s", name, store->id);
	code = fd_write_all(fd, text, strlen(text));
	if (code == 0 && sync && fsync(fd) < 0)
		code = -errno;
	if (code == 0 && renameat(store->dir_fd, temporary, store->dir_fd, name) < 0)
		code = -errno;
	if (code == 0 && sync && fsync(store->dir_fd) < 0)
		code = -errno;
	if (code == 0)
		return 0;
	(void)unlinkat(store->dir_fd, temporary, 0);
	return err_errno(err, code, "write %s of container %s", name, store->id);
}
