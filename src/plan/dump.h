/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dump - a plan as text, for tests that compare it and for people who wonder. */
#ifndef PLAN_DUMP_H
#define PLAN_DUMP_H

#include <stdio.h>

#include "plan/plan.h"

/*
 * One value a line, "rootfs.mounts[3].type tmpfs", in an order that doesn't change;
 * what is absent or false has no line.  Of a seccomp filter only that it is there, for
 * its instructions differ with the version of libseccomp.  Write errors stay in @out.
 */
void plan_dump(FILE *out, const struct plan *plan);

#endif
