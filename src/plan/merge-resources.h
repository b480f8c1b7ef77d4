/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge-resources - what `update` leaves out keeps its value (R245, R274, R281).  Pure. */
#ifndef PLAN_MERGE_RESOURCES_H
#define PLAN_MERGE_RESOURCES_H

#include <ocispec.h>

/*
 * Sets in @new what @old has and @new lacks, member by member; @old may be NULL.
 * Lists and maps are taken over whole.  Both are of the same arena or outlive each other.
 */
void merge_resources(struct oci_resources *new, const struct oci_resources *old);

#endif
