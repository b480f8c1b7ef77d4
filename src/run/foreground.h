/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* foreground - stays with a process: forwards signals, relays its terminal, waits (R238). */
#ifndef RUN_FOREGROUND_H
#define RUN_FOREGROUND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "host/notify.h"

struct foreground {
	int signal_fd;
	struct notify *notify; /* whose readiness is passed on; NULL: nobody's */
};

#define FOREGROUND_NONE ((struct foreground){ .signal_fd = -1 })

/*
 * Blocks the signals to be forwarded, before the process is made: none is lost.
 * foreground_done() is due then.
 */
int foreground_prepare(struct foreground *foreground, bool subreaper, struct err *err);

/*
 * Waits for child @pid.  Once it is ready the host is told so, the caller being the
 * main process of the service: it is the one that passes on signals and the exit
 * status.  @master_fd: its terminal, relayed to the standard streams,
 * -1: none.  *@ret_status: its exit status, 128 + signal when it was killed.
 */
int foreground_wait(struct foreground *foreground, pid_t pid, int master_fd, int *ret_status,
		    struct err *err);

/* Closes what foreground_prepare() opened; accepts FOREGROUND_NONE. */
void foreground_done(struct foreground *foreground);

#endif
