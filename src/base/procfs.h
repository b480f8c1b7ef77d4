/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* procfs - small facts about processes and the boot, from the caller's /proc (proc(5)). */
#ifndef BASE_PROCFS_H
#define BASE_PROCFS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Start time of @pid in clock ticks since boot, which tells it from a later
 * process with the same number.  *@ret_dead: it is a zombie or gone.  Returns 0
 * or -errno; -ESRCH when there is no such process.
 */
int procfs_start_time(pid_t pid, uint64_t *ret_ticks, bool *ret_dead);

/* The id of this boot, 36 characters and a NUL.  0 or -errno. */
int procfs_boot_id(char text[37]);

/* The signals the caller ignores, bit N - 1 for signal N.  0 or -errno. */
int procfs_ignored_signals(uint64_t *ret_mask);

/* The process that pidfd @pid_fd refers to, in the caller's pid namespace; 0: none there. */
pid_t procfs_pid_of(int pid_fd);

#endif
