/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"

static int real_time(const char *name)
{
	uint64_t offset = 0;

	if (strncasecmp(name, "RTMIN", 5) == 0) {
		if (name[5] && (name[5] != '+' || !str_to_uint(name + 6, 30, &offset)))
			return -1;
		return 34 +
		       (int)offset; /* as kill(1) counts, whatever the C library keeps for itself */
	}
	if (strncasecmp(name, "RTMAX", 5) == 0) {
		if (name[5] && (name[5] != '-' || !str_to_uint(name + 6, 30, &offset)))
			return -1;
		return 64 - (int)offset;
	}
	return -1;
}

int signal_number(const char *name)
{
	uint64_t number;

	if (str_to_uint(name, 64, &number))
		return (int)number;
	if (strncasecmp(name, "SIG", 3) == 0)
		name += 3;
	for (int i = 1; i < 32; i++) {
		const char *known = sigabbrev_np(i);

		if (known && strcasecmp(known, name) == 0)
			return i;
	}
	return strcasecmp(name, "IOT") == 0 ? SIGABRT : real_time(name);
}

void signal_describe_end(int status, char text[SIGNAL_END_SIZE])
{
	char name[SIGNAL_END_SIZE];

	if (!WIFSIGNALED(status)) {
		(void)snprintf(text, SIGNAL_END_SIZE, "exit status %d", WEXITSTATUS(status));
		return;
	}
	str_sentence_part(strsignal(WTERMSIG(status)), name, sizeof(name));
	(void)snprintf(text, SIGNAL_END_SIZE, "killed by signal %d (%s)", WTERMSIG(status), name);
}

/* The C library refuses to touch two of them, which a caller without it may have ignored. */
int signals_reset(uint64_t which)
{
	static const unsigned long defaults[4] = { 0 }; /* the kernel's struct sigaction */
	sigset_t none;

	for (int signal = 1; signal <= 64; signal++)
		if (which >> (signal - 1) & 1)
			(void)syscall(SYS_rt_sigaction, signal, defaults, NULL, sizeof(uint64_t));
	(void)sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) < 0 ? -errno : 0;
}
