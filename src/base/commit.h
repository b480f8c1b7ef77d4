/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* commit - what this binary was built of; alone in its file, for it changes with each commit. */
#ifndef BASE_COMMIT_H
#define BASE_COMMIT_H

/* A commit's hash in full, followed by "-dirty" where files differed; "unknown". */
extern const char *const commit_id;

#endif
