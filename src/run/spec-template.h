/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * spec-template - the configuration that `spec` writes, for a person or a test suite
 * to edit: in the shape of runc's, which its fixtures rely on (R246, spec.md 5.2).
 */
#ifndef RUN_SPEC_TEMPLATE_H
#define RUN_SPEC_TEMPLATE_H

#include <stdio.h>
#include <sys/types.h>

/* Whom a configuration without privileges is for: ids of the host. */
struct spec_owner {
	uid_t uid;
	gid_t gid;
};

/*
 * Writes config.json to @out.  With @rootless it is one that this user can run: a user
 * namespace whose root the user is, the host's network, no limits; NULL: for root.
 * Write errors stay in @out.
 */
void spec_template_write(FILE *out, const struct spec_owner *rootless);

#endif
