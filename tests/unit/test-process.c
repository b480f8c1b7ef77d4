/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What host/ does to a process, seen by the kernel afterwards.  Each case has a
 * child of its own; without root all but the texts are skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"
#include "host/keyring.h"
#include "host/lsm.h"
#include "host/proc.h"
#include "host/process.h"

#define BIT(cap) (1ULL << (cap))

enum { LAST_CAP = 40 };

/* In the child: tells what is wrong and ends it. */
static void check(bool good, const char *what)
{
	if (good)
		return;
	(void)fprintf(stderr, "# %s (errno %d)\n", what, errno);
	_exit(1);
}

static void check_text(const char *got, const char *want)
{
	if (strstr(got, want))
		return;
	(void)fprintf(stderr, "# want \"%s\", got \"%s\"\n", want, got);
	_exit(1);
}

/* Runs @body in a child, which is to end well. */
static void in_child(void (*body)(const void *), const void *argument)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		body(argument);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void need_root(void)
{
	if (geteuid() != 0) {
		print_message("# skipped: needs root\n");
		skip();
	}
}

static char directory[] = "/tmp/rung-test-XXXXXX";

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) && chmod(directory, 0755) == 0 ? 0 : -1;
}

static int remove_directory(void **state)
{
	const char *const argv[] = { "rm", "-rf", directory, NULL };
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		(void)execvp("rm", (char *const *)argv);
		_exit(1);
	}
	return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

/* @name in the test's directory; valid until the next call. */
static const char *in_directory(const char *name)
{
	static char path[200];

	(void)snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void write_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), path);
	check(fchmod(fd, mode) == 0 && close(fd) == 0, path);
}

static void get_caps(uint64_t caps[CAPS_SETS])
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	check(syscall(SYS_capget, &header, data) == 0, "capget");
	caps[CAPS_EFFECTIVE] = data[0].effective | (uint64_t)data[1].effective << 32;
	caps[CAPS_PERMITTED] = data[0].permitted | (uint64_t)data[1].permitted << 32;
	caps[CAPS_INHERITABLE] = data[0].inheritable | (uint64_t)data[1].inheritable << 32;
	caps[CAPS_BOUNDING] = caps[CAPS_AMBIENT] = 0;
	for (int cap = 0; cap <= LAST_CAP; cap++) {
		if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1)
			caps[CAPS_BOUNDING] |= BIT(cap);
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) == 1)
			caps[CAPS_AMBIENT] |= BIT(cap);
	}
}

static void drop_effective(uint64_t mask)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	check(syscall(SYS_capget, &header, data) == 0, "capget");
	data[0].effective &= (uint32_t)~mask;
	data[1].effective &= (uint32_t)(~mask >> 32);
	check(syscall(SYS_capset, &header, data) == 0, "capset");
}

/* Becomes what @argument says, and has exactly the sets asked for as far as they were held (C04). */
static void become_with_caps(const void *argument)
{
	const struct process_plan *plan = argument;
	uint64_t before[CAPS_SETS], after[CAPS_SETS];
	struct err err;

	get_caps(before);
	check(process_become(plan, &err) == 0, err.text);
	get_caps(after);
	check(after[CAPS_BOUNDING] == (plan->caps[CAPS_BOUNDING] & before[CAPS_BOUNDING]),
	      "bounding");
	for (int set = CAPS_EFFECTIVE; set < CAPS_SETS; set++)
		check(after[set] == (plan->caps[set] & before[CAPS_PERMITTED]), "another set");
	check(prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0) == 0, "keepcaps is on");
}

static void test_capabilities(void **state)
{
	static const uint32_t uids[] = { 0, 1000 };

	(void)state;
	need_root();
	for (size_t i = 0; i < ARRAY_LEN(uids); i++)
		for (int cap = -1; cap <= LAST_CAP; cap++) {
			uint64_t mask = cap < 0 ? 0 : BIT(cap);
			struct process_plan plan = { .uid = uids[i],
						     .cwd = "/",
						     .caps = { mask, mask, mask, mask, mask } };

			in_child(become_with_caps, &plan);
			plan.caps[CAPS_AMBIENT] = plan.caps[CAPS_INHERITABLE] = 0;
			in_child(become_with_caps, &plan);
		}
}

