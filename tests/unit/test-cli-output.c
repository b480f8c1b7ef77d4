/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What commands print: state, list and ps as callers parse them; features, spec; plans of real configurations. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <ocispec.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"
#include "cli/output.h"
#include "plan/bundle.h"
#include "plan/dump.h"
#include "run/features.h"
#include "run/spec-template.h"

/* Text that something is printed to. */
struct sheet {
	FILE *out;
	char *text;
	size_t size;
};

static FILE *sheet_open(struct sheet *sheet)
{
	sheet->out = open_memstream(&sheet->text, &sheet->size);
	assert_non_null(sheet->out);
	return sheet->out;
}

static const char *sheet_close(struct sheet *sheet)
{
	assert_int_equal(fclose(sheet->out), 0);
	return sheet->text;
}

static struct pair labels[] = { { (char *)"k", (char *)"a \"b\"" } };

static const struct container_state states[] = {
	{ .oci_version = (char *)"1.3.0",
	  .id = (char *)"one",
	  .bundle = (char *)"/b/one",
	  .rootfs = (char *)"/b/one/rootfs",
	  .created = (char *)"2026-01-02T03:04:05.000000006Z",
	  .status = STATUS_RUNNING,
	  .pid = 42,
	  .owner = 0,
	  .annotations = { labels, 1 } },
	{ .oci_version = (char *)"1.0.2",
	  .id = (char *)"a-name-longer-than-its-column",
	  .bundle = (char *)"/b",
	  .rootfs = (char *)"/r",
	  .created = (char *)"2026-01-02T03:04:05.1Z",
	  .status = STATUS_STOPPED,
	  .owner = 4000000001U },
};

static void test_state(void **state)
{
	struct sheet sheet;

	(void)state;
	output_state(sheet_open(&sheet), &states[0]);
	assert_string_equal(sheet_close(&sheet),
			    "{\n"
			    "  \"ociVersion\": \"1.3.0\",\n"
			    "  \"id\": \"one\",\n"
			    "  \"pid\": 42,\n"
			    "  \"status\": \"running\",\n"
			    "  \"bundle\": \"/b/one\",\n"
			    "  \"rootfs\": \"/b/one/rootfs\",\n"
			    "  \"created\": \"2026-01-02T03:04:05.000000006Z\",\n"
			    "  \"annotations\": {\n"
			    "    \"k\": \"a \\\"b\\\"\"\n"
			    "  },\n"
			    "  \"owner\": \"\"\n"
			    "}\n");
	free(sheet.text);
}

static void test_stopped_state_has_pid_0(void **state)
{
	struct sheet sheet;

	(void)state;
	output_state(sheet_open(&sheet), &states[1]);
	assert_non_null(strstr(sheet_close(&sheet), "\"pid\": 0,\n  \"status\": \"stopped\","));
	free(sheet.text);
}

static void test_list_json(void **state)
{
	struct sheet sheet;

	(void)state;
	output_list_json(sheet_open(&sheet), NULL, 0);
	assert_string_equal(sheet_close(&sheet), "null\n");
	free(sheet.text);
	output_list_json(sheet_open(&sheet), states, 2);
	assert_string_equal(
		sheet_close(&sheet),
		"[{\"ociVersion\":\"1.3.0\",\"id\":\"one\",\"pid\":42,\"status\":\"running\","
		"\"bundle\":\"/b/one\",\"rootfs\":\"/b/one/rootfs\","
		"\"created\":\"2026-01-02T03:04:05.000000006Z\","
		"\"annotations\":{\"k\":\"a \\\"b\\\"\"},\"owner\":\"root\"},"
		"{\"ociVersion\":\"1.0.2\",\"id\":\"a-name-longer-than-its-column\",\"pid\":0,"
		"\"status\":\"stopped\",\"bundle\":\"/b\",\"rootfs\":\"/r\","
		"\"created\":\"2026-01-02T03:04:05.1Z\",\"owner\":\"#4000000001\"}]\n");
	free(sheet.text);
}

static void test_list_table(void **state)
{
	struct sheet sheet;

	(void)state;
	output_list_table(sheet_open(&sheet), NULL, 0);
	assert_string_equal(sheet_close(&sheet),
			    "ID          PID         STATUS      BUNDLE      CREATED     OWNER\n");
	free(sheet.text);
	output_list_table(sheet_open(&sheet), states, 2);
	assert_string_equal(sheet_close(&sheet),
			    "ID                             PID         STATUS      BUNDLE      "
			    "CREATED                         OWNER\n"
			    "one                            42          running     /b/one      "
			    "2026-01-02T03:04:05.000000006Z  root\n"
			    "a-name-longer-than-its-column  0           stopped     /b          "
			    "2026-01-02T03:04:05.1Z          #4000000001\n");
	free(sheet.text);
}

