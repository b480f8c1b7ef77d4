/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timer - runs programs one after the other and says what each has cost.
 *
 * Reads lines of tab-separated words, "LABEL PROGRAM ARGUMENT...", and writes for
 * each "LABEL STATUS WALL_US CPU_US MAXRSS_KB".  "- reap FILE" waits until the
 * process of the pid file FILE is gone, for orphans end up here.  Small and static,
 * for the peak memory of a child begins with that of its parent.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_MAX = 64, LINE_MAX_BYTES = 16384 };

extern char **environ;

static long long now_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static long long us_of(const struct timeval *t)
{
	return t->tv_sec * 1000000LL + t->tv_usec;
}

static size_t split(char *line, char **word)
{
	size_t count = 0;

	for (char *at = strtok(line, "\t\n"); at && count < WORDS_MAX - 1;
	     at = strtok(NULL, "\t\n"))
		word[count++] = at;
	word[count] = NULL;
	return count;
}

static int reap(const char *pid_file)
{
	FILE *file = fopen(pid_file, "r");
	int pid = 0;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &pid) != 1)
		pid = 0;
	(void)fclose(file);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return pid > 0 ? 0 : -1;
}

static void measure(const char *label, char **argv, const posix_spawn_file_actions_t *actions)
{
	struct rusage usage;
	long long begin = now_us();
	int status;
	pid_t pid;

	if (posix_spawn(&pid, argv[0], actions, NULL, argv, environ)) {
		fprintf(stderr, "timer: cannot run %s\n", argv[0]);
		exit(1);
	}
	while (wait4(pid, &status, 0, &usage) < 0)
		;
	printf("%s\t%d\t%lld\t%lld\t%ld\n", label, status, now_us() - begin,
	       us_of(&usage.ru_utime) + us_of(&usage.ru_stime), usage.ru_maxrss);
}

int main(void)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	posix_spawn_file_actions_t actions;
	static char line[LINE_MAX_BYTES];
	char *word[WORDS_MAX];

	(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	(void)posix_spawn_file_actions_init(&actions);
	for (int fd = 0; fd < 3; fd++)
		(void)posix_spawn_file_actions_adddup2(&actions, null_fd, fd);
	while (fgets(line, sizeof(line), stdin)) {
		size_t count = split(line, word);

		if (count == 3 && !strcmp(word[1], "reap")) {
			if (reap(word[2]) < 0)
				fprintf(stderr, "timer: no pid in %s\n", word[2]);
		} else if (count > 1) {
			measure(word[0], word + 1, &actions);
		}
	}
	return 0;
}
