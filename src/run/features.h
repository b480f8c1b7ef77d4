/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * features - what this runtime recognises, as runtime-spec features.md has it (R265-R270).
 *
 * The lists are those that the plan itself reads its words with, so that nothing is
 * promised that `create` refuses.  What is not supported yet says false.
 */
#ifndef RUN_FEATURES_H
#define RUN_FEATURES_H

#include <ocispec.h>

#include "base/err.h"

/*
 * The document, owned by @arena; NULL with @err set when there is no memory left.
 * All of it describes this binary, but for supportedFlags of seccomp, which the
 * running kernel is asked for.
 */
struct oci_features *features_make(struct arena *arena, struct err *err);

#endif
