/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * seccomp-cache - compiled filters kept under the state root.
 *
 * The file is named by a hash of the profile and holds the profile itself, which
 * is compared byte by byte: a collision costs a compilation, never a wrong filter.
 * The directory must be the caller's own and closed to others.
 *
 * It is bounded in files and bytes; whoever adds a file removes those that were
 * written longest ago.  Files are complete under their names, and a reader keeps what
 * it has opened, so that concurrent runs need no lock: at worst one compiles again.
 */
#ifndef PLAN_SECCOMP_CACHE_H
#define PLAN_SECCOMP_CACHE_H

#include "plan/plan.h"

enum { SECCOMP_CACHE_FILES = 64, SECCOMP_CACHE_BYTES = 4 << 20 };

/* Fills program and len of plan->seccomp; false when there is none (@directory may be NULL). */
bool seccomp_cache_find(struct plan *plan, const char *directory,
			const struct oci_seccomp *profile);

/* Keeps the program unless it is larger than all may be; failure is nobody's business. */
void seccomp_cache_add(const struct seccomp_plan *program, const char *directory,
		       const struct oci_seccomp *profile);

#endif