static pid_t numbers[] = { 7, 120 };
static const struct pid_list pids = { numbers, 2 };

static void test_pids(void **state)
{
	const struct pid_list none = { NULL, 0 };
	struct sheet sheet;

	(void)state;
	output_pids(sheet_open(&sheet), &pids);
	assert_string_equal(sheet_close(&sheet), "[7,120]\n");
	free(sheet.text);
	output_pids(sheet_open(&sheet), &none);
	assert_string_equal(sheet_close(&sheet), "[]\n");
	free(sheet.text);
}

static void test_ps(void **state)
{
	static const struct {
		const char *in, *out, *error;
	} rows[] = {
		{ "UID  PID PPID CMD\nroot   7   1 sleep 120\nroot  12   7 x\nroot 120 7 y\n",
		  "UID  PID PPID CMD\nroot   7   1 sleep 120\nroot 120 7 y\n", NULL },
		{ "  PID TTY\n    7 ?\n   70 ?\n", "  PID TTY\n    7 ?\n", NULL },
		{ "CMD PID\nx 7\ny 8", "CMD PID\nx 7\n", NULL },
		{ "PPID CMD\n7 x\n", "", "ps printed no column \"PID\"" },
		{ "", "", "ps printed nothing" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		FILE *in = rows[i].in[0] ? fmemopen((char *)rows[i].in, strlen(rows[i].in), "r") :
					   fopen("/dev/null", "r");
		struct err err = { 0 };
		struct sheet sheet;

		assert_non_null(in);
		assert_int_equal(output_ps(sheet_open(&sheet), in, &pids, &err),
				 rows[i].error ? -1 : 0);
		assert_string_equal(sheet_close(&sheet), rows[i].out);
		if (rows[i].error)
			assert_string_equal(err.text, rows[i].error);
		(void)fclose(in);
		free(sheet.text);
	}
}

static bool has(const struct str_list *list, const char *word)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_eq(list->at[i], word))
			return true;
	return false;
}

/* Written, read and written again: the document is one that libocispec knows whole. */
static void test_features(void **state)
{
	struct arena arena = { 0 };
	struct oci_features *features = features_make(&arena, NULL), *again;
	struct read_error why;
	struct sheet first, second;

	(void)state;
	assert_non_null(features);
	ocispec_write_pretty(sheet_open(&first), &oci_features_desc, features);
	(void)sheet_close(&first);
	again = ocispec_read(&oci_features_desc, first.text, first.size, &arena, &why);
	if (!again)
		fail_msg("%s", why.text);
	ocispec_write_pretty(sheet_open(&second), &oci_features_desc, again);
	assert_string_equal(sheet_close(&second), first.text);
	assert_true(has(&again->hooks, "createContainer") && again->hooks.len == 6);
	assert_true(has(&again->mount_options, "rro") && has(&again->mount_options, "ridmap"));
	assert_true(has(&again->linux_->namespaces, "time") && again->linux_->namespaces.len == 8);
	assert_true(has(&again->linux_->capabilities, "CAP_CHOWN"));
#ifdef HAVE_SECCOMP
	assert_true(again->linux_->seccomp->enabled.value);
	assert_true(has(&again->linux_->seccomp->supported_flags, "SECCOMP_FILTER_FLAG_TSYNC"));
#else
	assert_false(again->linux_->seccomp->enabled.value);
	assert_int_equal(again->linux_->seccomp->actions.len, 0);
#endif
	assert_true(again->linux_->mount_extensions->idmap->enabled.value);
	assert_false(again->linux_->cgroup->v1.value);
	free(first.text);
	free(second.text);
	arena_free(&arena);
}

static void make_bundle(char *directory, const struct spec_owner *rootless)
{
	autofree char *path = NULL, *rootfs = NULL;
	FILE *out;

	assert_non_null(mkdtemp(directory));
	path = str_printf("%s/config.json", directory);
	rootfs = str_printf("%s/rootfs", directory);
	assert_int_equal(mkdir(rootfs, 0755), 0);
	out = fopen(path, "w");
	assert_non_null(out);
	spec_template_write(out, rootless);
	assert_int_equal(fclose(out), 0);
}

static void remove_bundle(const char *directory)
{
	autofree char *path = str_printf("%s/config.json", directory),
		      *rootfs = str_printf("%s/rootfs", directory);

	(void)unlink(path);
	(void)rmdir(rootfs);
	(void)rmdir(directory);
}

