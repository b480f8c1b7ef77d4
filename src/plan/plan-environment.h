/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan-environment - the program's variables: process.env and what the runtime adds. */
#ifndef PLAN_PLAN_ENVIRONMENT_H
#define PLAN_PLAN_ENVIRONMENT_H

#include "plan/plan.h"

/* Bytes with the NUL that execve(2) takes in one string, MAX_ARG_STRLEN. */
enum { PLAN_STRING_MAX = 32 * 4096 };

/*
 * Fills envp and home of plan->process: exactly process.env, of variables given
 * twice the last, then LISTEN_FDS, NOTIFY_SOCKET and HOME as far as they apply
 * (R65-R67).  The runtime's own variables are never handed on.
 */
int plan_environment(struct plan *plan, const struct plan_input *in, struct err *err);

#endif
