/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ocispec - OCI documents as C structs: what users of the library include. */
#ifndef OCISPEC_H
#define OCISPEC_H

#include "arena.h"
#include "desc.h"
#include "oci-config.h"
#include "oci-features.h"
#include "oci-state.h"
#include "read.h"
#include "write.h"

/* The version of the runtime specification that this is of. */
#define OCISPEC_VERSION "1.3.0"

#endif
