/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_process(): what is refused and why, and the values that host/ gets (R58-R95). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <linux/capability.h>
#include <ocispec.h>
#include <sys/resource.h>

#include "base/scope.h"
#include "base/str.h"
#include "host/caps.h"
#include "plan/plan.h"

#define ARGS	 "\"args\": [\"sh\"], \"cwd\": \"/\""
#define BIT(cap) (1ULL << (cap))

/* A plan of the document {..., "process": {@process}, @rest}; freed by done(). */
struct fixture {
	struct arena arena;
	struct plan_input in;
	struct plan plan;
	struct err err;
};

static int make(struct fixture *f, const char *process, const char *rest)
{
	autofree char *json = NULL;
	struct read_error error;

	json = str_printf("{\"ociVersion\": \"1.3.0\", \"process\": {%s}%s%s}", process,
			  *rest ? ", " : "", rest);
	f->in.config = ocispec_read(&oci_config_desc, json, strlen(json), &f->arena, &error);
	if (!f->in.config)
		return err_set(&f->err, "%s", error.text);
	return plan_process(&f->plan, &f->in, &f->err);
}

static void done(struct fixture *f)
{
	plan_free(&f->plan);
	arena_free(&f->arena);
}

/* Fails unless the process is refused with @want in the text, or accepted for NULL. */
static void expect(const char *process, const char *rest, const char *want)
{
	struct fixture f = { 0 };
	int result = make(&f, process, rest);

	if (want && result == 0)
		fail_msg("accepted: %s %s", process, rest);
	if (want && !strstr(f.err.text, want))
		fail_msg("%s %s: want \"%s\", got \"%s\"", process, rest, want, f.err.text);
	if (!want && result < 0)
		fail_msg("%s %s: %s", process, rest, f.err.text);
	done(&f);
}

struct row {
	const char *process, *want;
};

static void expect_all(const struct row *rows, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		autofree char *process = str_printf(ARGS ", %s", rows[i].process);

		expect(process, "", rows[i].want);
	}
}

static void test_program(void **state)
{
	(void)state;
	expect(ARGS, "", NULL);
	expect("\"cwd\": \"/\"", "", "process.args: at least one is required");
	expect("\"cwd\": \"/\", \"args\": []", "", "process.args: at least one is required");
	expect("\"cwd\": \"/\", \"args\": [\"\"]", "", "process.args[0]: empty");
	expect("\"args\": [\"sh\"]", "", "process.cwd");
	expect("\"args\": [\"sh\"], \"cwd\": \"\"", "",
	       "process.cwd: \"\" is not an absolute path");
	expect("\"args\": [\"sh\"], \"cwd\": \"a/b\"", "",
	       "process.cwd: \"a/b\" is not an absolute path");
}

