/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_exec_process(): the process that exec runs (R239, R240), user texts above all (C02). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ocispec.h>

#include "base/scope.h"
#include "base/str.h"
#include "plan/exec-cgroup.h"
#include "plan/plan-exec.h"

static char *no_args[] = { NULL };
static char *true_args[] = { (char *)"true", (char *)"x", NULL };

static struct str_list list(char **at)
{
	struct str_list result = { at, 0 };

	while (at[result.len])
		result.len++;
	return result;
}

/* Digits alone and within range, told without the runtime's own parser. */
static bool reference_id(const char *text, size_t len, uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*ret = *ret * 10 + (uint64_t)(text[i] - '0');
		if (*ret > 4294967294U)
			return false;
	}
	return len;
}

static bool reference_user(const char *text, uint64_t *ret_uid, uint64_t *ret_gid)
{
	const char *colon = strchr(text, ':');

	*ret_gid = 7;
	if (!colon)
		return reference_id(text, strlen(text), ret_uid);
	return reference_id(text, (size_t)(colon - text), ret_uid) &&
	       reference_id(colon + 1, strlen(colon + 1), ret_gid);
}

static void check_user(const char *text)
{
	struct oci_user user = { .uid = { true, 5 }, .gid = { true, 7 } };
	const struct oci_process container = { .cwd = (char *)"/", .user = &user };
	const struct exec_request request = { .args = true_args, .user = text };
	struct oci_process process;
	struct arena arena = { 0 };
	struct err err;
	uint64_t uid, gid;
	bool good = reference_user(text, &uid, &gid);
	int result = plan_exec_process(&arena, &container, &request, &process, &err);

	if (result != (good ? 0 : -1))
		fail_msg("--user \"%s\" is %s", text, good ? "refused" : "accepted");
	if (!good && !strstr(err.text, "is not UID or UID:GID"))
		fail_msg("--user \"%s\": %s", text, err.text);
	if (good && (process.user->uid.value != uid || process.user->gid.value != gid))
		fail_msg("--user \"%s\" is another user", text);
	assert_int_equal(user.uid.value, 5);
	arena_free(&arena);
}

static void test_users(void **state)
{
	static const char *const heads[] = { "", "+", "-", " ", "0", "0x", "\t", "\xd9\xa0" };
	static const char *const ids[] = {
		"",	      "0",	    "1",	  "1000",
		"4294967294", "4294967295", "4294967296", "18446744073709551616",
		"1e3",	      "1.0",	    "root",	  "\xef\xbc\x90"
	};
	static const char *const tails[] = { "",     ":", ":2", ":0", ":-1", ":4294967295",
					     ":1:2", " ", "\n" };

	(void)state;
	for (size_t h = 0; h < ARRAY_LEN(heads); h++)
		for (size_t i = 0; i < ARRAY_LEN(ids); i++)
			for (size_t t = 0; t < ARRAY_LEN(tails); t++) {
				autofree char *text =
					str_printf("%s%s%s", heads[h], ids[i], tails[t]);

				check_user(text);
			}
}

static void test_groups(void **state)
{
	static char *good[] = { (char *)"100", (char *)"65534", NULL };
	static const char *const bad[] = {
		"", "-1", "+1", " 1", "1 ", "0x1", "4294967295", "users"
	};
	uint64_t old[] = { 3 };
	struct oci_user user = { .additional_gids = { old, 1 } };
	const struct oci_process container = { .cwd = (char *)"/", .user = &user };
	struct exec_request request = { .args = true_args, .gids = list(good) };
	struct oci_process process;
	struct arena arena = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(plan_exec_process(&arena, &container, &request, &process, &err), 0);
	assert_int_equal(process.user->additional_gids.len, 3);
	assert_int_equal(process.user->additional_gids.at[0], 3);
	assert_int_equal(process.user->additional_gids.at[1], 100);
	assert_int_equal(process.user->additional_gids.at[2], 65534);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char *one[] = { (char *)bad[i], NULL };

		request.gids = list(one);
		if (plan_exec_process(&arena, &container, &request, &process, &err) == 0)
			fail_msg("--additional-gids \"%s\" is accepted", bad[i]);
	}
	arena_free(&arena);
}

