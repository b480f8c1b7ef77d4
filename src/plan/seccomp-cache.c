/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/seccomp-cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"
#include "plan/seccomp-compile.h"

enum { FORMAT = 2 };

struct header {
	uint32_t magic, format;
	uint64_t key_len, program_len;
};

static const uint32_t magic = 0x52534331;

/* Everything that decides about the program, as text; NULL: no compiler, or no memory. */
static char *key_of(const struct oci_seccomp *profile, size_t *ret_len)
{
	char version[SECCOMP_VERSION_SIZE], *text = NULL;
	FILE *out = seccomp_compiler_version(version) ? open_memstream(&text, ret_len) : NULL;

	if (!out)
		return NULL;
	(void)fprintf(out, "%s\n", version);
	ocispec_write(out, &oci_seccomp_desc, profile);
	return fclose(out) == 0 ? text : NULL;
}

static void name_of(const char *key, size_t len, char name[40])
{
	(void)snprintf(name, 40, "%016" PRIx64, str_hash(key, len));
}

static int open_directory(const char *path)
{
	autoclose int fd = -1;
	struct stat st;

	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() || st.st_mode & 077)
		return -1;
	return take_fd(&fd);
}

static bool take_entry(struct plan *plan, const char *entry, size_t size, const char *key,
		       size_t key_len)
{
	struct header header;

	if (size < sizeof(header))
		return false;
	memcpy(&header, entry, sizeof(header));
	if (header.magic != magic || header.format != FORMAT || header.key_len != key_len ||
	    header.program_len > BPF_MAXINSNS ||
	    size != sizeof(header) + key_len + header.program_len * sizeof(struct sock_filter) ||
	    memcmp(entry + sizeof(header), key, key_len) != 0)
		return false;
	plan->seccomp.program =
		plan_alloc(plan, header.program_len * sizeof(struct sock_filter), NULL);
	if (!plan->seccomp.program)
		return false;
	memcpy(plan->seccomp.program, entry + sizeof(header) + key_len,
	       header.program_len * sizeof(struct sock_filter));
	plan->seccomp.len = header.program_len;
	return true;
}

bool seccomp_cache_find(struct plan *plan, const char *directory, const struct oci_seccomp *profile)
{
	size_t key_len = 0;
	autofree char *key = NULL;
	autofree char *entry = NULL;
	autoclose int fd = -1;
	char name[40];
	ssize_t n;

	fd = directory ? open_directory(directory) : -1;
	if (fd < 0)
		return false;
	key = key_of(profile, &key_len);
	if (!key)
		return false;
	name_of(key, key_len, name);
	n = fd_read_file(fd, name, SECCOMP_CACHE_BYTES, &entry);
	return n > 0 && take_entry(plan, entry, (size_t)n, key, key_len);
}

static void write_entry(int dir_fd, const struct seccomp_plan *program, const char *key,
			size_t key_len)
{
	const struct header header = { magic, FORMAT, key_len, program->len };
	size_t program_size = program->len * sizeof(struct sock_filter);
	char name[40], temporary[64];
	autoclose int fd = -1;

	if (sizeof(header) + key_len + program_size > SECCOMP_CACHE_BYTES)
		return;
	name_of(key, key_len, name);
	(void)snprintf(temporary, sizeof(temporary), ".%s.%d", name, (int)getpid());
	fd = openat(dir_fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (fd_write_all(fd, &header, sizeof(header)) < 0 || fd_write_all(fd, key, key_len) < 0 ||
	    fd_write_all(fd, program->program, program_size) < 0 ||
	    renameat(dir_fd, temporary, dir_fd, name) < 0)
		(void)unlinkat(dir_fd, temporary, 0);
}

struct file {
	char name[NAME_MAX + 1];
	struct timespec written;
	off_t size;
};

static int newest_first(const void *left, const void *right)
{
	const struct file *a = left, *b = right;

	if (a->written.tv_sec != b->written.tv_sec)
		return a->written.tv_sec > b->written.tv_sec ? -1 : 1;
	if (a->written.tv_nsec != b->written.tv_nsec)
		return a->written.tv_nsec > b->written.tv_nsec ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The directory's files, those that a killed writer has left among them; NULL: no memory. */
static struct file *list_files(DIR *dir, size_t *ret_len)
{
	size_t room = 2 * SECCOMP_CACHE_FILES, len = 0;
	struct file *files = malloc(room * sizeof(*files));
	struct dirent *entry;
	struct stat st;

	while (files && len < room && (entry = readdir(dir))) {
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		(void)snprintf(files[len].name, sizeof(files[len].name), "%s", entry->d_name);
		files[len].written = st.st_mtim;
		files[len++].size = st.st_size;
	}
	*ret_len = len;
	return files;
}

/* Removes the oldest files beyond what may be kept. */
static void trim(int dir_fd)
{
	autoclosedir DIR *dir = NULL;
	autofree struct file *files = NULL;
	size_t len = 0;
	off_t bytes = 0;
	int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	dir = copy < 0 ? NULL : fdopendir(copy);
	if (dir)
		files = list_files(dir, &len);
	if (files)
		qsort(files, len, sizeof(*files), newest_first);
	for (size_t i = 0; files && i < len; i++) {
		bytes += files[i].size;
		if (i >= SECCOMP_CACHE_FILES || bytes > SECCOMP_CACHE_BYTES)
			(void)unlinkat(dir_fd, files[i].name, 0);
	}
}

void seccomp_cache_add(const struct seccomp_plan *program, const char *directory,
		       const struct oci_seccomp *profile)
{
	size_t key_len = 0;
	autofree char *key = NULL;
	autoclose int fd = -1;

	if (!directory)
		return;
	(void)mkdir(directory, 0700);
	fd = open_directory(directory);
	key = fd < 0 ? NULL : key_of(profile, &key_len);
	if (!key)
		return;
	write_entry(fd, program, key, key_len);
	trim(fd);
}
