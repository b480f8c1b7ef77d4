/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* features: one JSON document, and nothing on standard error (peers.md 2.4). */
#include <stdio.h>

#include "cli/command.h"
#include "run/features.h"

int cmd_features(const struct run_context *ctx, struct arguments *args, int *ret_status,
		 struct err *err)
{
	const struct oci_features *features = features_make(&args->arena, err);

	(void)ctx;
	(void)ret_status;
	if (!features)
		return -1;
	ocispec_write_pretty(stdout, &oci_features_desc, features);
	(void)putchar('\n');
	return 0;
}
