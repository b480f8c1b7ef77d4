/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* update: options or a document as linux.resources (R245). */
#include "cli/command.h"
#include "cli/limits.h"
#include "plan/bundle.h"

int cmd_update(const struct run_context *ctx, struct arguments *args, int *ret_status,
	       struct err *err)
{
	struct oci_resources *resources;
	struct limits limits;

	(void)ret_status;
	if (args->l3_cache_schema || args->mem_bw_schema)
		return err_set(err, "update: --%s: not supported yet: Intel RDT",
			       args->l3_cache_schema ? "l3-cache-schema" : "mem-bw-schema");
	if (args->resources) {
		resources = document_read(&oci_resources_desc, args->resources, &args->arena, err);
		if (!resources)
			return -1;
		return run_update(ctx, args->positional[0], resources, err);
	}
	if (limits_read(args, &limits, err) < 0)
		return err_prefix(err, "update");
	return run_update(ctx, args->positional[0], &limits.resources, err);
}
