/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/score.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/str.h"

enum note { NOTE_DONE, NOTE_FAILED };

/* All that ever crosses the socket, the mail beside it. */
struct handover {
	enum note note;
	unsigned row;	/* the last row done, or the row that failed */
	struct err err; /* NOTE_FAILED */
};

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(MAIL_MAX * sizeof(int))];
};

static const char *const player_name[] = { [RUNTIME] = "runtime", [INIT] = "init" };

/*
 * INIT may be under the container's seccomp filter already: without mail it
 * makes do with write(2) and read(2), which every filter has to allow.
 */
static int hand_over(const struct seat *seat, const struct handover *h, struct err *err)
{
	int code = seat->mail->len ?
			   fd_send(seat->peer, h, sizeof(*h), seat->mail->fd, seat->mail->len) :
			   fd_write_all(seat->peer, h, sizeof(*h));

	if (code < 0)
		return err_errno(err, code, "hand over to %s", player_name[!seat->me]);
	while (seat->mail->len)
		(void)close(seat->mail->fd[--seat->mail->len]);
	return 0;
}

static ssize_t receive_plain(const struct seat *seat, struct handover *h)
{
	ssize_t n;

	do
		n = read(seat->peer, h, sizeof(*h));
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static int wait_readable(const struct seat *seat)
{
	struct pollfd readable = { .fd = seat->peer, .events = POLLIN };
	int ready;

	do
		ready = poll(&readable, 1, seat->deadline_ms);
	while (ready < 0 && errno == EINTR);
	return ready < 0 ? -errno : ready ? 0 : -ETIMEDOUT;
}

/* Bytes of @h received, its mail put aside; 0: the peer has ended; -errno, -ETIMEDOUT among them. */
static ssize_t receive(const struct seat *seat, struct handover *h)
{
	union control c = { .head = { 0 } };
	struct iovec data = { h, sizeof(*h) };
	struct msghdr m = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof(c)
	};
	ssize_t n = wait_readable(seat);

	if (n < 0)
		return n;
	do
		n = recvmsg(seat->peer, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n > 0 && m.msg_controllen && c.head.cmsg_type == SCM_RIGHTS) {
		seat->mail->len = (c.head.cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(seat->mail->fd, CMSG_DATA(&c.head), seat->mail->len * sizeof(int));
	}
	if (n > 0 && m.msg_flags & (MSG_CTRUNC | MSG_TRUNC))
		return -EMSGSIZE;
	return n < 0 ? -errno : n;
}

static int peer_ended(const struct seat *seat, const struct step *awaited, struct play *play,
		      struct err *err)
{
	if (seat->peer_gone && seat->peer_gone(play, err))
		return err_prefix(err, "%s", awaited->name);
	return err_set(err, "%s: %s ended before this step was done", awaited->name,
		       player_name[awaited->who]);
}

static void note_failure(const struct seat *seat, size_t row)
{
	if (seat->failed_row)
		*seat->failed_row = row;
}

/* Waits until the peer has done @row. */
static int take_over(const struct seat *seat, size_t row, struct play *play, struct err *err)
{
	const struct step *awaited = &seat->score->steps[row];
	struct handover h;
	ssize_t n = seat->me == INIT ? receive_plain(seat, &h) : receive(seat, &h);

	if (n == 0 || n == -ECONNRESET)
		return peer_ended(seat, awaited, play, err);
	if (n == -ETIMEDOUT)
		return err_set(err, "%s: not done by %s within %d s", awaited->name,
			       player_name[awaited->who], seat->deadline_ms / 1000);
	if (n < 0)
		return err_errno(err, (int)n, "wait for step %s", awaited->name);
	if (n == sizeof(h) && h.note == NOTE_FAILED) {
		note_failure(seat, h.row);
		if (err)
			*err = h.err;
		return -1;
	}
	if (n != sizeof(h) || h.row != row)
		return err_set(err, "out of step: waited for %s", awaited->name);
	return 0;
}

#ifdef RUNG_FAULTS
/* RUNG_FAULT=FLOW/STEP fails that step, FLOW/STEP:kill kills its player there, :stop stops it. */
static int inject_fault(const struct score *score, const struct step *step, struct err *err)
{
	const char *fault = getenv("RUNG_FAULT"),
		   *rest = fault ? str_after(fault, score->name) : NULL;

	rest = rest && *rest == '/' ? str_after(rest + 1, step->name) : NULL;
	if (rest && str_eq(rest, ":kill"))
		(void)raise(SIGKILL);
	if (rest && str_eq(rest, ":stop"))
		(void)raise(SIGSTOP);
	return rest && !*rest ? err_set(err, "injected fault") : 0;
}
#else
static int inject_fault(const struct score *score, const struct step *step, struct err *err)
{
	(void)score;
	(void)step;
	(void)err;
	return 0;
}
#endif

static int run_step(const struct score *score, const struct step *step, struct play *play,
		    struct err *err)
{
	long long begin = log_is_debug() ? clock_us() : 0;

	if (inject_fault(score, step, err) < 0 || step->run(play, err) < 0)
		return err_prefix(err, "%s", step->name);
	if (log_is_debug())
		log_debug("%s: %s %s: %lld us", score->name, player_name[step->who], step->name,
			  clock_us() - begin);
	return 0;
}

static bool is_needed(const struct step *step, const struct play *play)
{
	return !step->needed || step->needed(play);
}

/* The next needed row from @i on. */
static size_t next_row(const struct score *score, size_t i, const struct play *play)
{
	while (i < score->len && !is_needed(&score->steps[i], play))
		i++;
	return i;
}

/* *@at: the last row of this player that was begun. */
static int play_rows(const struct seat *seat, size_t *at, struct play *play, struct err *err)
{
	const struct score *score = seat->score;
	size_t i, next;

	for (i = next_row(score, seat->first, play); i < score->len; i = next) {
		bool mine = score->steps[i].who == seat->me, turn;

		next = next_row(score, i + 1, play);
		turn = next < score->len && (score->steps[next].who == seat->me) != mine;
		if (mine) {
			*at = i;
			if (run_step(score, &score->steps[i], play, err) < 0) {
				note_failure(seat, i);
				return -1;
			}
		}
		if (turn && (mine ? hand_over(seat, &(struct handover){ .row = (unsigned)i }, err) :
				    take_over(seat, i, play, err)) < 0)
			return -1;
	}
	return 0;
}

static void undo_from(const struct score *score, size_t rows, struct play *play)
{
	while (rows-- > 0) {
		const struct step *step = &score->steps[rows];

		if (step->who == RUNTIME && step->undo && is_needed(step, play))
			step->undo(play);
	}
}

void score_undo(const struct score *score, struct play *play)
{
	undo_from(score, score->len, play);
}

bool score_is_awaited(const struct score *score, size_t row, const struct play *play)
{
	size_t i = row;

	while ((i = next_row(score, i + 1, play)) < score->len)
		if (score->steps[i].who != score->steps[row].who)
			return true;
	return false;
}

/* Lost when the peer has ended, which then sees us end. */
static void tell_failure(const struct seat *seat, size_t row, const struct err *err)
{
	struct handover failed = { .note = NOTE_FAILED, .row = (unsigned)row };

	if (err)
		failed.err = *err;
	(void)hand_over(seat, &failed, NULL);
}

int score_play(const struct seat *seat, struct play *play, struct err *err)
{
	size_t at = seat->first;

	if (play_rows(seat, &at, play, err) == 0)
		return 0;
	if (seat->me == INIT) {
		if (score_is_awaited(seat->score, at, play))
			tell_failure(seat, at, err);
		return -1;
	}
	undo_from(seat->score, at + 1, play);
	return -1;
}

size_t score_row(const struct score *score, const char *name)
{
	size_t i = 0;

	while (i < score->len && !str_eq(score->steps[i].name, name))
		i++;
	return i;
}
