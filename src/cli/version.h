/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* version - `rung --version`: lines that engines parse (peers.md 1.1). */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

void print_version(void);

#endif
