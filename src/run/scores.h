/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scores - all scores there are, for tests and documentation. */
#ifndef RUN_SCORES_H
#define RUN_SCORES_H

#include "run/score.h"

extern const struct score create_score, exec_score;

#endif