/* Inheritable, but not in the bounding set: it can't be, and that is no failure (R82). */
static void become_unbounded(const void *argument)
{
	const struct process_plan plan = { .uid = *(const uint32_t *)argument,
					   .cwd = "/",
					   .caps = { [CAPS_PERMITTED] = BIT(CAP_KILL),
						     [CAPS_INHERITABLE] = BIT(CAP_KILL),
						     [CAPS_AMBIENT] = BIT(CAP_KILL) } };
	uint64_t caps[CAPS_SETS];
	struct err err;

	check(process_become(&plan, &err) == 0, err.text);
	get_caps(caps);
	check(caps[CAPS_PERMITTED] == BIT(CAP_KILL), "permitted");
	check(!caps[CAPS_INHERITABLE] && !caps[CAPS_AMBIENT] && !caps[CAPS_BOUNDING], "more");
}

static void become_user(const void *argument)
{
	static gid_t groups[] = { 9, 8, 65534 };
	struct process_plan plan = { .uid = 1000,
				     .gid = 7,
				     .cwd = "/",
				     .umask = 027,
				     .groups = groups,
				     .groups_len = 3,
				     .no_new_privs = true };
	uid_t ids[6];
	gid_t got[10];
	struct err err;

	(void)argument;
	check(process_become(&plan, &err) == 0, err.text);
	check(getresuid(&ids[0], &ids[1], &ids[2]) == 0, "getresuid");
	check(getresgid(&ids[3], &ids[4], &ids[5]) == 0, "getresgid");
	for (int i = 0; i < 3; i++)
		check(ids[i] == 1000 && ids[3 + i] == 7, "ids");
	check(getgroups(10, got) == 3, "number of groups");
	check(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1, "no_new_privs");
	check(umask(0) == 027, "umask");
}

static void become_without_groups(const void *argument)
{
	static const gid_t groups[] = { 1, 2 };
	struct process_plan plan = { .uid = 1000, .gid = 7, .cwd = "/" };

	(void)argument;
	check(setgroups(2, groups) == 0, "setgroups");
	check(process_become(&plan, NULL) == 0, "become");
	check(getgroups(0, NULL) == 0, "groups of the caller are left");
}

static void test_ids(void **state)
{
	static const uint32_t root = 0, user = 1000;

	(void)state;
	need_root();
	in_child(become_user, NULL);
	in_child(become_without_groups, NULL);
	in_child(become_unbounded, &root);
	in_child(become_unbounded, &user);
}

static void enter_users_own(const void *argument)
{
	struct process_plan plan = { .uid = 1000, .cwd = argument };
	char path[300];
	struct err err;

	drop_effective(BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH));
	check(chdir(plan.cwd) < 0 && errno == EACCES, "this test is of no use");
	check(process_become(&plan, &err) == 0, err.text);
	check(getcwd(path, sizeof(path)) && str_eq(path, plan.cwd), "cwd");
}

static void enter_roots_own(const void *argument)
{
	struct process_plan plan = { .uid = 1000, .cwd = argument };

	check(process_become(&plan, NULL) == 0, "become");
	check(chdir(plan.cwd) < 0 && errno == EACCES, "this test is of no use");
}

static void enter_neither(const void *argument)
{
	struct process_plan plan = { .uid = 1000, .cwd = argument };
	struct err err;

	drop_effective(BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH));
	check(process_become(&plan, &err) < 0, "entered");
	check_text(err.text, "process.cwd: chdir to");
	check_text(err.text, "permission denied");
}

/* CVE-2024-21626: the directory is of the host, outside of the root. */
static void enter_outside(const void *argument)
{
	struct process_plan plan = { .cwd = "." };
	struct err err;

	check(chdir("/") == 0 && chroot(argument) == 0, "chroot");
	check(process_become(&plan, &err) < 0, "became");
	check_text(err.text, "process.cwd: \".\" is outside of the container");
}

