/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* completion - what shells complete a command line of rung with, out of the table of commands. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stdio.h>

#include "base/err.h"

/*
 * Writes the completion of @shell ("bash", "zsh" or "fish") to @out, write errors
 * staying there.  -1 with @err set for any other shell.
 */
int completion_write(FILE *out, const char *shell, struct err *err);

#endif
