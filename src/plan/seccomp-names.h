/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* seccomp-names - the words of linux.seccomp, for the plan and `features`. */
#ifndef PLAN_SECCOMP_NAMES_H
#define PLAN_SECCOMP_NAMES_H

#include <stdint.h>

/* All NULL-terminated. */
extern const char *const seccomp_action_words[];
extern const char *const seccomp_operator_names[];
extern const char *const seccomp_flag_names[];
extern const char *const seccomp_arch_names[]; /* see seccomp_compiler_has_arch() */

extern const unsigned seccomp_flag_bits[]; /* by index of seccomp_flag_names */

/* AUDIT_ARCH_... of the architecture that this is built for, 0: unknown here. */
uint32_t seccomp_native_audit(void);

#endif
