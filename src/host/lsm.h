/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lsm - SELinux and AppArmor labels that take effect when the program is executed. */
#ifndef HOST_LSM_H
#define HOST_LSM_H

#include <stdbool.h>

#include "base/err.h"

/* What the running kernel enforces by, asked of the kernel, not of files a container can make. */
bool lsm_has_selinux(void);
bool lsm_has_apparmor(void);

/*
 * Asks the kernel whether its policy knows SELinux context @label.  A caller that may
 * not ask learns it at lsm_set_exec().  Needs lsm_has_selinux().
 */
int lsm_check_selinux(const char *label, struct err *err);

/*
 * Labels the caller's next execve(2); NULL or "" for none.  Asked for without the
 * security module there it is an error, never ignored (R80, R81).  @proc_fd is of proc_open().
 */
int lsm_set_exec(const char *selinux_label, const char *apparmor_profile, int proc_fd,
		 struct err *err);

/* SELinux alone: labels the keys that the caller makes until it executes a program. */
int lsm_set_key_label(const char *label, int proc_fd, struct err *err);

#endif
