/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a hook finds when it runs, and what is told of one that fails. */
#include "child.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/scope.h"
#include "base/str.h"
#include "host/hook.h"

enum { SLOW_MS = 20000 };

#define SCRIPT(text)                                                                    \
	{                                                                               \
		.path = "/bin/sh",                                                      \
		.argv = (char *[]){ (char *)"hook", (char *)"-c", (char *)text, NULL }, \
		.timeout_ms = SLOW_MS                                                   \
	}

static const struct hook_call plain_call = { .state_json = "{\"id\":\"x\"}" };

static int run_with(struct hook *hooks, size_t len, const struct hook_call *call, struct err *err)
{
	const struct hooks_plan plan = { .of[HOOK_POSTSTART] = { hooks, len } };

	*err = (struct err){ 0 };
	(void)unlink("out");
	return hooks_run(&plan, HOOK_POSTSTART, call, err);
}

/* Runs the one hook well and compares what it wrote to the file "out". */
static void expect(struct hook hook, const struct hook_call *call, const char *want)
{
	char got[4096];
	struct err err;

	if (run_with(&hook, 1, call, &err) < 0)
		fail_msg("%s", err.text);
	get("out", got, sizeof(got));
	assert_string_equal(got, want);
}

static void expect_failure(struct hook hook, const char *want)
{
	struct err err;

	assert_int_equal(run_with(&hook, 1, &plain_call, &err), -1);
	assert_string_equal(err.text, want);
}

static void test_input_and_arguments(void **state)
{
	struct hook named = SCRIPT("printf '%s %s' \"$0\" \"$#\" >out");

	(void)state;
	expect((struct hook)SCRIPT("cat >out"), &plain_call, "{\"id\":\"x\"}");
	named.argv = (char *[]){ (char *)"hook", (char *)"-c",	named.argv[2],
				 (char *)"zero", (char *)"one", NULL };
	expect(named, &plain_call, "zero 1");
}

static void test_environment(void **state)
{
	static char *given[] = { (char *)"GIVEN=1", NULL }, *spare[] = { (char *)"SPARE=1", NULL };
	struct hook hook = SCRIPT("echo ${HOME-none} ${GIVEN-none} ${SPARE-none} >out");
	const struct hook_call with_default = { .state_json = "", .default_env = spare };

	(void)state;
	assert_int_equal(setenv("HOME", "/", 1), 0);
	expect(hook, &plain_call, "none none none\n");
	expect(hook, &with_default, "none none 1\n");
	hook.envp = given;
	expect(hook, &with_default, "none 1 none\n");
}

