/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * probe - says what a container's program finds itself to be.  Static, run inside.
 * usage: probe ITEM [ARGUMENT...], one line of output an item:
 *   fds            open descriptors, "N:TARGET" each, its own directory left out
 *   syscall N A... calls number N and prints the result or the error's name
 *   int80 N A      the same by the 32-bit gate of x86-64, with one argument; "none" elsewhere
 *   sched, ioprio, personality, keyring, dumpable, nnp, mempolicy, groups, pdeathsig, ctty
 *   env            the environment, one variable a line
 *   open PATH W|R  tries, prints "ok" or the error's name
 *   notify TEXT... sends a datagram each to $NOTIFY_SOCKET, "ok" or the error's name each
 *   spin           runs until killed
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

static void print_result(long value)
{
	if (value < 0)
		printf("%s\n", strerrorname_np(errno));
	else
		printf("%ld\n", value);
}

static int print_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[300], target[4096] = "";
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] == '.' || fd == dirfd(dir))
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (readlink(path, target, sizeof(target) - 1) < 0)
			strcpy(target, "?");
		printf("%d:%s ", fd, target);
	}
	printf("\n");
	return dir ? 0 : 1;
}

static int notify(char **text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	if (!path || fd < 0)
		return 1;
	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	for (; *text; text++)
		puts(sendto(fd, *text, strlen(*text), 0, (struct sockaddr *)&address,
			    sizeof(address)) < 0 ?
			     strerrorname_np(errno) :
			     "ok");
	return 0;
}

static int call(char **argument)
{
	long number = strtol(argument[0], NULL, 0), value[6] = { 0 };

	for (int i = 0; i < 6 && argument[i + 1]; i++)
		value[i] = strtol(argument[i + 1], NULL, 0);
	print_result(syscall(number, value[0], value[1], value[2], value[3], value[4], value[5]));
	return 0;
}

static int call_32(char **argument)
{
#ifdef __x86_64__
	long value;

	__asm__ volatile("int $0x80"
			 : "=a"(value)
			 : "a"(strtol(argument[0], NULL, 0)),
			   "b"(argument[1] ? strtol(argument[1], NULL, 0) : 0L)
			 : "memory", "r8", "r9", "r10", "r11");
	errno = (int)-value;
	print_result(value < 0 ? -1 : value);
#else
	(void)argument;
	printf("none\n");
#endif
	return 0;
}

static int print_sched(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = { .size = sizeof(attr) };

	if (syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) < 0)
		return 1;
	printf("policy=%u flags=%llu nice=%d priority=%u runtime=%llu deadline=%llu period=%llu\n",
	       attr.policy, (unsigned long long)attr.flags, attr.nice, attr.priority,
	       (unsigned long long)attr.runtime, (unsigned long long)attr.deadline,
	       (unsigned long long)attr.period);
	return 0;
}

static int print_keyring(void)
{
	char text[256] = "";
	long serial = syscall(SYS_keyctl, 0 /* KEYCTL_GET_KEYRING_ID */, -3, 0);

	if (serial < 0 ||
	    syscall(SYS_keyctl, 6 /* KEYCTL_DESCRIBE */, serial, text, sizeof(text)) < 0)
		return 1;
	printf("%s\n", text);
	return 0;
}

static int print_mempolicy(void)
{
	unsigned long nodes[16] = { 0 };
	int mode = -1;

	if (syscall(SYS_get_mempolicy, &mode, nodes, sizeof(nodes) * 8, NULL, 0) < 0)
		return 1;
	printf("mode=%d nodes=%lx\n", mode, nodes[0]);
	return 0;
}

static int print_groups(void)
{
	gid_t group[256];
	int count = getgroups(256, group);

	for (int i = 0; i < count; i++)
		printf("%u ", group[i]);
	printf("\n");
	return 0;
}

static int print_environment(void)
{
	for (char **at = environ; *at; at++)
		printf("%s\n", *at);
	return 0;
}

static int try_open(char **argument)
{
	int flags = argument[1] && argument[1][0] == 'W' ? O_WRONLY : O_RDONLY;

	if (open(argument[0], flags | O_NOCTTY) < 0)
		printf("%s\n", strerrorname_np(errno));
	else
		printf("ok\n");
	return 0;
}

static int print_number(const char *item)
{
	int signal = 0;

	if (!strcmp(item, "ioprio"))
		print_result(syscall(SYS_ioprio_get, 1, 0));
	else if (!strcmp(item, "personality"))
		print_result(syscall(SYS_personality, 0xffffffff));
	else if (!strcmp(item, "dumpable"))
		print_result(prctl(PR_GET_DUMPABLE));
	else if (!strcmp(item, "nnp"))
		print_result(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	else if (!strcmp(item, "pdeathsig"))
		print_result(prctl(PR_GET_PDEATHSIG, &signal) < 0 ? -1 : signal);
	else if (!strcmp(item, "ctty"))
		print_result(open("/dev/tty", O_RDWR) < 0 ? -1 : 0);
	else
		return 2;
	return 0;
}

int main(int argc, char **argv)
{
	const char *item = argc > 1 ? argv[1] : "";

	if (!strcmp(item, "fds"))
		return print_fds();
	if (!strcmp(item, "syscall") && argc > 2)
		return call(argv + 2);
	if (!strcmp(item, "int80") && argc > 2)
		return call_32(argv + 2);
	if (!strcmp(item, "sched"))
		return print_sched();
	if (!strcmp(item, "keyring"))
		return print_keyring();
	if (!strcmp(item, "mempolicy"))
		return print_mempolicy();
	if (!strcmp(item, "groups"))
		return print_groups();
	if (!strcmp(item, "env"))
		return print_environment();
	if (!strcmp(item, "open") && argc > 2)
		return try_open(argv + 2);
	if (!strcmp(item, "notify"))
		return notify(argv + 2);
	if (!strcmp(item, "spin"))
		for (;;)
			pause();
	return print_number(item);
}
