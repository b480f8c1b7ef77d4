/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgroup-values - conversions from the OCI's cgroup v1 terms to v2's (R271-R290).  Pure. */
#ifndef PLAN_CGROUP_VALUES_H
#define PLAN_CGROUP_VALUES_H

#include <stdint.h>

/* cpu.weight, 1..10000, for cpu.shares; 0 for 0: unset. */
uint64_t cpu_weight(uint64_t shares);

/* io.weight, 1..10000, for a blkio weight of 10..1000. */
uint64_t io_weight(uint64_t weight);

#endif
