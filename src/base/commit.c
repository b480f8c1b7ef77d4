/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/commit.h"

#include <commit-id.h>

const char *const commit_id = RUNG_COMMIT;
