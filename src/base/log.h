/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * log - where a person and the calling engine read what went wrong.
 *
 * The only writable global of rung is the sink in log.c.  Libraries never
 * print; they warn through log_warn() about what is ignored, and describe
 * failures in a struct err, which the command line reports once.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

#include "base/err.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_DEBUG };

struct log_options {
	const char *destination; /* NULL: stderr; PATH, file:PATH, journald:ID or syslog:ID */
	bool json;		 /* one JSON object a line, as engines parse it (peers.md 1.5) */
	enum log_level level;
};

/* Opens the sink.  Files are appended to, close-on-exec, mode 0644. */
int log_open(const struct log_options *options, struct err *err);

/*
 * One record each; never fails, never raises SIGPIPE, never blocks on a full pipe.
 * With a destination other than stderr an error is told on stderr, too, as text
 * ("rung: ..."), for that is what callers relay to the user.
 */
void log_error(const char *fmt, ...) __attribute__((cold, format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((cold, format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * For a process that closes all but what it knows: the sink's descriptor, or -1.  That of
 * syslog(3) is closed, and opened again by the next record.
 */
int log_descriptor(void);

/* True when log_debug() would write: to skip costly arguments. */
bool log_is_debug(void);

#endif
