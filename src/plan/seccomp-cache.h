/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * seccomp-cache - compiled filters kept under the state root.
 *
 * The file is named by a hash of the profile and holds the profile itself, which
 * is compared byte by byte: a collision costs a compilation, never a wrong filter.
 * The directory must be the caller's own and closed to others.
 */
#ifndef PLAN_SECCOMP_CACHE_H
#define PLAN_SECCOMP_CACHE_H

#include "plan/plan.h"

/* Fills program and len of plan->seccomp; false when there is none (@directory may be NULL). */
bool seccomp_cache_find(struct plan *plan, const char *directory,
			const struct oci_seccomp *profile);

/* Keeps the program; failure is nobody's business. */
void seccomp_cache_add(const struct seccomp_plan *program, const char *directory,
		       const struct oci_seccomp *profile);

#endif
