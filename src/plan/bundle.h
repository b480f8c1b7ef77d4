/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bundle - finds and reads config.json (R1). */
#ifndef PLAN_BUNDLE_H
#define PLAN_BUNDLE_H

#include <ocispec.h>

#include "base/err.h"

struct bundle {
	char *path; /* canonical, absolute */
	char *text; /* of the configuration, as it was read */
	struct oci_config *config;
	struct arena arena; /* of config */
};

/*
 * Reads @config (NULL: config.json in the bundle) of the bundle at @path.  Errors
 * name file, line and column: "config.json:41:23: linux.resources...".
 * bundle_release() is due in any case.
 */
int bundle_read(const char *path, const char *config, struct bundle *ret, struct err *err);
void bundle_release(struct bundle *bundle);

/*
 * Reads any described document of a file ("-": standard input) into @arena; errors
 * as above.  Returns NULL with @err set.
 */
void *document_read(const struct desc *desc, const char *path, struct arena *arena,
		    struct err *err);

#endif
