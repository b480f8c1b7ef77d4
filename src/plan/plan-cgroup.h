/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan-cgroup - linux.cgroupsPath and linux.resources as writes (R133-R155, R271-R299). */
#ifndef PLAN_PLAN_CGROUP_H
#define PLAN_PLAN_CGROUP_H

#include "plan/plan.h"

/* `update`: the writes of @resources alone; the device filter stays as it is (R245). */
int plan_cgroup_update(struct plan *plan, const struct oci_resources *resources, struct err *err);

#endif