static void test_cwd(void **state)
{
	char *path = strdup(in_directory("private"));

	(void)state;
	need_root();
	assert_int_equal(mkdir(path, 0700), 0);
	in_child(enter_roots_own, path);
	assert_int_equal(chown(path, 1000, 1000), 0);
	in_child(enter_users_own, path);
	assert_int_equal(chown(path, 1001, 1001), 0);
	in_child(enter_neither, path);
	in_child(enter_outside, directory);
	free(path);
}

struct program_row {
	const char *name, *path, *want; /* a path, or a text */
};

static void find_programs(const void *argument)
{
	const struct program_row *row = argument;
	char *argv[] = { (char *)row->name, NULL }, *envp[] = { (char *)row->path, NULL };
	const struct process_plan user = { .uid = 1000, .cwd = directory };
	const struct process_plan plan = { .argv = argv, .envp = envp };
	char path[PATH_MAX];
	struct err err = { .text = "" };

	check(process_become(&user, &err) == 0, err.text);
	if (process_find_program(&plan, path, &err) == 0)
		check_text(path, row->want);
	else
		check(str_eq(err.text, row->want), err.text);
}

static void test_programs(void **state)
{
	static const struct program_row rows[] = {
		{ "good", "PATH=bin", "bin/good" },
		{ "bin/good", "PATH=", "bin/good" },
		{ "good", "PATH=none:bin/good:bin", "bin/good" },
		{ "good", "PATH=none", "exec: \"good\": executable file not found in $PATH" },
		{ "nosuch", "PATH=bin", "exec: \"nosuch\": executable file not found in $PATH" },
		{ "folder", "PATH=bin", "exec: \"folder\": executable file not found in $PATH" },
		{ "roots", "PATH=bin", "exec: \"roots\": permission denied" },
		{ "data", "PATH=bin", "exec: \"data\": permission denied" },
		{ "good", "PATH=locked:bin", "bin/good" },
		{ "./nosuch", "PATH=bin", "exec: \"./nosuch\": no such file or directory" },
		{ "bin/roots", "PATH=bin", "exec: \"bin/roots\": permission denied" },
		{ "bin/folder", "PATH=bin", "exec: \"bin/folder\": is a directory" },
		{ "bin/pipe", "PATH=bin", "exec: \"bin/pipe\": permission denied" },
		{ "bin/good/x", "PATH=bin", "exec: \"bin/good/x\": not a directory" },
		{ "good", "PATH=", "./good" },
		{ "sh", "X=1", "/bin/sh" },
	};

	(void)state;
	need_root();
	assert_int_equal(mkdir(in_directory("bin"), 0755), 0);
	assert_int_equal(mkdir(in_directory("bin/folder"), 0755), 0);
	assert_int_equal(mkdir(in_directory("locked"), 0700), 0);
	assert_int_equal(mkfifo(in_directory("bin/pipe"), 0777), 0);
	assert_int_equal(chmod(in_directory("bin/pipe"), 0777), 0);
	write_file(in_directory("good"), "", 0755);
	write_file(in_directory("bin/good"), "", 0755);
	write_file(in_directory("bin/roots"), "", 0744);
	write_file(in_directory("bin/data"), "", 0644);
	write_file(in_directory("locked/good"), "", 0755);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		in_child(find_programs, &rows[i]);
}

/* Not a test of mode bits: a capability may grant it (R69). */
static void find_by_capability(const void *argument)
{
	char *argv[] = { (char *)argument, NULL }, *envp[] = { NULL };
	const struct process_plan plan = { .uid = 1000,
					   .cwd = directory,
					   .argv = argv,
					   .envp = envp,
					   .caps = { [CAPS_EFFECTIVE] = BIT(CAP_DAC_OVERRIDE),
						     [CAPS_PERMITTED] = BIT(CAP_DAC_OVERRIDE) } };
	char path[PATH_MAX];
	struct err err;

	check(process_become(&plan, &err) == 0, err.text);
	check(process_find_program(&plan, path, &err) == 0, err.text);
}

