/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child - cases that need a process, namespaces or a directory of their own. */
#ifndef UNIT_CHILD_H
#define UNIT_CHILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_SKIPS = 77 };

/* In the child: tells what is wrong and ends it. */
static inline void check_at(bool good, const char *what, int line)
{
	if (good)
		return;
	(void)fprintf(stderr, "# line %d: %s (errno %d)\n", line, what, errno);
	_exit(1);
}

#define check(condition)      check_at(condition, #condition, __LINE__)
#define check_done(call, err) check_at((call) == 0, (err).text, __LINE__)

static inline void check_text_at(const char *got, const char *want, int line)
{
	if (strstr(got, want))
		return;
	(void)fprintf(stderr, "# line %d: want \"%s\", got \"%s\"\n", line, want, got);
	_exit(1);
}

#define check_text(got, want) check_text_at(got, want, __LINE__)

/* Runs @body in a child, which is to end well; skips the test where it cannot be made. */
static inline void in_child(void (*body)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_SKIPS) {
		print_message("# skipped: not allowed to this user on this host\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static inline void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	check(close(fd) == 0);
}

static inline void get(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);

	check_at(n >= 0, path, __LINE__);
	text[n] = '\0';
	(void)close(fd);
}

/* In the child: new namespaces, as root of a new user namespace where it has no privileges. */
static inline void enter_namespaces(int kinds)
{
	char map[32];
	const uid_t uid = geteuid();
	const gid_t gid = getegid();

	if (uid == 0 && unshare(kinds) == 0) {
		check(!(kinds & CLONE_NEWNS) ||
		      mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
		return;
	}
	if (unshare(CLONE_NEWUSER | kinds) < 0)
		_exit(CHILD_SKIPS);
	put("/proc/self/setgroups", "deny");
	(void)snprintf(map, sizeof(map), "0 %u 1", uid);
	put("/proc/self/uid_map", map);
	(void)snprintf(map, sizeof(map), "0 %u 1", gid);
	put("/proc/self/gid_map", map);
	check(!(kinds & CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
}

/* A directory of the test program's own, as its working directory; group setup and teardown. */
static char test_directory[] = "/tmp/rung-test-XXXXXX";

static inline int enter_directory(void **state)
{
	(void)state;
	return mkdtemp(test_directory) && chdir(test_directory) == 0 ? 0 : -1;
}

static inline int remove_directory(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		(void)execlp("rm", "rm", "-rf", test_directory, NULL);
		_exit(1);
	}
	return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

#endif