static void test_refusals(void **state)
{
	static const struct row rows[] = {
		{ "\"env\": [\"NOEQ\"]", "process.env[0]: \"NOEQ\" is not NAME=value" },
		{ "\"env\": [\"A=1\", \"=v\"]", "process.env[1]: \"=v\" is not NAME=value" },
		{ "\"env\": [\"A\\u0000B=1\"]", "process.env[0]" },
		{ "\"env\": [\"A=\", \"B==\", \"C=a\\nb\"]", NULL },
		{ "\"user\": {\"uid\": 4294967295, \"gid\": 0}", "process.user.uid" },
		{ "\"user\": {\"uid\": 4294967296, \"gid\": 0}", "process.user.uid" },
		{ "\"user\": {\"uid\": -1, \"gid\": 0}", "process.user.uid" },
		{ "\"user\": {\"uid\": 1.5, \"gid\": 0}", "process.user.uid" },
		{ "\"user\": {\"uid\": \"0\", \"gid\": 0}", "process.user.uid" },
		{ "\"user\": {\"uid\": 0, \"gid\": 4294967295}", "process.user.gid" },
		{ "\"user\": {\"uid\": 0, \"additionalGids\": [4294967295]}",
		  "process.user.additionalGids" },
		{ "\"user\": {\"uid\": 4294967294, \"gid\": 2147483648}", NULL },
		{ "\"rlimits\": [{\"type\": \"RLIMIT_X\", \"soft\": 1, \"hard\": 1}]",
		  "process.rlimits[0].type: unknown value \"RLIMIT_X\"" },
		{ "\"rlimits\": [{\"type\": \"RLIMIT_CORE\", \"soft\": 2, \"hard\": 1}]",
		  "process.rlimits[0]: soft limit 2 is above the hard limit 1" },
		{ "\"rlimits\": [{\"type\": \"RLIMIT_CORE\", \"soft\": 1, \"hard\": 1},"
		  "{\"type\": \"RLIMIT_CORE\", \"soft\": 1, \"hard\": 1}]",
		  "process.rlimits[1].type: RLIMIT_CORE is there twice" },
		{ "\"rlimits\": [{\"type\": \"RLIMIT_CORE\", \"soft\": -1, \"hard\": 1}]",
		  "process.rlimits" },
		{ "\"oomScoreAdj\": 1001", "process.oomScoreAdj: 1001 is not in -1000..1000" },
		{ "\"oomScoreAdj\": -1001", "process.oomScoreAdj: -1001 is not in -1000..1000" },
		{ "\"oomScoreAdj\": -1000", NULL },
		{ "\"oomScoreAdj\": 1000", NULL },
		{ "\"capabilities\": {\"bounding\": [\"CAP_UNKNOWN\"]}", NULL },
	};

	(void)state;
	expect_all(rows, ARRAY_LEN(rows));
}

/* This machine may have either module: a label must be refused where it is missing. */
static void test_labels(void **state)
{
	static const char selinux[] = ARGS ", \"selinuxLabel\": \"not a context\"";
	static const char profile[] = ARGS ", \"apparmorProfile\": \"p\"";

	(void)state;
	if (access("/sys/fs/selinux/enforce", F_OK) < 0)
		expect(selinux, "", "process.selinuxLabel: SELinux is not enabled");
	else
		expect(selinux, "", "is no context of this host's SELinux policy");
	if (access("/sys/module/apparmor/parameters/enabled", F_OK) < 0)
		expect(profile, "", "process.apparmorProfile: AppArmor is not enabled");
	else
		expect(profile, "", NULL);
	expect(ARGS ", \"selinuxLabel\": \"\", \"apparmorProfile\": \"\"", "", NULL);
}

