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

/* What the program is to be executed under; NULL or "": nothing of that module's. */
struct lsm_labels {
	const char *selinux, *apparmor;
	bool no_new_privs; /* it is set by then */
};

/*
 * Labels the caller's next execve(2).  Asked for without the security module there it
 * is an error, never ignored (R80, R81).  @proc_fd is of proc_open().
 *
 * Under no_new_privs AppArmor lets nobody who is confined leave the profile; the
 * new one is then stacked on it, so that both have to permit what the program does
 * (apparmor(7), security/apparmor/domain.c).
 */
int lsm_set_exec(const struct lsm_labels *labels, int proc_fd, struct err *err);

/*
 * Whether an AppArmor label, as attr/current tells it, confines: "unconfined", or
 * "NAME (unconfined)" of a profile in that mode, does not.
 */
bool lsm_is_confining(const char *apparmor_label);

/* SELinux alone: labels the keys that the caller makes until it executes a program. */
int lsm_set_key_label(const char *label, int proc_fd, struct err *err);

#endif
