/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * score - an ordered list of steps, played by two processes.
 *
 * The table is the order.  A step runs only after every row above it has
 * completed, whichever process that row belongs to.  The two players hand over
 * on their socket wherever the `who` column changes and nowhere else, so that
 * no step has code for waiting.  Rows below the last row of a player are not
 * waited for by it.
 *
 * Error prefix, rollback, fault injection (RUNG_FAULT=FLOW/STEP in a build with
 * --enable-faults) and the trace of --debug come out of the table.
 */
#ifndef RUN_SCORE_H
#define RUN_SCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum player { RUNTIME, INIT };

struct play; /* what the steps work on */

struct step {
	enum player who;
	const char *name; /* unique in its score; appears in errors, traces and tests */
	int (*run)(struct play *play, struct err *err);
	void (*undo)(struct play *play);	 /* RUNTIME only; must accept a half-done run */
	bool (*needed)(const struct play *play); /* NULL: always.  Looks at the plan only */
};

struct score {
	const char *name; /* "create", "exec": for faults and traces */
	const struct step *steps;
	size_t len;
};

/* Descriptors that go along with the next handover of INIT (RUNTIME sends none). */
enum { MAIL_MAX = 4 };
struct mail {
	int fd[MAIL_MAX];
	size_t len;
};

/* One player's place at the score. */
struct seat {
	const struct score *score;
	size_t first; /* INIT: the row that spawned it, waited for before all else */
	enum player me;
	int peer;	    /* connected SOCK_SEQPACKET socket, borrowed */
	struct mail *mail;  /* filled by a step here, found by the next step there */
	int deadline_ms;    /* of each wait of RUNTIME for INIT; INIT waits until RUNTIME ends */
	size_t *failed_row; /* set to the row that failed, whoever's it is; NULL: not wanted */
	bool (*peer_gone)(struct play *play,
			  struct err *err); /* says why the peer ended, or NULL */
};

/*
 * Plays the rows of @seat->me.  Returns 0, or -1 with @err set to the failure of
 * whichever player failed, prefixed with the name of its step.  On failure
 * RUNTIME has undone its own rows in reverse, and INIT has told RUNTIME.  Blocks
 * for as long as the other player's rows take, at most the deadline.
 */
int score_play(const struct seat *seat, struct play *play, struct err *err);

/* True while the other player has rows after @row, and so listens to what becomes of it. */
bool score_is_awaited(const struct score *score, size_t row, const struct play *play);

/* Undoes all RUNTIME rows of @score in reverse: what a finished play set up. */
void score_undo(const struct score *score, struct play *play);

/* The index of the row called @name, which must exist. */
size_t score_row(const struct score *score, const char *name);

#endif