/* Descriptors, signals and session are its own, whatever its caller has. */
static void test_surroundings(void **state)
{
	const int extra = open("/dev/null", O_RDONLY); /* not to be closed on exec */
	static const unsigned long ignore[4] = { 1 };  /* SIG_IGN, as the kernel has it */
	sigset_t blocked, before;

	(void)state;
	assert_true(extra > 2);
	(void)sigfillset(&blocked);
	(void)sigprocmask(SIG_BLOCK, &blocked, &before);
	(void)signal(SIGPIPE, SIG_IGN);
	for (int own = 32; own <= 33; own++) /* of the C library, which does not touch them */
		assert_int_equal(syscall(SYS_rt_sigaction, own, ignore, NULL, 8), 0);
	expect((struct hook)SCRIPT("ls /proc/$$/fd | tr '\\n' ' ' >out"), &plain_call, "0 1 2 ");
	expect((struct hook)SCRIPT(
		       "grep -E '^Sig(Blk|Ign)' /proc/$$/status | tr -s '\\t\\n' ' ' >out"),
	       &plain_call, "SigBlk: 0000000000000000 SigIgn: 0000000000000000 ");
	expect((struct hook)SCRIPT(
		       "read a b c d e f g </proc/$$/stat; [ $f = $$ ] && echo own >out"),
	       &plain_call, "own\n");
	(void)signal(SIGPIPE, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	(void)close(extra);
}

static void test_directory_of_work(void **state)
{
	autofree char *cwd = getcwd(NULL, 0);
	autofree char *script = str_printf("pwd >%s/out", cwd);
	const struct hook_call in_usr = { .state_json = "", .cwd = "/usr" },
			       gone = { .state_json = "", .cwd = "/no/such" };
	struct hook hook = SCRIPT("");

	(void)state;
	hook.argv = (char *[]){ (char *)"sh", (char *)"-c", script, NULL };
	expect(hook, &in_usr, "/usr\n");
	expect(hook, &gone, "/\n"); /* a bundle that has been removed */
}

static void test_large_state(void **state)
{
	enum { SIZE = 3 << 20 };
	autofree char *text = malloc(SIZE + 1);
	const struct hook_call call = { .state_json = text };

	(void)state;
	assert_non_null(text);
	memset(text, 'x', SIZE);
	text[SIZE] = '\0';
	expect((struct hook)SCRIPT("wc -c | tr -d ' ' >out"), &call, "3145728\n");
	expect((struct hook)SCRIPT("echo unread >out"), &call, "unread\n");
	expect((struct hook)SCRIPT("exec <&-; sleep 0.1; echo closed >out"), &call, "closed\n");
}

static void test_failures(void **state)
{
	struct hook missing = SCRIPT("");

	(void)state;
	expect_failure((struct hook)SCRIPT("exit 2"),
		       "error running poststart hook #0: /bin/sh: exit status 2");
	expect_failure((struct hook)SCRIPT("echo one >&2; echo two >&2; exit 3"),
		       "error running poststart hook #0: /bin/sh: exit status 3, stderr: one two");
	expect_failure(
		(struct hook)SCRIPT("kill -SEGV $$"),
		"error running poststart hook #0: /bin/sh: killed by signal 11 (segmentation fault)");
	missing.path = "/no/such/hook";
	expect_failure(missing, "error running poststart hook #0: /no/such/hook: exit status 127, "
				"stderr: exec /no/such/hook: No such file or directory");
}

/* Of much output the end is told, for that is where the reason is. */
static void test_much_output(void **state)
{
	struct hook hook =
		SCRIPT("i=0; while [ $i -lt 3000 ]; do echo noise $i >&2; i=$((i+1)); done; "
		       "echo reason >&2; exit 1");
	struct err err;

	(void)state;
	assert_int_equal(run_with(&hook, 1, &plain_call, &err), -1);
	assert_true(str_ends(err.text, "noise 2999 reason"));
	assert_true(strlen(err.text) < 700);
}

/* A process that outlives its time is killed with all that it started. */
static void test_timeout(void **state)
{
	struct hook hook = SCRIPT("sleep 1234 & echo $! >out; wait");
	long long begin = clock_ms();
	char pid[32];
	struct err err;

	(void)state;
	hook.timeout_ms = 300;
	assert_int_equal(run_with(&hook, 1, &plain_call, &err), -1);
	assert_string_equal(err.text, "error running poststart hook #0: /bin/sh: "
				      "not done within 300 ms, killed");
	assert_true(clock_ms() - begin >= 300 && clock_ms() - begin < SLOW_MS);
	get("out", pid, sizeof(pid));
	for (int i = 0; i < 100 && kill(atoi(pid), 0) == 0; i++) { /* until it is reaped */
		char path[64], text[512] = "";

		(void)snprintf(path, sizeof(path), "/proc/%d/stat", atoi(pid));
		if (access(path, F_OK) == 0)
			get(path, text, sizeof(text));
		if (strstr(text, ") Z "))
			return;
		(void)usleep(10000);
	}
	assert_int_equal(kill(atoi(pid), 0), -1);
}

/* What a hook leaves running in the background does not hold its caller up. */
static void test_background(void **state)
{
	long long begin = clock_ms();

	(void)state;
	expect((struct hook)SCRIPT("sleep 3 >&2 & echo done >out"), &plain_call, "done\n");
	assert_true(clock_ms() - begin < 2500);
}

static void test_order(void **state)
{
	struct hook hooks[] = { SCRIPT("echo 0 >>out"), SCRIPT("echo 1 >>out; exit 1"),
				SCRIPT("echo 2 >>out") };
	struct err err;
	char text[32];

	(void)state;
	assert_int_equal(run_with(hooks, ARRAY_LEN(hooks), &plain_call, &err), -1);
	assert_non_null(strstr(err.text, "hook #1: "));
	get("out", text, sizeof(text));
	assert_string_equal(text, "0\n1\n");
}

static unsigned reports;

__attribute__((format(printf, 1, 2))) static void report(const char *fmt, ...)
{
	char text[1200];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	assert_string_equal(text, reports++ == 0 ?
					  "error running poststop hook #0: /bin/sh: exit status 1" :
					  "error running poststop hook #2: /bin/sh: exit status 2");
}

static void test_all_of_them(void **state)
{
	struct hook hooks[] = { SCRIPT("echo 0 >>out; exit 1"), SCRIPT("echo 1 >>out"),
				SCRIPT("echo 2 >>out; exit 2") };
	const struct hooks_plan plan = { .of[HOOK_POSTSTOP] = { hooks, ARRAY_LEN(hooks) } };
	char text[32];

	(void)state;
	(void)unlink("out");
	hooks_run_all(&plan, HOOK_POSTSTOP, &plain_call, report);
	assert_int_equal(reports, 2);
	get("out", text, sizeof(text));
	assert_string_equal(text, "0\n1\n2\n");
}

static void test_output_files(void **state)
{
	struct hook hook = SCRIPT("echo out; echo err >&2; exit 1");
	const struct hooks_plan plan = { .of[HOOK_POSTSTART] = { &hook, 1 },
					 .stdout_path = "hook.out",
					 .stderr_path = "hook.err" };
	struct err err = { 0 };
	char text[32];

	(void)state;
	for (int i = 0; i < 2; i++) /* appended */
		assert_int_equal(hooks_run(&plan, HOOK_POSTSTART, &plain_call, &err), -1);
	assert_string_equal(err.text, "error running poststart hook #0: /bin/sh: exit status 1");
	get("hook.out", text, sizeof(text));
	assert_string_equal(text, "out\nout\n");
	get("hook.err", text, sizeof(text));
	assert_string_equal(text, "err\nerr\n");
}

static void without_descriptors(void)
{
	struct hook hook = SCRIPT("true");
	struct err err;
	int first = open("/dev/null", O_RDONLY | O_CLOEXEC), next;

	for (int left = 0; left < 5; left++) { /* of the five that are needed */
		const struct rlimit limit = { (rlim_t)(first + left), (rlim_t)(first + 64) };

		(void)close(first);
		check(setrlimit(RLIMIT_NOFILE, &limit) == 0);
		check(run_with(&hook, 1, &plain_call, &err) == -1);
		check_text(err.text, "too many open files");
		check(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ (rlim_t)(first + 64),
								 (rlim_t)(first + 64) }) == 0);
		next = open("/dev/null", O_RDONLY | O_CLOEXEC);
		check(next == first); /* none is left behind */
	}
}

static void test_no_descriptors(void **state)
{
	(void)state;
	in_child(without_descriptors);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_input_and_arguments),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_surroundings),
		cmocka_unit_test(test_directory_of_work),
		cmocka_unit_test(test_large_state),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_much_output),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_background),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_all_of_them),
		cmocka_unit_test(test_output_files),
		cmocka_unit_test(test_no_descriptors),
	};

	return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
