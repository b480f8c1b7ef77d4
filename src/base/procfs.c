/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

int procfs_start_time(pid_t pid, uint64_t *ret_ticks, bool *ret_dead)
{
	char path[64], text[FD_SMALL], state;
	const char *after_name;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	n = fd_read_small(AT_FDCWD, path, text);
	if (n == -ENOENT || n == -ESRCH)
		return -ESRCH;
	if (n < 0)
		return (int)n;
	after_name = strrchr(text, ')'); /* the name may hold anything, a ')' too */
	if (!after_name ||
	    sscanf(after_name,
		   ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
		   &state, ret_ticks) != 2)
		return -EBADMSG;
	*ret_dead = state == 'Z' || state == 'X';
	return 0;
}

int procfs_boot_id(char text[37])
{
	char file[FD_SMALL];
	ssize_t n = fd_read_small(AT_FDCWD, "/proc/sys/kernel/random/boot_id", file);

	if (n < 0)
		return (int)n;
	if (n < 36)
		return -EBADMSG;
	memcpy(text, file, 36);
	text[36] = '\0';
	return 0;
}

int procfs_ignored_signals(uint64_t *ret_mask)
{
	char text[FD_SMALL];
	const char *line;
	ssize_t n = fd_read_small(AT_FDCWD, "/proc/self/status", text);

	if (n < 0)
		return (int)n;
	line = strstr(text, "\nSigIgn:");
	if (!line || sscanf(line, "\nSigIgn: %" SCNx64, ret_mask) != 1)
		return -EBADMSG;
	return 0;
}

pid_t procfs_pid_of(int pid_fd)
{
	char path[64], text[FD_SMALL];
	const char *line;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pid_fd);
	if (fd_read_small(AT_FDCWD, path, text) < 0)
		return 0;
	line = strstr(text, "Pid:");
	return line ? (pid_t)atoi(line + strlen("Pid:")) : 0;
}
