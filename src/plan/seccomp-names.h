/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* seccomp-names - the words of linux.seccomp, for the plan and `features`. */
#ifndef PLAN_SECCOMP_NAMES_H
#define PLAN_SECCOMP_NAMES_H

/* All NULL-terminated. */
extern const char *const seccomp_action_words[];
extern const char *const seccomp_operator_names[];
extern const char *const seccomp_flag_names[];
extern const char *const seccomp_arch_names[]; /* see seccomp_compiler_has_arch() */

extern const unsigned seccomp_flag_bits[]; /* by index of seccomp_flag_names */

#endif
