/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* id - what a container may be called (R195). */
#ifndef STORE_ID_H
#define STORE_ID_H

#include "base/err.h"

enum { ID_MAX = 255 };

/*
 * Accepts 1 to ID_MAX of [A-Za-z0-9_+.-], the first not a dot.  Otherwise -1 with
 * @err "invalid container ID format: ...", the wording that callers know.
 */
int id_check(const char *id, struct err *err);

#endif
