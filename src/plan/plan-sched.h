/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan-sched - process.scheduler, ioPriority, execCPUAffinity, linux.memoryPolicy, personality. */
#ifndef PLAN_PLAN_SCHED_H
#define PLAN_PLAN_SCHED_H

#include "plan/plan.h"

/* NULL-terminated. */
extern const char *const memory_policy_flag_names[];
extern const char *const schedule_flag_names[];

/* Fills the scheduling members of plan->process (R88-R95, R162, R163, R188). */
int plan_schedule(struct plan *plan, const struct oci_config *config, struct err *err);

#endif
