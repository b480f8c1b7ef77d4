/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * HOME from the container's /etc/passwd, which is an image's: it may be a FIFO, a
 * device, a link to anywhere, without end or of one line (C08).  Only a regular
 * file is opened, 1 MiB of it is read at most, lines that are too long are passed
 * over, and nothing is allocated.
 */
#include "host/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"

enum { PASSWD_MAX = 1 << 20, LINE_SIZE = 4096 };

struct lines {
	int fd;
	size_t total;	   /* bytes read so far */
	size_t start, end; /* of what is in text and not yet handed out */
	bool too_long;	   /* the line that begins at start lost its head */
	char text[LINE_SIZE + 1];
};

/* Reads on behind what is left of @lines; false at the end of the file or of patience. */
static bool read_more(struct lines *lines)
{
	ssize_t n;

	lines->end -= lines->start;
	memmove(lines->text, lines->text + lines->start, lines->end);
	lines->start = 0;
	if (lines->end == LINE_SIZE) {
		lines->too_long = true;
		lines->end = 0;
	}
	n = read(lines->fd, lines->text + lines->end, LINE_SIZE - lines->end);
	if (n <= 0 || lines->total + (size_t)n > PASSWD_MAX)
		return false;
	lines->total += (size_t)n;
	lines->end += (size_t)n;
	return true;
}

/* The next line, valid until the next call; the last may lack its newline.  NULL: no more. */
static char *next_line(struct lines *lines)
{
	for (;;) {
		char *line = lines->text + lines->start;
		char *newline = memchr(line, '\n', lines->end - lines->start);
		bool whole = !lines->too_long;

		if (newline) {
			*newline = '\0';
			lines->start = (size_t)(newline - lines->text) + 1;
			lines->too_long = false;
			if (whole)
				return line;
		} else if (!read_more(lines)) {
			lines->text[lines->end] = '\0';
			lines->end = 0;
			return *lines->text && !lines->too_long ? lines->text : NULL;
		}
	}
}

/* The home directory in the passwd(5) entry @line when it is of user @uid, else NULL. */
static const char *home_in(char *line, uint32_t uid)
{
	enum { UID_FIELD = 2, HOME_FIELD = 5 };
	char *field[HOME_FIELD + 1] = { NULL };
	size_t n = 0;
	uint64_t id;

	while (n < ARRAY_LEN(field) && (field[n] = strsep(&line, ":")))
		n++;
	if (n < ARRAY_LEN(field) || !str_to_uint(field[UID_FIELD], UINT32_MAX, &id) || id != uid)
		return NULL;
	return *field[HOME_FIELD] == '/' ? field[HOME_FIELD] : NULL;
}

/* Opening alone has effects on some devices, so that the type is looked at before, too. */
static int open_regular(const char *path)
{
	autoclose int fd = -1;
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	fd = sys_openat2(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, RESOLVE_NO_MAGICLINKS);
	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? take_fd(&fd) : -1;
}

void process_fix_home(const struct process_plan *plan)
{
	autoclose int fd = -1;
	struct lines lines = { .total = 0 };
	const char *home = NULL;

	if (!plan->home)
		return;
	_Static_assert(PROCESS_HOME_SIZE > LINE_SIZE + sizeof("HOME="), "any line fits");
	fd = open_regular("/etc/passwd");
	lines.fd = fd;
	for (char *line = NULL; fd >= 0 && !home && (line = next_line(&lines));)
		home = home_in(line, plan->uid);
	(void)snprintf(plan->home, PROCESS_HOME_SIZE, "HOME=%s", home ? home : "/");
}
