/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records are formatted into one buffer and written with one write(2), so that
 * lines of several processes never mix.
 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/str.h"

enum { RECORD_MAX = 4096 };

static struct {
	struct log_options options;
	int fd;			 /* -1: none but stderr, or syslog */
	const char *syslog_name; /* NULL: not to syslog */
} sink = { .fd = -1 };

static const char *const level_name[] = {
	[LOG_LEVEL_ERROR] = "error",
	[LOG_LEVEL_WARNING] = "warning",
	[LOG_LEVEL_DEBUG] = "debug",
};

static const int syslog_priority[] = {
	[LOG_LEVEL_ERROR] = LOG_ERR,
	[LOG_LEVEL_WARNING] = LOG_WARNING,
	[LOG_LEVEL_DEBUG] = LOG_DEBUG,
};

/* Low numbers may be promised to a program (--preserve-fds). */
static void move_away(int *fd)
{
	enum { OUT_OF_THE_WAY = 512 };
	int high = *fd < 0 ? -1 : fcntl(*fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);

	if (high < 0)
		return;
	(void)close(*fd);
	*fd = high;
}

int log_open(const struct log_options *options, struct err *err)
{
	const char *to = options->destination, *name;

	sink.options = *options;
	if (!to || !*to)
		return 0;
	name = str_after(to, "syslog:");
	if (!name)
		name = str_after(to, "journald:"); /* the journal listens on the syslog socket */
	if (name) {
		openlog(name, LOG_PID, LOG_DAEMON);
		sink.syslog_name = name;
		return 0;
	}
	name = str_after(to, "file:");
	/* non-blocking: a FIFO that nobody reads must not stop a container's start */
	sink.fd = open(name ? name : to,
		       O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
	if (sink.fd < 0 && errno != ENXIO)
		return err_errno(err, errno, "open log file %s", name ? name : to);
	move_away(&sink.fd);
	return 0;
}

int log_descriptor(void)
{
	if (sink.syslog_name) {
		closelog();
		openlog(sink.syslog_name, LOG_PID, LOG_DAEMON); /* closing has forgotten the name */
	}
	return sink.fd;
}

bool log_is_debug(void)
{
	return sink.options.level >= LOG_LEVEL_DEBUG;
}

/* @text as the inside of a JSON string; what doesn't fit is cut. */
static void json_escape(char *out, size_t room, const char *text)
{
	size_t used = 0;

	for (; *text && used + 7 < room; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			out[used++] = '\\';
		if (c < 0x20 || c == 0x7f)
			used += (size_t)sprintf(out + used, "\\u%04x", c);
		else
			out[used++] = (char)c;
	}
	out[used] = '\0';
}

/* The length of the control character at @text, in UTF-8, or 0. */
static size_t control_length(const char *text)
{
	unsigned char c = (unsigned char)text[0], next = c ? (unsigned char)text[1] : 0;

	if (c == 0xc2 && next >= 0x80 && next < 0xa0)
		return 2;
	return c < 0x20 || c == 0x7f;
}

/*
 * @text for a terminal: words of a configuration may neither start a line of their own
 * nor move the cursor.
 */
static void plain_escape(char *out, size_t room, const char *text)
{
	size_t used = 0;

	while (*text && used + 9 < room) {
		size_t control = control_length(text);

		for (size_t i = 0; i < control; i++)
			used += (size_t)sprintf(out + used, "\\x%02x", (unsigned char)text[i]);
		if (!control)
			out[used++] = *text;
		text += control ? control : 1;
	}
	out[used] = '\0';
}

static void write_line(int fd, const char *line)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	if (poll(&ready, 1, 0) == 1 && ready.revents & POLLOUT)
		(void)fd_write_all(fd, line, strlen(line));
}

static void write_sink(enum log_level level, const char *text)
{
	char line[2 * RECORD_MAX], time_text[CLOCK_DATE_SIZE], escaped[RECORD_MAX + RECORD_MAX / 2];

	clock_date(time_text, 6);
	json_escape(escaped, sizeof(escaped), text);
	(void)snprintf(line, sizeof(line),
		       sink.options.json ? "{\"level\":\"%s\",\"msg\":\"%s\",\"time\":\"%s\"}\n" :
					   "time=\"%3$s\" level=%1$s msg=\"%2$s\"\n",
		       level_name[level], escaped, time_text);
	write_line(sink.fd >= 0 ? sink.fd : STDERR_FILENO, line);
}

/* What a person is told is a sentence; a trace is a log wherever it is read. */
static void write_stderr(enum log_level level, const char *text)
{
	char line[RECORD_MAX], escaped[RECORD_MAX - 32];

	plain_escape(escaped, sizeof(escaped), text);
	if (level == LOG_LEVEL_DEBUG) {
		write_sink(level, escaped);
		return;
	}
	(void)snprintf(line, sizeof(line),
		       level == LOG_LEVEL_ERROR ? "rung: %s\n" : "rung: %2$s: %1$s\n", escaped,
		       level_name[level]);
	write_line(STDERR_FILENO, line);
}

static void record(enum log_level level, const char *fmt, va_list ap)
{
	char text[RECORD_MAX - 64];
	bool elsewhere = sink.fd >= 0 || sink.syslog_name;

	if (level > sink.options.level)
		return;
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	if (sink.syslog_name)
		syslog(syslog_priority[level], "%s", text);
	else if (elsewhere || sink.options.json)
		write_sink(level, text);
	if (elsewhere ? level == LOG_LEVEL_ERROR : !sink.options.json)
		write_stderr(level, text);
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	record(LOG_LEVEL_ERROR, fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	record(LOG_LEVEL_WARNING, fmt, ap);
	va_end(ap);
}

void log_debug(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	record(LOG_LEVEL_DEBUG, fmt, ap);
	va_end(ap);
}
