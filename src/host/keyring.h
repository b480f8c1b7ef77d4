/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* keyring - one session keyring a container, called "_ses.ID" (keyrings(7)). */
#ifndef HOST_KEYRING_H
#define HOST_KEYRING_H

#include "base/err.h"

/*
 * Joins the session keyring of container @id, which is made when there is none by
 * that name, with SELinux label @label (NULL: none), and found by later processes
 * of the container.  A kernel without keyrings, a full quota or a refusal by an
 * outer container's filter are warned of, no failure: the caller keeps the keyring
 * it has.
 */
int keyring_join(const char *id, const char *label, struct err *err);

#endif
