/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/hook-state.h"

#include <errno.h>
#include <stdio.h>

#include <ocispec.h>

char *hook_state(const struct record *record, enum container_status status, pid_t pid,
		 struct err *err)
{
	const struct oci_state document = {
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
		ocispec_write(out, &oci_state_desc, &document);
	if (out && fclose(out) == 0)
		return text;
	(void)err_errno(err, ENOMEM, "state for hooks");
	return NULL;
}