static void test_program_by_capability(void **state)
{
	(void)state;
	need_root();
	in_child(find_by_capability, "bin/roots");
}

struct home_row {
	const char *passwd; /* NULL: leave what is there */
	const char *want;
};

static void find_home(const void *argument)
{
	const struct home_row *row = argument;
	char home[PROCESS_HOME_SIZE] = "";
	const struct process_plan plan = { .uid = 1000, .home = home };

	check(chroot(directory) == 0 && chdir("/") == 0, "chroot");
#ifndef __SANITIZE_ADDRESS__
	check(setrlimit(RLIMIT_AS, &(struct rlimit){ 64 << 20, 64 << 20 }) == 0, "setrlimit");
#endif
	(void)alarm(5);
	process_fix_home(&plan);
	if (!str_eq(home, row->want)) {
		(void)fprintf(stderr, "# want %s, got %.100s\n", row->want, home);
		_exit(1);
	}
}

static void test_home(void **state)
{
	static const struct home_row rows[] = {
		{ "", "HOME=/" },
		{ "u:x:1000:1:n:/home/u:/bin/sh\n", "HOME=/home/u" },
		{ "u:x:1000:1:n:/home/u:/bin/sh", "HOME=/home/u" },
		{ "u:x:1000:1:n:/home/u", "HOME=/home/u" },
		{ "a:x:10000:1:n:/a:s\nu:x:1000:1:n:/u:s\nv:x:1000:1:n:/v:s\n", "HOME=/u" },
		{ "a:x:1:1:n:/a:s\n", "HOME=/" },
		{ "1000:x:1:1:n:/a:s\n", "HOME=/" },
		{ "u:x:+1000:1:n:/a:s\nu:x: 1000:1:n:/b:s\n", "HOME=/" },
		{ "u:x:1000:1:n:relative:s\n", "HOME=/" },
		{ "u:x:1000:1:n::s\n", "HOME=/" },
		{ "u:x:1000:1\n", "HOME=/" },
		{ "\n\n::::::\nu:x:1000:1:n:/u:s\n", "HOME=/u" },
	};

	(void)state;
	need_root();
	assert_int_equal(mkdir(in_directory("etc"), 0755), 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		write_file(in_directory("etc/passwd"), rows[i].passwd, 0644);
		in_child(find_home, &rows[i]);
	}
	assert_int_equal(unlink(in_directory("etc/passwd")), 0);
	in_child(find_home, &(struct home_row){ NULL, "HOME=/" });
	assert_int_equal(symlink("/passwd", in_directory("etc/passwd")), 0);
	write_file(in_directory("passwd"), "u:x:1000:1:n:/linked:s", 0644);
	in_child(find_home, &(struct home_row){ NULL, "HOME=/linked" });
	assert_int_equal(unlink(in_directory("etc/passwd")), 0);
}

/* An image may hold anything by that name: no hang, no memory (C08). */
static void test_hostile_passwd(void **state)
{
	static const struct home_row nothing = { NULL, "HOME=/" }, found = { NULL, "HOME=/u" };
	static const char entry[] = "\nu:x:1000:1:n:/u:s\n";
	char *path = strdup(in_directory("etc/passwd"));

	(void)state;
	need_root();
	assert_int_equal(mkfifo(path, 0666), 0);
	in_child(find_home, &nothing);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	in_child(find_home, &nothing);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(mknod(path, S_IFCHR | 0666, 1 << 8 | 5), 0);
	in_child(find_home, &nothing);
	assert_int_equal(unlink(path), 0);

	write_file(path, "", 0644);
	assert_int_equal(truncate(path, 1 << 30), 0);
	in_child(find_home, &nothing);
	for (int i = 0; i < 2; i++) { /* a line that is too long, before and beyond the limit */
		int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

		assert_int_equal(pwrite(fd, entry, sizeof(entry) - 1, i ? 1 << 20 : 500000), 19);
		(void)close(fd);
		in_child(find_home, i ? &nothing : &found);
	}
	assert_int_equal(unlink(path), 0);
	free(path);
}

