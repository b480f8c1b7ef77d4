/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* create - the first half of `run`, shared with it. */
#ifndef RUN_CREATE_H
#define RUN_CREATE_H

#include "plan/bundle.h"
#include "run/play.h"
#include "run/scores.h"

/* All that a create works with; zeroed but for what is set before creation_make(). */
struct creation {
	bool detached; /* set before: the caller won't stay with the container */

	struct bundle bundle;
	struct plan plan;
	struct play play; /* after success: init_pid, init_fd, master_fd */
	char *seccomp_cache, *notify_directory;
	unsigned listen_fds;
	bool began;
};

/*
 * Checks that the descriptors 3 to @count + 2, promised to the program, are open, and
 * closes all others at exec.  Comes first of all, before descriptors of our own could
 * slide into their places (R256).
 */
int preserved_check(unsigned count, struct err *err);

/*
 * Comes first: counts and checks the descriptors that are promised to the program,
 * LISTEN_FDS among them (preserved_check()).
 */
int creation_begin(const struct create_options *options, struct creation *creation,
		   struct err *err);

/* Makes the container.  creation_release() is due in any case. */
int creation_make(const struct run_context *ctx, const struct create_options *options,
		  struct creation *creation, struct err *err);
void creation_release(struct creation *creation);

/* Lets others change the container, which is complete: drops lock and start FIFO's ends. */
void creation_unlock(struct creation *creation);

#endif