static void test_schedule(void **state)
{
	static const struct row rows[] = {
		{ "\"scheduler\": {}", "policy" },
		{ "\"scheduler\": {\"policy\": \"SCHED_X\"}", "process.scheduler.policy" },
		{ "\"scheduler\": {\"policy\": \"SCHED_OTHER\", \"nice\": 20}",
		  "process.scheduler.nice: 20 is not in -20..19" },
		{ "\"scheduler\": {\"policy\": \"SCHED_BATCH\", \"nice\": -21}",
		  "process.scheduler.nice" },
		{ "\"scheduler\": {\"policy\": \"SCHED_OTHER\", \"nice\": -20}", NULL },
		{ "\"scheduler\": {\"policy\": \"SCHED_OTHER\", \"priority\": 1}",
		  "process.scheduler.priority" },
		{ "\"scheduler\": {\"policy\": \"SCHED_FIFO\", \"priority\": 1}", NULL },
		{ "\"scheduler\": {\"policy\": \"SCHED_RR\", \"runtime\": 1}",
		  "runtime, deadline and period are for SCHED_DEADLINE alone" },
		{ "\"scheduler\": {\"policy\": \"SCHED_OTHER\", \"flags\": [\"X\"]}",
		  "process.scheduler.flags[0]: unknown value \"X\"; known: SCHED_FLAG_RESET_ON_FORK, " },
		{ "\"scheduler\": {\"policy\": \"SCHED_DEADLINE\"}", "SCHED_DEADLINE needs" },
		{ "\"scheduler\": {\"policy\": \"SCHED_DEADLINE\", \"runtime\": 1023, "
		  "\"deadline\": 2000}",
		  "SCHED_DEADLINE needs" },
		{ "\"scheduler\": {\"policy\": \"SCHED_DEADLINE\", \"runtime\": 3000, "
		  "\"deadline\": 2000}",
		  "SCHED_DEADLINE needs" },
		{ "\"scheduler\": {\"policy\": \"SCHED_DEADLINE\", \"runtime\": 2000, "
		  "\"deadline\": 3000, \"period\": 2500}",
		  "SCHED_DEADLINE needs" },
		{ "\"scheduler\": {\"policy\": \"SCHED_DEADLINE\", \"runtime\": 2000, "
		  "\"deadline\": 9223372036854775808}",
		  "below 2^63" },
		{ "\"scheduler\": {\"policy\": \"SCHED_DEADLINE\", \"runtime\": 1024, "
		  "\"deadline\": 2000}",
		  NULL },
		{ "\"ioPriority\": {}", "class" },
		{ "\"ioPriority\": {\"class\": \"X\"}", "process.ioPriority.class" },
		{ "\"ioPriority\": {\"class\": \"IOPRIO_CLASS_BE\", \"priority\": 8}",
		  "process.ioPriority.priority: 8 is not in 0..7" },
		{ "\"ioPriority\": {\"class\": \"IOPRIO_CLASS_BE\", \"priority\": -1}",
		  "process.ioPriority.priority" },
		{ "\"execCPUAffinity\": {\"initial\": \"0-\"}",
		  "process.execCPUAffinity.initial: \"0-\" is no list of CPUs" },
		{ "\"execCPUAffinity\": {\"final\": \"a\"}", "process.execCPUAffinity.final" },
		{ "\"execCPUAffinity\": {\"initial\": \"\", \"final\": \"0-3, 7\"}", NULL },
	};

	(void)state;
	expect_all(rows, ARRAY_LEN(rows));
}

