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
 * Returns 0 when the running image cannot be written through its exe link; else
 * starts the program anew with @argv from a read-only detached mount of itself or,
 * where that is not allowed, from a sealed copy in memory, and doesn't return.
 * Called first thing, before anything is opened.
 */
int selfexe_protect(char *const *argv, struct err *err);

#endif
