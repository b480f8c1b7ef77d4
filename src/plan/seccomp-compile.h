/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * seccomp-compile - the program of a linux.seccomp, by libseccomp.
 *
 * The filter is exported to memory and read back as instructions.  In front of it goes a
 * stub that answers ENOSYS to system calls newer than any that the profile names, so that
 * programs fall back as on an older kernel (R174).
 */
#ifndef PLAN_SECCOMP_COMPILE_H
#define PLAN_SECCOMP_COMPILE_H

#include "plan/plan.h"

enum { SECCOMP_VERSION_SIZE = 40 };

/*
 * Fills program and len of plan->seccomp, in the plan's arena.  A build without libseccomp
 * refuses whatever it is given.
 */
int seccomp_compile(struct plan *plan, const struct oci_seccomp *in, struct err *err);

/* Refuses system calls of @in that libseccomp does not know; a filter just leaves them out. */
int seccomp_check_names(const struct oci_seccomp *in, struct err *err);

/* "2.5.4", of libseccomp, in @text, which is returned; NULL in a build without it. */
const char *seccomp_compiler_version(char text[SECCOMP_VERSION_SIZE]);

/* True when libseccomp knows "SCMP_ARCH_X86": which ones it does differs with its version. */
bool seccomp_compiler_has_arch(const char *name);

#endif