static void test_memory_policy(void **state)
{
	static const struct row rows[] = {
		{ "{}", "invalid memory policy mode" },
		{ "{\"mode\": \"MPOL_X\"}", "linux.memoryPolicy.mode" },
		{ "{\"mode\": \"MPOL_DEFAULT\"}", NULL },
		{ "{\"mode\": \"MPOL_DEFAULT\", \"nodes\": \"\"}", NULL },
		{ "{\"mode\": \"MPOL_LOCAL\", \"nodes\": \"0\"}", "mode requires 0 nodes" },
		{ "{\"mode\": \"MPOL_BIND\"}", "mode requires at least one node" },
		{ "{\"mode\": \"MPOL_INTERLEAVE\", \"nodes\": \"\"}", "at least one node" },
		{ "{\"mode\": \"MPOL_PREFERRED\"}", NULL },
		{ "{\"mode\": \"MPOL_PREFERRED\", \"nodes\": \"0\"}", NULL },
		{ "{\"mode\": \"MPOL_BIND\", \"nodes\": \"0-x\"}", "memory policy nodes \"0-x\"" },
		{ "{\"mode\": \"MPOL_BIND\", \"nodes\": \"99999999999\"}", "memory policy nodes" },
		{ "{\"mode\": \"MPOL_BIND\", \"nodes\": \"0\", \"flags\": [\"MPOL_F_X\"]}",
		  "invalid memory policy flag \"MPOL_F_X\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		autofree char *rest =
			str_printf("\"linux\": {\"memoryPolicy\": %s}", rows[i].process);

		expect(ARGS, rest, rows[i].want);
	}
	expect(ARGS, "\"linux\": {\"personality\": {\"domain\": \"LINUX32\"}}", NULL);
	expect(ARGS, "\"linux\": {\"personality\": {}}", "linux.personality.domain");
	expect(ARGS, "\"linux\": {\"personality\": {\"domain\": \"BSD\"}}",
	       "linux.personality.domain: unknown value \"BSD\"; known: LINUX, LINUX32");
	expect(ARGS, "\"linux\": {\"personality\": {\"domain\": \"LINUX\", \"flags\": [\"X\"]}}",
	       "linux.personality.flags[0]: unknown value \"X\"; known: none");
	expect(ARGS, "\"linux\": {\"personality\": {\"domain\": \"LINUX\", \"flags\": []}}", NULL);
}

static void test_schedule_values(void **state)
{
	static const char process[] = ARGS
		", \"scheduler\": {\"policy\": \"SCHED_DEADLINE\", \"runtime\": 1024, "
		"\"deadline\": 2048, \"period\": 4096, \"flags\": [\"SCHED_FLAG_RESET_ON_FORK\", "
		"\"SCHED_FLAG_UTIL_CLAMP_MAX\"]}, "
		"\"ioPriority\": {\"class\": \"IOPRIO_CLASS_IDLE\", \"priority\": 5}";
	static const char rest[] = "\"linux\": {\"memoryPolicy\": {\"mode\": \"MPOL_BIND\", "
				   "\"nodes\": \"0-1,70\", \"flags\": [\"MPOL_F_STATIC_NODES\"]}, "
				   "\"personality\": {\"domain\": \"LINUX32\"}}";
	struct fixture f = { 0 };
	const struct process_plan *plan = &f.plan.process;

	(void)state;
	assert_int_equal(make(&f, process, rest), 0);
	assert_int_equal(plan->schedule.policy, 6);
	assert_int_equal(plan->schedule.flags, 0x41);
	assert_int_equal(plan->schedule.period_ns, 4096);
	assert_int_equal(plan->io_priority.value, 3 << 13 | 5);
	assert_int_equal(plan->memory_policy.mode, 2 | 1 << 15);
	assert_int_equal(plan->memory_policy.nodes[0], 3);
	assert_int_equal(plan->memory_policy.nodes[70 / (8 * sizeof(long))],
			 1UL << 70 % (8 * sizeof(long)));
	assert_int_equal(plan->personality.value, 8);
	done(&f);
}

/* @want: the whole environment with '|' after each variable. */
static void expect_environment(const char *env, unsigned listen_fds, const char *want)
{
	struct fixture f = { .in = { .listen_fds = listen_fds } };
	autofree char *process = str_printf(ARGS "%s%s", *env ? ", \"env\": " : "", env);
	char got[1000] = "";

	assert_int_equal(make(&f, process, ""), 0);
	for (char **entry = f.plan.process.envp; *entry; entry++)
		(void)snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s|", *entry);
	assert_string_equal(got, want);
	done(&f);
}

static void test_environment(void **state)
{
	(void)state;
	assert_int_equal(setenv("RUNG_TEST_MARKER", "1", 1), 0);
	expect_environment("", 0, "HOME=/|");
	expect_environment("[\"HOME=\"]", 0, "HOME=/|");
	expect_environment("[\"HOME=/a\"]", 0, "HOME=/a|");
	expect_environment("[\"HOME=/a\", \"B=1\", \"HOME=\"]", 0, "HOME=/|B=1|");
	expect_environment("[\"B=1\", \"HOME=\", \"HOME=/b\"]", 0, "B=1|HOME=/b|");
	expect_environment("[\"A=1\", \"AB=2\", \"A=3\", \"A.=4\", \"A=\", \"HOME=/\"]", 0,
			   "A=|AB=2|A.=4|HOME=/|");
	expect_environment("[\"HOME=/\", \"LISTEN_FDS=9\"]", 2,
			   "HOME=/|LISTEN_FDS=2|LISTEN_PID=1|");
	expect_environment("[\"HOME=/\", \"X=a=b\\nc\"]", 0, "HOME=/|X=a=b\nc|");
}

/* 100,000 variables, each name twice, and a value as long as can be (C09). */
static void test_large_environment(void **state)
{
	enum { VARIABLES = 100000, LONGEST = 32 * 4096 - 1 };
	struct oci_process process = { .args = { (char *[]){ (char *)"sh", NULL }, 1 },
				       .cwd = (char *)"/" };
	struct oci_config config = { .process = &process };
	struct fixture f = { .in = { .config = &config } };
	char **at = calloc(VARIABLES + 1, sizeof(*at));
	clock_t begin = clock();

	(void)state;
	for (size_t i = 0; i < VARIABLES; i++)
		at[i] = str_printf("V%zu=%zu", i % (VARIABLES / 2), i);
	at[VARIABLES] = calloc(LONGEST + 2, 1);
	memset(at[VARIABLES], 'x', LONGEST);
	memcpy(at[VARIABLES], "Z=", 2);
	process.env = (struct str_list){ at, VARIABLES + 1 };
	assert_int_equal(plan_process(&f.plan, &f.in, &f.err), 0);
	assert_string_equal(f.plan.process.envp[0], "V0=50000");
	assert_string_equal(f.plan.process.envp[VARIABLES / 2 - 1], "V49999=99999");
	assert_ptr_equal(f.plan.process.envp[VARIABLES / 2], at[VARIABLES]);
	assert_string_equal(f.plan.process.envp[VARIABLES / 2 + 1], "HOME=/");
	assert_null(f.plan.process.envp[VARIABLES / 2 + 2]);
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 5);

	at[VARIABLES][LONGEST] = 'x';
	assert_int_equal(plan_process(&f.plan, &f.in, &f.err), -1);
	assert_non_null(strstr(f.err.text, "process.env[100000]: longer than 131071 bytes"));
	for (size_t i = 0; i <= VARIABLES; i++)
		free(at[i]);
	free(at);
	plan_free(&f.plan);
}

