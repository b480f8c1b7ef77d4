/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * native-syscalls - preloaded under valgrind: system calls that it does not know, which it would
 * answer with ENOSYS, are made on the real processor.
 *
 * A descriptor that they return takes the place of one that it knows, so that --track-fds
 * counts it.  clone3 has to be seen by it, which clone is.  Without valgrind this does nothing.
 * x86-64 alone, as the tests that use it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <valgrind/memcheck.h>

struct call {
	long number, args[6];
};

/*
 * Called through native() on the real processor, where there is no thread-local storage and no
 * library; called directly it is seen by valgrind as any other code.
 */
static long enter_kernel(const struct call *call)
{
	register long r10 __asm__("r10") = call->args[3];
	register long r8 __asm__("r8") = call->args[4];
	register long r9 __asm__("r9") = call->args[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(call->number), "D"(call->args[0]), "S"(call->args[1]),
			   "d"(call->args[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static long native(long thread, const struct call *call)
{
	(void)thread;
	return enter_kernel(call);
}

static long on_processor(const struct call *call)
{
	return (long)VALGRIND_NON_SIMD_CALL1(native, call);
}

static long with_errno(long result)
{
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

/* A call that makes a descriptor, in the place of one that valgrind has seen made. */
static long make_fd(const struct call *call)
{
	const int place = epoll_create1(EPOLL_CLOEXEC);
	long fd = place < 0 ? -errno : on_processor(call);
	const struct call move = { SYS_dup3, { fd, place, O_CLOEXEC } },
			  shut = { SYS_close, { fd } };

	if (fd >= 0) {
		(void)on_processor(&move);
		(void)on_processor(&shut);
		return place;
	}
	if (place >= 0)
		(void)close(place);
	return with_errno(fd);
}

/*
 * As a clone, which valgrind follows, and a write to cgroup.procs by the child, with a descriptor
 * from before, for in a new user namespace it could not open it.
 */
static long clone_as_before_clone3(const struct clone_args *args)
{
	const unsigned long flags = args->flags & ~CLONE_INTO_CGROUP;
	const struct call call = { SYS_clone,
				   { (long)(flags | args->exit_signal), 0, (long)args->pidfd } };
	int procs = -1;
	long pid;

	if (args->flags & CLONE_INTO_CGROUP) {
		procs = openat((int)args->cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC);
		if (procs < 0)
			return -1;
	}
	pid = enter_kernel(&call);
	if (pid == 0 && procs >= 0 && write(procs, "0", 1) != 1)
		_exit(126);
	if (procs >= 0)
		(void)close(procs);
	return with_errno(pid);
}

long syscall(long number, ...)
{
	struct call call = { .number = number };
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		call.args[i] = va_arg(ap, long);
	va_end(ap);
	(void)VALGRIND_MAKE_MEM_DEFINED(&call, sizeof(call)); /* those that it does not take */
	if (!RUNNING_ON_VALGRIND)
		return with_errno(enter_kernel(&call));
	switch (number) {
	case SYS_openat2:
	case SYS_open_tree:
	case SYS_fsopen:
	case SYS_fsmount:
	case SYS_pidfd_open:
		return make_fd(&call);
	case SYS_move_mount:
	case SYS_fsconfig:
	case SYS_mount_setattr:
	case SYS_pidfd_send_signal:
	case SYS_seccomp:
	case SYS_sched_setattr:
		return with_errno(on_processor(&call));
	case SYS_clone3:
		return clone_as_before_clone3((const struct clone_args *)call.args[0]);
	default:
		return with_errno(enter_kernel(&call));
	}
}
