/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/seccomp-names.h"

#include <linux/seccomp.h>
#include <stddef.h>

#include "base/scope.h"
#include "base/str.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

const char *const seccomp_action_words[] = {
	"SCMP_ACT_KILL",	"SCMP_ACT_KILL_PROCESS",
	"SCMP_ACT_KILL_THREAD", "SCMP_ACT_TRAP",
	"SCMP_ACT_ERRNO",	"SCMP_ACT_TRACE",
	"SCMP_ACT_ALLOW",	"SCMP_ACT_LOG",
	"SCMP_ACT_NOTIFY",	NULL,
};

const char *const seccomp_operator_names[] = {
	"SCMP_CMP_NE", "SCMP_CMP_LT", "SCMP_CMP_LE",	    "SCMP_CMP_EQ",
	"SCMP_CMP_GE", "SCMP_CMP_GT", "SCMP_CMP_MASKED_EQ", NULL,
};

const char *const seccomp_flag_names[] = {
	"SECCOMP_FILTER_FLAG_TSYNC",
	"SECCOMP_FILTER_FLAG_LOG",
	"SECCOMP_FILTER_FLAG_SPEC_ALLOW",
	"SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV",
	NULL,
};

const unsigned seccomp_flag_bits[] = {
	SECCOMP_FILTER_FLAG_TSYNC,
	SECCOMP_FILTER_FLAG_LOG,
	SECCOMP_FILTER_FLAG_SPEC_ALLOW,
	SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
};
_Static_assert(ARRAY_LEN(seccomp_flag_bits) + 1 == ARRAY_LEN(seccomp_flag_names),
	       "a bit for each flag");

const char *const seccomp_arch_names[] = {
	"SCMP_ARCH_X86",	 "SCMP_ARCH_X86_64",	  "SCMP_ARCH_X32",    "SCMP_ARCH_ARM",
	"SCMP_ARCH_AARCH64",	 "SCMP_ARCH_LOONGARCH64", "SCMP_ARCH_M68K",   "SCMP_ARCH_MIPS",
	"SCMP_ARCH_MIPS64",	 "SCMP_ARCH_MIPS64N32",	  "SCMP_ARCH_MIPSEL", "SCMP_ARCH_MIPSEL64",
	"SCMP_ARCH_MIPSEL64N32", "SCMP_ARCH_PPC",	  "SCMP_ARCH_PPC64",  "SCMP_ARCH_PPC64LE",
	"SCMP_ARCH_S390",	 "SCMP_ARCH_S390X",	  "SCMP_ARCH_PARISC", "SCMP_ARCH_PARISC64",
	"SCMP_ARCH_RISCV64",	 "SCMP_ARCH_SH",	  "SCMP_ARCH_SHEB",   NULL,
};
