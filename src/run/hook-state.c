/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/hook-state.h"

#include <errno.h>
#include <stdio.h>

#include <ocispec.h>

/* oci_state and the member that vendors' hooks look for (peers.md 2.6). */
struct hook_document {
	char *oci_version, *id, *status, *bundle, *root;
	struct opt_int pid;
	struct pair_list annotations;
};

#define T struct hook_document
static const struct field hook_fields[] = {
	F_STRING(T, oci_version, "ociVersion", 0), F_STRING(T, id, "id", 0),
	F_STRING(T, status, "status", 0),	   F_INT(T, pid, "pid", 0, 0, INT32_MAX),
	F_STRING(T, bundle, "bundle", 0),	   F_STRING(T, root, "root", 0),
	F_PAIRS(T, annotations, "annotations", 0), F_END
};
#undef T
static const struct desc hook_desc = { .name = "state",
				       .size = sizeof(struct hook_document),
				       .fields = hook_fields };

char *hook_state(const struct record *record, enum container_status status, pid_t pid,
		 struct err *err)
{
	const struct hook_document document = {
		.oci_version = record->oci_version,
		.id = record->id,
		.status = (char *)container_status_name[status],
		.bundle = record->bundle,
		.root = record->rootfs,
		.pid = { true, pid },
		.annotations = record->annotations,
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out)
		ocispec_write(out, &hook_desc, &document);
	if (out && fclose(out) == 0)
		return text;
	(void)err_errno(err, ENOMEM, "state for hooks");
	return NULL;
}
