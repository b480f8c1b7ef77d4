/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/version.h"

#include <seccomp.h>
#include <stdio.h>

void print_version(void)
{
	const struct scmp_version *seccomp = seccomp_version();

	(void)printf("rung version %s\nspec: 1.3.0\nlibseccomp: %u.%u.%u\n"
		     "+SECCOMP +CAP +EBPF +SELINUX +APPARMOR +YAJL\n",
		     PACKAGE_VERSION, seccomp->major, seccomp->minor, seccomp->micro);
}