static void limit(const void *argument)
{
	struct process_rlimit limits[] = {
		{ RLIMIT_NOFILE, "RLIMIT_NOFILE", 10, 20 },
		{ RLIMIT_CORE, "RLIMIT_CORE", 0, 100 },
	};
	const struct process_plan plan = { .rlimits = limits, .rlimits_len = 2 };
	struct rlimit is;
	struct err err;

	(void)argument;
	check(process_raise_rlimits(&plan, 0, &err) == 0, err.text);
	check(getrlimit(RLIMIT_NOFILE, &is) == 0 && is.rlim_max > 20, "raising has lowered");
	check(process_set_rlimits(&plan, 0, &err) == 0, err.text);
	check(getrlimit(RLIMIT_NOFILE, &is) == 0 && is.rlim_cur == 10 && is.rlim_max == 20,
	      "NOFILE");
	check(getrlimit(RLIMIT_CORE, &is) == 0 && is.rlim_cur == 0 && is.rlim_max == 100, "CORE");

	if (geteuid() == 0)
		drop_effective(BIT(CAP_SYS_RESOURCE));
	limits[1].hard = UINT64_MAX;
	check(process_set_rlimits(&plan, 0, &err) < 0, "raised without privilege");
	check_text(err.text,
		   "process.rlimits: RLIMIT_CORE: raise the hard limit from 100 to infinity");
	check(process_raise_rlimits(&plan, 0, &err) < 0, "raised without privilege");
	check_text(err.text, "RLIMIT_CORE");
}

static void test_rlimits(void **state)
{
	(void)state;
	in_child(limit, NULL);
}

static void score(const void *argument)
{
	struct process_plan plan = { .oom_score_adj = { true, 700 } };
	char text[20] = "";
	struct err err;
	int fd;

	(void)argument;
	check(process_set_oom_score(&plan, getpid(), &err) == 0, err.text);
	fd = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
	check(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && str_eq(text, "700\n"), "score");
	if (geteuid() == 0)
		drop_effective(BIT(CAP_SYS_RESOURCE));
	plan.oom_score_adj.value = -1000;
	check(process_set_oom_score(&plan, getpid(), &err) < 0, "lowered without privilege");
	check_text(err.text, "process.oomScoreAdj: lowering it to -1000 takes CAP_SYS_RESOURCE");
}

static void test_oom_score(void **state)
{
	(void)state;
	in_child(score, NULL);
}

static void schedule(const void *argument)
{
	const struct process_plan plan = {
		.schedule = { .set = true, .policy = SCHED_BATCH, .nice = 5 },
		.io_priority = { true, 2 << 13 | 6 },
		.personality = { true, PER_LINUX32 },
	};
	struct err err;

	(void)argument;
	check(setsid() > 0, "setsid");
	check(process_set_schedule(&plan, &err) == 0, err.text);
	check(sched_getscheduler(0) == SCHED_BATCH, "policy");
	check(getpriority(PRIO_PROCESS, 0) == 5, "nice");
	check(syscall(SYS_ioprio_get, 1, 0) == (2 << 13 | 6), "ioPriority");
	check(personality(0xffffffff) == PER_LINUX32, "personality");
}

static void affinity(const void *argument)
{
	cpu_set_t before, after;
	char list[16];
	struct err err;
	int cpu = 0;

	(void)argument;
	check(sched_getaffinity(0, sizeof(before), &before) == 0, "sched_getaffinity");
	while (!CPU_ISSET(cpu, &before))
		cpu++;
	(void)snprintf(list, sizeof(list), "%d", cpu);
	check(process_set_affinity(0, list, &err) == 0, err.text);
	check(sched_getaffinity(0, sizeof(after), &after) == 0, "sched_getaffinity");
	check(CPU_COUNT(&after) == 1 && CPU_ISSET(cpu, &after), "one CPU");
	check(process_set_affinity(0, NULL, &err) == 0, err.text);
	check(sched_getaffinity(0, sizeof(after), &after) == 0, "sched_getaffinity");
	check(CPU_COUNT(&after) >= CPU_COUNT(&before), "all CPUs");
}

