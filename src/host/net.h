/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* net - the network namespace of a container (R114). */
#ifndef HOST_NET_H
#define HOST_NET_H

#include "base/err.h"

/* Brings "lo" up in the caller's network namespace. */
int net_raise_loopback(struct err *err);

#endif