static bool holds(const struct str_list *names, const char *name)
{
	for (size_t i = 0; i < names->len; i++)
		if (str_eq(names->at[i], name))
			return true;
	return false;
}

/* Never to the inheritable set (C04), to the ambient one only when there is an inheritable. */
static void test_capabilities(void **state)
{
	static char *kill_only[] = { (char *)"CAP_KILL", NULL };
	static char *added[] = { (char *)"CAP_KILL", (char *)"CAP_CHOWN", NULL };

	(void)state;
	for (int with = 0; with < 3; with++) { /* no object, no inheritable, inheritable */
		struct oci_capabilities caps = { .bounding = list(kill_only) };
		const struct oci_process container = { .cwd = (char *)"/",
						       .capabilities = with ? &caps : NULL };
		const struct exec_request request = { .args = true_args, .caps = list(added) };
		const struct oci_capabilities *sets;
		struct oci_process process;
		struct arena arena = { 0 };
		struct err err;

		if (with == 2)
			caps.inheritable = list(kill_only);
		assert_int_equal(plan_exec_process(&arena, &container, &request, &process, &err),
				 0);
		sets = process.capabilities;
		assert_int_equal(sets->bounding.len, 2);
		assert_true(holds(&sets->bounding, "CAP_CHOWN"));
		assert_true(holds(&sets->effective, "CAP_CHOWN"));
		assert_true(holds(&sets->permitted, "CAP_CHOWN"));
		assert_int_equal(sets->inheritable.len, with == 2 ? 1 : 0);
		assert_int_equal(sets->ambient.len, with == 2 ? 2 : 0);
		assert_int_equal(caps.bounding.len, 1);
		arena_free(&arena);
	}
}

static void test_options(void **state)
{
	static char *env[] = { (char *)"A=1", NULL }, *more[] = { (char *)"A=2", NULL };
	struct oci_user user = { .uid = { true, 5 }, .umask = { true, 027 } };
	const struct oci_process container = { .cwd = (char *)"/c",
					       .env = list(env),
					       .user = &user,
					       .terminal = { true, true },
					       .apparmor_profile = (char *)"p" };
	struct exec_request request = { .args = true_args, .env = list(more) };
	struct oci_process process;
	struct arena arena = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(plan_exec_process(&arena, &container, &request, &process, &err), 0);
	assert_int_equal(process.args.len, 2);
	assert_string_equal(process.cwd, "/c");
	assert_int_equal(process.env.len, 2);
	assert_string_equal(process.env.at[1], "A=2");
	assert_false(process.terminal.value);
	assert_int_equal(process.user->umask.value, 027);
	assert_string_equal(process.apparmor_profile, "p");

	request = (struct exec_request){ .args = true_args,
					 .cwd = "/d",
					 .user = "6",
					 .apparmor = "q",
					 .label = "l",
					 .tty = true,
					 .no_new_privs = true };
	assert_int_equal(plan_exec_process(&arena, &container, &request, &process, &err), 0);
	assert_string_equal(process.cwd, "/d");
	assert_true(process.terminal.value && process.no_new_privileges.value);
	assert_string_equal(process.apparmor_profile, "q");
	assert_string_equal(process.selinux_label, "l");
	assert_int_equal(process.user->uid.value, 6);
	assert_int_equal(process.user->umask.value, 027);

	request = (struct exec_request){ .args = no_args };
	assert_int_equal(plan_exec_process(&arena, &container, &request, &process, &err), -1);
	assert_string_equal(err.text, "exec: no command given");
	arena_free(&arena);
}