static void test_schedule(void **state)
{
	(void)state;
	in_child(schedule, NULL);
	in_child(affinity, NULL);
}

static void own_mounts(void)
{
	check(unshare(CLONE_NEWNS) == 0, "unshare");
	check(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "make / private");
}

/* A procfs file in place of another (CVE-2025-52881): the private one doesn't see it. */
static void write_beside_mounts(const void *argument)
{
	char name[20] = "";
	int fd = -1, mounted_fd = -1;
	struct err err;

	(void)argument;
	own_mounts();
	check(mount("/proc/self/status", "/proc/self/comm", NULL, MS_BIND, NULL) == 0, "bind");
	check(proc_open(&fd, &err) == 0, err.text);
	check(proc_write(fd, "thread-self/comm", "first") == 0, "private procfs");
	check(prctl(PR_GET_NAME, name) == 0 && str_eq(name, "first"), "it landed elsewhere");
	check(proc_open_mounted(&mounted_fd, &err) == 0, err.text);
	check(proc_write(mounted_fd, "self/comm", "second") == -EXDEV, "wrote over a mount");
	check(proc_write(mounted_fd, "self/oom_score_adj", "0") == 0, "no mount here");
	check(proc_write(fd, "self/cwd/x", "x") == -ELOOP, "followed a magic link");
	check(proc_write(fd, "../x", "x") == -EXDEV, "left the procfs");
	check(proc_write(fd, "self/nosuch", "x") == -ENOENT, "nosuch");
}

static void refuse_false_proc(const void *argument)
{
	int fd = -1;
	struct err err;

	own_mounts();
	check(mount(argument, "/proc", "tmpfs", str_eq(argument, "none") ? 0 : MS_BIND, NULL) == 0,
	      "mount");
	check(proc_open_mounted(&fd, &err) < 0, "took it");
	check_text(err.text, "/proc is not a procfs");
}

static void test_proc(void **state)
{
	(void)state;
	need_root();
	in_child(write_beside_mounts, NULL);
	in_child(refuse_false_proc, "none");
	in_child(refuse_false_proc, "/proc/self");
	in_child(refuse_false_proc, "/tmp");
}

/* Another process of the container gets the same keyring, one of another container doesn't. */
static void join_keyring(const void *argument)
{
	char id[64];
	long mine, again, other;
	struct err err;

	(void)argument;
	(void)snprintf(id, sizeof(id), "rung-test-%d", (int)getpid());
	check(keyring_join(id, NULL, &err) == 0, err.text);
	mine = syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
	if (fork() == 0) {
		check(keyring_join("rung-test-other", NULL, &err) == 0, err.text);
		other = syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
		check(keyring_join(id, NULL, &err) == 0, err.text);
		again = syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
		check(mine > 0 && other != mine, "one keyring for two containers");
		check(again == mine, "two keyrings for one container");
		_exit(0);
	}
	check(wait((int *)id) > 0 && *(int *)id == 0, "the second process");
}

static void test_keyring(void **state)
{
	(void)state;
	if (syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0) < 0 &&
	    errno != ENOKEY) {
		print_message("# skipped: no keyrings here: %s\n", strerror(errno));
		skip();
	}
	in_child(join_keyring, NULL);
}

/* A label that no module takes is an error, never "started without". */
static void label(const void *argument)
{
	int fd = -1;
	struct err err;

	(void)argument;
	check(proc_open(&fd, &err) == 0, err.text);
	check(lsm_set_exec(&(struct lsm_labels){ .apparmor = "" }, fd, &err) == 0, "no label");
	if (!lsm_has_selinux()) {
		check(lsm_set_exec(&(struct lsm_labels){ .selinux = "a:b:c:s0" }, fd, &err) < 0,
		      "SELinux label");
		check_text(err.text, "process.selinuxLabel: apply \"a:b:c:s0\"");
		check(lsm_set_key_label("a:b:c:s0", fd, &err) < 0, "key label");
	}
	check(lsm_set_exec(&(struct lsm_labels){ .apparmor = "rung-no-such-profile" }, fd, &err) <
		      0,
	      "profile");
	check_text(err.text, "process.apparmorProfile: ");
}

