/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * proc - a procfs that no container can have tampered with, and writes to it that
 * land where they are meant (CVE-2019-16884, CVE-2025-52881).
 */
#ifndef HOST_PROC_H
#define HOST_PROC_H

#include "base/err.h"

/*
 * Opens a private procfs of the caller's pid namespace; where the kernel refuses
 * one, the mounted one.  Close-on-exec.
 */
int proc_open(int *ret_fd, struct err *err);

/* Opens the caller's /proc, which must be the root of a procfs.  Close-on-exec. */
int proc_open_mounted(int *ret_fd, struct err *err);

/*
 * Writes @value to @path under @proc_fd with one write(2), reaching it over no
 * link out of it and no mount.  Returns 0 or -errno; -EXDEV when something is
 * mounted in the way.
 */
int proc_write(int proc_fd, const char *path, const char *value);

#endif
