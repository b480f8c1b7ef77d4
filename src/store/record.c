/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "store/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"

enum { RECORD_SIZE_MAX = 4 << 20 };

static const char *const phase_names[] = { "creating", "created", "deleting", NULL };

#define T struct record
static const struct field record_fields[] = { F_ENUM(T, phase, "phase", REQUIRED, phase_names),
					      F_STRING(T, id, "id", REQUIRED),
					      F_STRING(T, oci_version, "ociVersion", 0),
					      F_STRING(T, bundle, "bundle", 0),
					      F_STRING(T, rootfs, "rootfs", 0),
					      F_STRING(T, created, "created", 0),
					      F_STRING(T, boot_id, "bootId", 0),
					      F_INT(T, creator_pid, "creatorPid", 0, 0, INT32_MAX),
					      F_UINT(T, creator_start, "creatorStart", 0,
						     UINT64_MAX),
					      F_INT(T, pid, "pid", 0, 0, INT32_MAX),
					      F_UINT(T, pid_start, "pidStart", 0, UINT64_MAX),
					      F_INT(T, owner, "owner", 0, 0, UINT32_MAX),
					      F_STRING(T, cgroup_manager, "cgroupManager", 0),
					      F_STRING(T, cgroup_path, "cgroupPath", 0),
					      F_UINT(T, cgroup_inode, "cgroupInode", 0, UINT64_MAX),
					      F_STRING(T, cgroup_scope, "cgroupScope", 0),
					      F_BOOL(T, cgroup_kept, "cgroupKept", 0),
					      F_BOOL(T, own_pid_namespace, "ownPidNamespace", 0),
					      F_BOOL(T, late_hooks, "lateHooks", 0),
					      F_PAIRS(T, annotations, "annotations", 0),
					      F_END };
#undef T
const struct desc record_desc = { .name = "record",
				  .size = sizeof(struct record),
				  .fields = record_fields };

int record_write(struct store *store, const struct record *record, struct err *err)
{
	autofree char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return err_errno(err, ENOMEM, "record of container %s", store->id);
	ocispec_write(out, &record_desc, record);
	(void)fflush(out);
	(void)fprintf(out, "\n#%zu %016" PRIx64 "\n", size, str_hash(text, size));
	if (fclose(out) != 0)
		return err_errno(err, ENOMEM, "record of container %s", store->id);
	return store_write(store, "state.json", text, err);
}

static int damaged(const struct store *store, const char *what, struct err *err)
{
	(void)err_set(err, "state.json of container %s is damaged: %s; `delete --force` cleans up",
		      store->id, what);
	return err_as(err, EBADMSG);
}

/* The length of the document before a trailer that matches it, or 0. */
static size_t checked_length(const char *text)
{
	const char *trailer = strrchr(text, '#');
	size_t size, said;
	uint64_t sum;
	int end = 0;

	if (!trailer || trailer == text)
		return 0;
	size = (size_t)(trailer - text) - 1; /* without the newline */
	if (sscanf(trailer, "#%zu %16" SCNx64 "\n%n", &said, &sum, &end) != 2 || trailer[end] ||
	    said != size || str_hash(text, size) != sum)
		return 0;
	return size;
}

int record_read(const struct store *store, struct arena *arena, struct record *ret, struct err *err)
{
	struct read_error why;
	autofree char *text = NULL;
	struct record *record;
	ssize_t n = fd_read_file(store->dir_fd, "state.json", RECORD_SIZE_MAX, &text);
	size_t size;

	if (n == -ENOENT) {
		(void)err_set(err, "container %s has no state yet", store->id);
		return err_as(err, ENODATA);
	}
	if (n < 0)
		return err_errno(err, (int)n, "read state.json of container %s", store->id);
	size = checked_length(text);
	if (!size)
		return damaged(store, "length or checksum differs", err);
	record = ocispec_read(&record_desc, text, size, arena, &why);
	if (!record)
		return damaged(store, why.text, err);
	*ret = *record;
	return 0;
}
