/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Docker takes name and version from the last line that holds the word "version", so
 * only the first may.  go-runc wants "runc version" there, else it reports an empty
 * version, but no error.  The last line is for crun's callers.
 */
#include "cli/version.h"

#include <stdio.h>

#include <ocispec.h>

#include "base/commit.h"
#include "plan/seccomp-compile.h"

void print_version(void)
{
	char seccomp[SECCOMP_VERSION_SIZE];

	(void)printf("rung version %s\ncommit: %s\nspec: " OCISPEC_VERSION "\n", PACKAGE_VERSION,
		     commit_id);
	if (seccomp_compiler_version(seccomp))
		(void)printf("libseccomp: %s\n+SECCOMP ", seccomp);
	(void)printf("+CAP +EBPF +SELINUX +APPARMOR +YAJL\n");
}
