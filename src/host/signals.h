/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* signals - names of signals, as callers of kill give them (R228) and as errors tell them. */
#ifndef HOST_SIGNALS_H
#define HOST_SIGNALS_H

#include <stdint.h>

/*
 * The number of "9", "KILL", "SIGKILL", "kill", "RTMIN+3"..., or 0, which only asks
 * whether there is somebody to be signalled; -1 when it is none of these.
 */
int signal_number(const char *name);

/*
 * Default actions for the signals @which (bit N - 1 for signal N), those that the C library
 * keeps for itself among them, and none blocked: what an execve(2) would hand on.  0 or -errno.
 */
int signals_reset(uint64_t which);

enum { SIGNAL_END_SIZE = 80 };

/* How a process ended that waitpid(2) gave @status of: "killed by signal 31 (bad system call)". */
void signal_describe_end(int status, char text[SIGNAL_END_SIZE]);

#endif