static void test_capability_names(void **state)
{
	static const char *const bad[] = {
		"",	     "CAP_",	   "CHOWN",	 "cap_chown",	"Cap_Chown",
		"CAP_chown", "CAP_CHOWN ", " CAP_CHOWN", "CAP_CHOWNX",	"CAP_CHOWN,CAP_KILL",
		"CAP_0",     "0",	   "63",	 "CAP_UNKNOWN", "UNKNOWN_CAP"
	};
	char name[CAPS_NAME_SIZE];

	(void)state;
	assert_int_equal(caps_number("CAP_CHOWN"), CAP_CHOWN);
	assert_int_equal(caps_number("CAP_CHECKPOINT_RESTORE"), 40);
	for (int cap = 0; cap <= CAP_LAST_CAP; cap++)
		assert_int_equal(caps_number(caps_name(cap, name)), cap);
	assert_string_equal(caps_name(CAP_SYS_ADMIN, name), "CAP_SYS_ADMIN");
	assert_string_equal(caps_name(63, name), "CAP_63");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (caps_number(bad[i]) >= 0)
			fail_msg("\"%s\" is capability %d", bad[i], caps_number(bad[i]));
}

static void test_capabilities(void **state)
{
	static const char process[] = ARGS
		", \"capabilities\": {\"bounding\": [\"CAP_CHOWN\", \"CAP_KILL\", \"CAP_NO\"], "
		"\"permitted\": [\"CAP_KILL\", \"CAP_SETUID\"], "
		"\"inheritable\": [\"CAP_KILL\", \"cap_setuid\"], "
		"\"ambient\": [\"CAP_KILL\", \"CAP_SETUID\", \"CAP_CHOWN\"]}";
	struct fixture f = { 0 };
	const uint64_t *caps = f.plan.process.caps;

	(void)state;
	assert_int_equal(make(&f, process, ""), 0);
	assert_int_equal(caps[CAPS_BOUNDING], BIT(CAP_CHOWN) | BIT(CAP_KILL));
	assert_int_equal(caps[CAPS_EFFECTIVE], 0);
	assert_int_equal(caps[CAPS_PERMITTED], BIT(CAP_KILL) | BIT(CAP_SETUID));
	assert_int_equal(caps[CAPS_INHERITABLE], BIT(CAP_KILL));
	assert_int_equal(caps[CAPS_AMBIENT], BIT(CAP_KILL));
	done(&f);

	f = (struct fixture){ 0 };
	assert_int_equal(make(&f, ARGS, ""), 0);
	for (int set = 0; set < CAPS_SETS; set++)
		assert_int_equal(caps[set], 0);
	done(&f);
}