/* What the document of --process leaves out is the container's; root is no default. */
static void test_document(void **state)
{
	static char *env[] = { (char *)"A=1", NULL };
	struct oci_user user = { .uid = { true, 5 }, .umask = { true, 027 } };
	struct oci_user other = { .uid = { true, 0 } };
	struct oci_capabilities caps = { .bounding = list(env) };
	struct oci_rlimit limit = { .type = (char *)"RLIMIT_CORE" };
	const struct oci_process container = { .cwd = (char *)"/c",
					       .env = list(env),
					       .user = &user,
					       .capabilities = &caps,
					       .rlimits = { &limit, 1 },
					       .terminal = { true, true },
					       .no_new_privileges = { true, true },
					       .selinux_label = (char *)"l",
					       .apparmor_profile = (char *)"p",
					       .oom_score_adj = { true, 9 } };
	struct oci_process given = { .cwd = (char *)"/", .args = list(true_args) };
	const struct exec_request request = { .given = &given, .args = no_args };
	struct oci_process process;
	struct arena arena = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(plan_exec_process(&arena, &container, &request, &process, &err), 0);
	assert_string_equal(process.cwd, "/");
	assert_int_equal(process.user->uid.value, 5);
	assert_ptr_equal(process.capabilities, &caps);
	assert_int_equal(process.rlimits.len, 1);
	assert_string_equal(process.selinux_label, "l");
	assert_string_equal(process.apparmor_profile, "p");
	assert_int_equal(process.oom_score_adj.value, 9);
	assert_int_equal(process.env.len, 1);
	assert_false(process.terminal.value || process.no_new_privileges.value);

	given.user = &other;
	assert_int_equal(plan_exec_process(&arena, &container, &request, &process, &err), 0);
	assert_int_equal(process.user->uid.value, 0);
	assert_int_equal(process.user->umask.value, 027);
	assert_false(other.umask.set);
	arena_free(&arena);
}

static void test_cgroups(void **state)
{
	static const struct {
		const char *values[4], *path, *error;
	} rows[] = {
		{ { NULL }, NULL, NULL },
		{ { "" }, "/", NULL },
		{ { "/" }, "/", NULL },
		{ { "." }, "/", NULL },
		{ { "a" }, "/a", NULL },
		{ { "//a//./b/" }, "/a/b", NULL },
		{ { "a/../b" }, "/b", NULL },
		{ { "..." }, "/...", NULL },
		{ { "cpu:" }, "/", NULL },
		{ { "cpu:a:b" }, "/a:b", NULL },
		{ { "memory:a", "cpu,cpuacct:/a/", "systemd:./a" }, "/a", NULL },
		{ { ".." }, NULL, "bad sub cgroup path: .." },
		{ { "/.." }, NULL, "bad sub cgroup path: /.." },
		{ { "a/../.." }, NULL, "bad sub cgroup path: a/../.." },
		{ { "pids:a/../../a" }, NULL, "bad sub cgroup path: a/../../a" },
		{ { ":a" }, NULL, "invalid --cgroup argument: :a (empty <controller> prefix)" },
		{ { "cpu,:a" },
		  NULL,
		  "invalid --cgroup argument: cpu,:a (empty <controller> prefix)" },
		{ { ",cpu:a" },
		  NULL,
		  "invalid --cgroup argument: ,cpu:a (empty <controller> prefix)" },
		{ { "a", "b" },
		  NULL,
		  "invalid --cgroup argument: a (missing <controller>: prefix)" },
		{ { "cpu:a", "a" },
		  NULL,
		  "invalid --cgroup argument: a (missing <controller>: prefix)" },
		{ { "cpu:a", "memory,cpu:a" },
		  NULL,
		  "invalid --cgroup argument(s): controller cpu specified multiple times" },
		{ { "cpu:a", "memory:b" },
		  NULL,
		  "invalid --cgroup argument(s): /a and /b: cgroup v2 has one path for all controllers" },
		{ { "whaaat:/" }, NULL, "unknown controller whaaat in --cgroup argument: whaaat:/" },
		{ { "averyveryverylongname:/" },
		  NULL,
		  "unknown controller averyveryverylongname in --cgroup argument: averyveryverylongname:/" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct arena arena = { 0 };
		struct str_list values = list((char **)(uintptr_t)rows[i].values);
		struct err err = { 0 };
		char *path;
		int result = plan_exec_cgroup(&arena, &values, &path, &err);

		assert_string_equal(err.text, rows[i].error ? rows[i].error : "");
		assert_int_equal(result, rows[i].error ? -1 : 0);
		if (rows[i].path)
			assert_string_equal(path, rows[i].path);
		else if (!rows[i].error)
			assert_null(path);
		arena_free(&arena);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_users),	     cmocka_unit_test(test_groups),
		cmocka_unit_test(test_capabilities), cmocka_unit_test(test_options),
		cmocka_unit_test(test_document),     cmocka_unit_test(test_cgroups),
	};

	return cmocka_run_group_tests_name("plan-exec", tests, NULL, NULL);
}
