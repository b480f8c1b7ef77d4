/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * selfexe - keeps the runtime's own binary out of a container's reach
 * (CVE-2019-5736): whoever in the container opens /proc/PID/exe of init finds a
 * file that cannot be written.
 */
#ifndef HOST_SELFEXE_H
#define HOST_SELFEXE_H

#include "base/err.h"

/*
 * The protected mount is known by three options at once: read-only, nodev, nosymfollow.
 * Read-only alone is not enough: a container that keeps init's exe link could write as
 * soon as the host's administrator remounts that file system writable.  A detached mount
 * is nobody's to remount.
 */
enum {
	SELFEXE_MOUNT_FLAGS = 0x1 | 0x4 | 0x2000,   /* ST_... of statfs(2) */
	SELFEXE_MOUNT_ATTR = 0x1 | 0x4 | 0x00200000 /* MOUNT_ATTR_... of mount_setattr(2) */
};

/*
 * Returns 0 when the running image cannot be written through its exe link; else
 * starts the program anew with @argv from a read-only detached mount of itself or,
 * where that is not allowed, from a sealed copy in memory, and doesn't return.
 * Called first thing, before anything is opened.
 *
 * An administrator who gives the binary's directory a bind mount with the options above
 * saves the second start, and answers for never making it writable while containers run.
 */
int selfexe_protect(char *const *argv, struct err *err);

#endif
