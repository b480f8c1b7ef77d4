/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * play - what the steps of a score work on: the plan, const, and live things,
 * each set by the one step named beside it.
 */
#ifndef RUN_PLAY_H
#define RUN_PLAY_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "host/cgroup.h"
#include "host/netdev.h"
#include "host/ns.h"
#include "host/rootfs.h"
#include "plan/plan.h"
#include "run/run.h"
#include "run/score.h"
#include "store/record.h"
#include "store/store.h"

struct play {
	/* set before the first row, never changed */
	const struct plan *plan;
	const struct run_context *ctx;
	const struct score *score;
	const char *pid_file, *console_socket, *pidfd_socket; /* NULL: none */
	const char *config_text; /* create: what is kept in the store */
	const char *exec_cgroup; /* exec: plan_exec_cgroup(); NULL: not asked for */
	pid_t target_pid;	 /* exec: the container's init; 0: this is a create */
	int target_fd;		 /* exec: pidfd of it, borrowed */

	/* both players */
	bool staged; /* play_begin(): init takes an intermediate process */
	struct mail mail;
	int runtime_end, init_end; /* play_begin() */
	uint64_t ignored_signals;  /* play_begin(): what init must not leave ignored */
	struct rootfs rootfs;	   /* open-mount-sources */
	int join_fd[NS_KINDS];	   /* open-namespaces; -1: not joined */
	int start_fd, result_fd;   /* make-state: init's ends of the FIFOs; exec: of a pipe */

	/* RUNTIME */
	struct store store;		  /* make-state */
	struct record record;		  /* make-state, completed by later rows */
	struct cgroup cgroup;		  /* create-cgroup, open-cgroup */
	struct netdev_sides netdev_sides; /* move-net-devices */
	struct netdev_move *netdev_moves; /* the same: as many as the plan has */
	pid_t stage_pid;   /* spawn-init, until adopt-init: the intermediate process */
	pid_t init_pid;	   /* spawn-init or adopt-init */
	int init_fd;	   /* pidfd of it */
	int master_fd;	   /* receive-console */
	bool pid_written;  /* write-pid-file */
	size_t failed_row; /* play_runtime(), when it failed */

	/* INIT */
	int proc_fd;		/* open-proc: a private procfs */
	int slave_fd;		/* open-console */
	char program[PATH_MAX]; /* find-program */
};

/* Makes *@play ready for score_play(): nothing open but the channel. */
int play_begin(struct play *play, struct err *err);

/* RUNTIME's place at @play's score, and the whole of its part.  As score_play(). */
int play_runtime(struct play *play, struct err *err);

/* INIT's part; ends the process.  Called in the clone that @step spawned. */
void play_init(struct play *play, const char *step) __attribute__((noreturn));

/* Closes and frees what move-net-devices keeps (run/steps-netdev.c). */
void play_forget_net_devices(struct play *play);

/* Closes what is left open in RUNTIME. */
void play_end(struct play *play);

/* True when init takes an intermediate process to reach its namespaces (run/steps-spawn.c). */
bool play_is_staged(const struct play *play);

/* What decides about it, asked once: init's own ids change on its way. */
bool play_must_stage(const struct play *play);

#endif