/* The plan as text; with @sheet NULL what plan_make() says instead. */
static void dump_plan(const char *directory, const char *config, struct sheet *sheet,
		      struct err *err)
{
	struct bundle bundle = { 0 };
	struct plan plan = { 0 };
	struct plan_input in = { .id = "golden", .privileged = true };
	int result;

	if (bundle_read(directory, config, &bundle, err) < 0)
		fail_msg("%s", err->text);
	in.config = bundle.config;
	in.bundle = bundle.path;
	result = plan_make(&plan, &in, err);
	if (sheet && result < 0)
		fail_msg("%s", err->text);
	assert_int_equal(result, sheet ? 0 : -1);
	if (sheet) {
		plan_dump(sheet_open(sheet), &plan);
		(void)sheet_close(sheet);
	}
	plan_free(&plan);
	bundle_release(&bundle);
}

/* Takes out what differs from host to host: the lines that hold @word. */
static void drop_lines(char *text, const char *word)
{
	char *at, *end;

	while ((at = strstr(text, word))) {
		while (at > text && at[-1] != '\n')
			at--;
		end = strchr(at, '\n');
		memmove(at, end + 1, strlen(end + 1) + 1);
	}
}

static void replace(char *text, const char *from, const char *to)
{
	size_t from_len = strlen(from), to_len = strlen(to);

	assert_true(to_len <= from_len);
	for (char *at = text; (at = strstr(at, from)); at += to_len) {
		memcpy(at, to, to_len);
		memmove(at + to_len, at + from_len, strlen(at + from_len) + 1);
	}
}

static void check_golden(const char *name, char *text)
{
	autofree char *path = str_printf("%s/tests/data/%s", getenv("TOP_SRCDIR"), name);
	autofree char *want = NULL;
	FILE *out;

	if (getenv("RUNG_WRITE_GOLDEN")) {
		out = fopen(path, "w");
		assert_non_null(out);
		(void)fputs(text, out);
		assert_int_equal(fclose(out), 0);
	}
	if (fd_read_file(AT_FDCWD, path, 1 << 20, &want) < 0)
		fail_msg("cannot read %s", path);
	assert_string_equal(text, want);
}

static void check_plan(const char *config, const struct spec_owner *rootless, const char *golden)
{
	char directory[] = "/tmp/rung-test-XXXXXX";
	struct sheet sheet;
	struct err err = { 0 };

	make_bundle(directory, rootless);
	dump_plan(directory, config, &sheet, &err);
	replace(sheet.text, directory, "BUNDLE");
	drop_lines(sheet.text, "rootfs.cgroup_source");
	check_golden(golden, sheet.text);
	free(sheet.text);
	remove_bundle(directory);
}

#ifndef HAVE_SECCOMP
static void check_refusal(const char *config, const char *text)
{
	char directory[] = "/tmp/rung-test-XXXXXX";
	struct err err = { 0 };

	make_bundle(directory, NULL);
	dump_plan(directory, config, NULL, &err);
	assert_non_null(strstr(err.text, text));
	remove_bundle(directory);
}
#endif

/* Without privileges the plan refuses a container without a user namespace. */
static void need_root(void)
{
	if (geteuid() == 0)
		return;
	print_message("skipped: needs root\n");
	skip();
}

static void test_plan_of_spec(void **state)
{
	(void)state;
	need_root();
	check_plan(NULL, NULL, "plan-spec.txt");
}

static void test_plan_of_rootless_spec(void **state)
{
	const struct spec_owner owner = { 1000, 1001 };

	(void)state;
	check_plan(NULL, &owner, "plan-spec-rootless.txt");
}

/* The profile that Podman writes is either compiled or refused, never left out. */
static void test_plan_of_podman(void **state)
{
	autofree char *config =
		str_printf("%s/tests/data/config-podman.json", getenv("TOP_SRCDIR"));

	(void)state;
	need_root();
#ifdef HAVE_SECCOMP
	check_plan(config, NULL, "plan-podman.txt");
#else
	check_refusal(config, "linux.seccomp: built without libseccomp");
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_stopped_state_has_pid_0),
		cmocka_unit_test(test_list_json),
		cmocka_unit_test(test_list_table),
		cmocka_unit_test(test_pids),
		cmocka_unit_test(test_ps),
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_plan_of_spec),
		cmocka_unit_test(test_plan_of_rootless_spec),
		cmocka_unit_test(test_plan_of_podman),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
