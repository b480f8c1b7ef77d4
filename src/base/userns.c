/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/userns.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel's fixed inode number of the initial user namespace (PROC_USER_INIT_INO). */
enum { INITIAL_USER_NAMESPACE = 0xEFFFFFFDU };

bool userns_is_initial(void)
{
	struct stat st;

	return stat("/proc/self/ns/user", &st) == 0 && st.st_ino == INITIAL_USER_NAMESPACE;
}

bool userns_is_initial_root(void)
{
	return geteuid() == 0 && userns_is_initial();
}
