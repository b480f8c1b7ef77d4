/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/seccomp-cache.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"
#include "plan/seccomp-compile.h"

enum { ENTRY_MAX = 4 << 20, FORMAT = 1 };

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
	n = fd_read_file(fd, name, ENTRY_MAX, &entry);
	return n > 0 && take_entry(plan, entry, (size_t)n, key, key_len);
}

static void write_entry(int dir_fd, const struct seccomp_plan *program, const char *key,
			size_t key_len)
{
	const struct header header = { magic, FORMAT, key_len, program->len };
	char name[40], temporary[64];
	autoclose int fd = -1;

	name_of(key, key_len, name);
	(void)snprintf(temporary, sizeof(temporary), ".%s.%d", name, (int)getpid());
	fd = openat(dir_fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (fd_write_all(fd, &header, sizeof(header)) < 0 || fd_write_all(fd, key, key_len) < 0 ||
	    fd_write_all(fd, program->program, program->len * sizeof(struct sock_filter)) < 0 ||
	    renameat(dir_fd, temporary, dir_fd, name) < 0)
		(void)unlinkat(dir_fd, temporary, 0);
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
	if (key)
		write_entry(fd, program, key, key_len);
}