static void test_user(void **state)
{
	static const char process[] = ARGS
		", \"user\": {\"uid\": 1000, \"gid\": 7, \"umask\": 63, "
		"\"additionalGids\": [9, 8, 9]}, \"noNewPrivileges\": true, \"oomScoreAdj\": 0, "
		"\"rlimits\": [{\"type\": \"RLIMIT_CORE\", \"soft\": 1, "
		"\"hard\": 18446744073709551615}]";
	struct fixture f = { 0 };
	const struct process_plan *plan = &f.plan.process;

	(void)state;
	assert_int_equal(make(&f, process, ""), 0);
	assert_int_equal(plan->uid, 1000);
	assert_int_equal(plan->gid, 7);
	assert_int_equal(plan->umask, 077);
	assert_int_equal(plan->groups_len, 3);
	assert_int_equal(plan->groups[0], 9);
	assert_int_equal(plan->groups[1], 8);
	assert_true(plan->no_new_privs);
	assert_true(plan->oom_score_adj.set);
	assert_int_equal(plan->rlimits[0].resource, RLIMIT_CORE);
	assert_true(plan->rlimits[0].hard == UINT64_MAX);
	done(&f);

	f = (struct fixture){ 0 };
	assert_int_equal(make(&f, ARGS, ""), 0);
	assert_int_equal(plan->uid, 0);
	assert_int_equal(plan->umask, 022);
	assert_int_equal(plan->groups_len, 0);
	assert_false(plan->keep_groups);
	assert_false(plan->no_new_privs);
	assert_false(plan->oom_score_adj.set);
	done(&f);
}

/* Only ids that the user namespace has; no groups where setgroups(2) is denied (R71, R73, R264). */
static void test_mapped_ids(void **state)
{
	struct id_range one = { 0, 1000, 1 };
	static const struct row rows[] = {
		{ "{\"uid\": 0, \"gid\": 0}", NULL },
		{ "{\"uid\": 1, \"gid\": 0}", "process.user.uid: 1 is not mapped" },
		{ "{\"uid\": 0, \"gid\": 1}", "process.user.gid: 1 is not mapped" },
		{ "{\"uid\": 0, \"gid\": 0, \"additionalGids\": [5]}",
		  "process.user.additionalGids[0]: 5 is not mapped" },
		{ "{\"uid\": 0, \"gid\": 0, \"additionalGids\": [0]}", "setgroups(2) is denied" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fixture f = { 0 };
		autofree char *process = str_printf(ARGS ", \"user\": %s", rows[i].process);
		int result;

		f.plan.idmap = (struct idmap_plan){ .uid = { &one, 1 },
						    .gid = { &one, 1 },
						    .deny_setgroups = true };
		result = make(&f, process, "");
		assert_int_equal(result, rows[i].want ? -1 : 0);
		if (rows[i].want && !strstr(f.err.text, rows[i].want))
			fail_msg("want \"%s\", got \"%s\"", rows[i].want, f.err.text);
		done(&f);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_schedule),
		cmocka_unit_test(test_memory_policy),
		cmocka_unit_test(test_schedule_values),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_large_environment),
		cmocka_unit_test(test_capability_names),
		cmocka_unit_test(test_capabilities),
		cmocka_unit_test(test_user),
		cmocka_unit_test(test_mapped_ids),
	};

	return cmocka_run_group_tests_name("plan-process", tests, NULL, NULL);
}
