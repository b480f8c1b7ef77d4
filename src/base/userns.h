/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* userns - what the caller's own user namespace lets it do. */
#ifndef BASE_USERNS_H
#define BASE_USERNS_H

#include <stdbool.h>

/* True when the caller is in the initial user namespace (all ids mapped to themselves). */
bool userns_is_initial(void);

/* True when the caller is root there: nothing of the kernel's is out of reach by identity. */
bool userns_is_initial_root(void);

#endif
