/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * err - one failure, described once, where its purpose is known.
 *
 * Plain data on the caller's stack: nothing to release, and it crosses the
 * socket between the two processes of a create as it is.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

struct err {
	int code;	 /* errno value, or 0 when the failure isn't the kernel's */
	char text[1000]; /* "mount /proc: Permission denied"; no newline */
};

#define ERR_PRINTF(f, a) __attribute__((cold, format(printf, f, a)))

/*
 * All return -1, so that a failing function can end with one of them.  @err may
 * be NULL: the caller only wants to know whether it failed.
 */

/* Describes a failure that is not the kernel's. */
int err_set(struct err *err, const char *fmt, ...) ERR_PRINTF(2, 3);

/*
 * The same with ": " and the text of @code appended, in small letters as in Go's messages.
 * @code may be negative (-errno).
 */
int err_errno(struct err *err, int code, const char *fmt, ...) ERR_PRINTF(3, 4);

/* Gives the failure in @err, not the kernel's, the @code by which callers know it.  Returns -1. */
int err_as(struct err *err, int code);

/* Hands on @why, a failure that its caller has looked at first: it becomes @err.  Returns -1. */
int err_pass(struct err *err, const struct err *why);

/* Puts "prefix: " in front of the text that is there. */
int err_prefix(struct err *err, const char *fmt, ...) ERR_PRINTF(2, 3);

#endif