static void test_confining_labels(void **state)
{
	static const struct {
		const char *label;
		bool confining;
	} rows[] = {
		{ "unconfined\n", false },
		{ "unconfined", false },
		{ "crun (unconfined)\n", false },
		{ "unconfined (unconfined)", false },
		{ "", true },
		{ "\n", true },
		{ "unconfined-foo (enforce)\n", true },
		{ "unconfined_foo\n", true },
		{ "unconfined (enforce)\n", true },
		{ "unconfin\n", true },
		{ " (unconfined)\n", true },
		{ "docker-default (enforce)\n", true },
		{ "docker-default (complain)\n", true },
		{ "a//&b (enforce)\n", true },
		{ "a//&b (unconfined)\n", true },
		{ "(unconfined) (enforce)\n", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (lsm_is_confining(rows[i].label) != rows[i].confining)
			fail_msg("\"%s\"", rows[i].label);
}

static void write_at(int dir_fd, const char *attr, const char *name, const char *text)
{
	autofree char *path = str_printf("%s/%s", attr, name);
	autoclose int fd = -1;

	fd = openat(dir_fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* @want is written to @attr/exec, where @current is absent for NULL. */
static void expect_apparmor(const char *attr, const char *current, bool no_new_privs,
			    const char *want)
{
	const struct lsm_labels labels = { .apparmor = "p", .no_new_privs = no_new_privs };
	char base[] = "/tmp/test-lsm-XXXXXX";
	autofree char *command = NULL;
	autofree char *path = NULL;
	autofree char *got = NULL;
	autoclose int fd = -1;
	struct err err = { 0 };

	assert_non_null(mkdtemp(base));
	command = str_printf("mkdir -p %s/%s", base, attr);
	assert_int_equal(system(command), 0);
	fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	write_at(fd, attr, "exec", "");
	if (current)
		write_at(fd, attr, "current", current);
	if (lsm_set_exec(&labels, fd, &err) < 0)
		fail_msg("%s", err.text);
	path = str_printf("%s/exec", attr);
	assert_true(fd_read_file(fd, path, 100, &got) > 0);
	assert_string_equal(got, want);
	free(command);
	command = str_printf("rm -r %s", base);
	assert_int_equal(system(command), 0);
}

static void test_apparmor_transition(void **state)
{
	static const char OWN[] = "thread-self/attr/apparmor", SHARED[] = "thread-self/attr";

	(void)state;
	expect_apparmor(OWN, "unconfined\n", false, "exec p");
	expect_apparmor(OWN, "unconfined\n", true, "exec p");
	expect_apparmor(OWN, "outer (enforce)\n", false, "exec p");
	expect_apparmor(OWN, "outer (enforce)\n", true, "stack p");
	expect_apparmor(OWN, "outer (unconfined)\n", true, "exec p");
	expect_apparmor(OWN, NULL, true, "stack p");
	expect_apparmor(OWN, NULL, false, "exec p");
	expect_apparmor(SHARED, "outer (complain)\n", true, "stack p");
	expect_apparmor(SHARED, "unconfined\n", true, "exec p");
}

static void test_labels(void **state)
{
	(void)state;
	need_root();
	in_child(label, NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_capabilities),
		cmocka_unit_test(test_confining_labels),
		cmocka_unit_test(test_apparmor_transition),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_cwd),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_program_by_capability),
		cmocka_unit_test(test_home),
		cmocka_unit_test(test_hostile_passwd),
		cmocka_unit_test(test_rlimits),
		cmocka_unit_test(test_oom_score),
		cmocka_unit_test(test_schedule),
		cmocka_unit_test(test_proc),
		cmocka_unit_test(test_keyring),
		cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests_name("process", tests, make_directory, remove_directory);
}
