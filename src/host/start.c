/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The short way into the protected copy of rung: before the C library starts, so
 * that its start is paid once.  Nothing here may use the library, the stack
 * protector or a pointer in static data, which is not relocated yet.  Whatever
 * fails is left to selfexe_protect(), which tries again and can say what is wrong.
 */
#include "host/start.h"

#include <stdbool.h>

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

#include "host/selfexe.h"

#if defined(__x86_64__) || defined(__aarch64__)

/* The protector reads its canary through a register that the library sets up. */
#define early __attribute__((no_stack_protector))

#ifdef __x86_64__
early static inline long call(long number, const long args[5])
{
	register long r10 __asm__("r10") = args[3];
	register long r8 __asm__("r8") = args[4];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(args[0]), "S"(args[1]), "d"(args[2]), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return result;
}
#else
early static inline long call(long number, const long args[5])
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = args[0];
	register long x1 __asm__("x1") = args[1];
	register long x2 __asm__("x2") = args[2];
	register long x3 __asm__("x3") = args[3];
	register long x4 __asm__("x4") = args[4];

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
			 : "memory");
	return x0;
}
#endif

early static bool equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* Whether a command is named that enters a container; another word may be taken for one. */
early static bool may_enter(char *const *argv)
{
	for (; *argv; argv++)
		if (equal(*argv, "create") || equal(*argv, "run") || equal(*argv, "exec"))
			return true;
	return false;
}

early static void execute_protected(char *const *argv, char *const *environment)
{
	const long exe[] = { AT_FDCWD, (long)"/proc/self/exe", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC,
			     0, 0 };
	struct mount_attr attr;
	long fd = call(SYS_open_tree, exe);
	const long flags[] = { fd, (long)"", AT_EMPTY_PATH, (long)&attr, sizeof(attr) };
	const long program[] = { fd, (long)"", (long)argv, (long)environment, AT_EMPTY_PATH };

	if (fd < 0)
		return;
	attr.attr_set = SELFEXE_MOUNT_ATTR;
	attr.attr_clr = attr.propagation = attr.userns_fd = 0;
	if (call(SYS_mount_setattr, flags) == 0)
		(void)call(SYS_execveat, program);
	(void)call(SYS_close, flags);
}

early void start_protected(long *stack)
{
	char **argv = (char **)(stack + 1);
	struct statfs fs;
	const long exe[] = { (long)"/proc/self/exe", (long)&fs, 0, 0, 0 };

	if (!may_enter(argv) || call(SYS_statfs, exe) < 0 ||
	    (fs.f_flags & SELFEXE_MOUNT_FLAGS) == SELFEXE_MOUNT_FLAGS)
		return;
	execute_protected(argv, argv + *stack + 1);
}

#endif
