/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading: what is refused, where and in which words; writing: a fixed point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ocispec.h>

#define V "\"ociVersion\":\"1.0.0\""

static const struct {
	const char *json, *text;
	unsigned line, column;
} bad[] = {
	{ "", "empty document", 1, 1 },
	{ "[]", "expected an object, got an array", 1, 1 },
	{ "{}", "ociVersion: required, but absent", 1, 2 },
	{ "{" V, "document ends too early", 1, 0 },
	{ "{" V "} x", "something follows the document", 1, 0 },
	{ "{\"ociVersion\":1}", "ociVersion: expected a string, got 1", 1, 15 },
	{ "{\"ociVersion\":null}", "ociVersion: required, but absent", 1, 19 },
	{ "{" V ",\n" V "}", "ociVersion: given twice", 2, 1 },
	{ "{" V ",\"hostname\":\"a\\u0000b\"}", "hostname: holds a NUL character", 1, 39 },
	{ "{" V ",\"process\":[]}", "process: expected an object, got an array", 1, 33 },
	{ "{" V ",\"process\":{\"args\":\"x\"}}", "process.args: expected an array, got \"x\"", 1,
	  41 },
	{ "{" V ",\"process\":{\"args\":[\"a\",1]}}", "process.args[1]: expected a string, got 1",
	  1, 46 },
	{ "{" V ",\"process\":{\"args\":[null]}}", "process.args[0]: expected a string, got null",
	  1, 42 },
	{ "{" V ",\"process\":{\"terminal\":1}}", "process.terminal: expected a boolean, got 1", 1,
	  45 },
	{ "{" V ",\"process\":{\"user\":{\"uid\":-1}}}", "process.user.uid: number out of range", 1,
	  48 },
	{ "{" V ",\"process\":{\"user\":{\"uid\":1.5}}}",
	  "process.user.uid: expected an integer, got 1.5", 1, 48 },
	{ "{" V ",\"process\":{\"user\":{\"uid\":1e3}}}",
	  "process.user.uid: expected an integer, got 1e3", 1, 48 },
	{ "{" V ",\"process\":{\"user\":{\"uid\":4294967295}}}",
	  "process.user.uid: number out of range", 1, 48 },
	{ "{" V ",\"linux\":{\"resources\":{\"memory\":{\"limit\":\"1G\"}}}}",
	  "linux.resources.memory.limit: expected an integer, got \"1G\"", 1, 62 },
	{ "{" V ",\"linux\":{\"resources\":{\"memory\":{\"limit\":-2}}}}",
	  "linux.resources.memory.limit: number out of range", 1, 62 },
	{ "{" V ",\"linux\":{\"namespaces\":[{\"type\":\"pid\"},{\"type\":\"foo\"}]}}",
	  "linux.namespaces[1].type: unknown value \"foo\"; known: mount, pid, network, uts, ipc, user, cgroup, time",
	  1, 70 },
	{ "{" V ",\"linux\":{\"namespaces\":[{}]}}",
	  "linux.namespaces[0].type: required, but absent", 1, 47 },
	{ "{" V ",\"linux\":{\"sysctl\":{\"a\":1}}}",
	  "linux.sysctl[\"a\"]: expected a string, got 1", 1, 46 },
	{ "{" V ",\"annotations\":{\"a\":null}}", "annotations[\"a\"]: expected a string, got null",
	  1, 42 },
	{ "{" V ",\"hooks\":{\"prestart\":[{\"path\":\"/x\",\"timeout\":0}]}}",
	  "hooks.prestart[0].timeout: number out of range", 1, 68 },
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct arena arena = { 0 };
		struct read_error why;

		assert_null(ocispec_read(&oci_config_desc, bad[i].json, strlen(bad[i].json), &arena,
					 &why));
		assert_string_equal(why.text, bad[i].text);
		if (why.line != bad[i].line || !bad[i].column)
			assert_int_equal(why.line, bad[i].line);
		else if (why.column < bad[i].column - 1 || why.column > bad[i].column + 1)
			fail_msg("%s: %u:%u, not %u:%u", bad[i].json, why.line, why.column,
				 bad[i].line, bad[i].column);
		arena_free(&arena);
	}
}

static const char *const good[] = {
	"{" V "}",
	"{" V ",\"unknown\":{\"deep\":[1,{\"er\":null}]}}",
	"{" V ",\"process\":{\"cwd\":\"/\",\"args\":[]}}",
	"{" V
	",\"process\":{\"cwd\":\"/\",\"rlimits\":[{\"type\":\"RLIMIT_NOFILE\",\"soft\":18446744073709551615,\"hard\":18446744073709551615}]}}",
	"{" V
	",\"linux\":{\"resources\":{\"CPU\":{\"Cpus\":\"0\"},\"rdma\":{\"a\":{\"hcaHandles\":1}},\"unified\":{}}}}",
	"{" V ",\"hostname\":\"\\ud83d\\ude00 \\\"\\\\\\n\"}",
	"{" V ",\"linux\":{\"timeOffsets\":null,\"netDevices\":{\"eth0\":{\"name\":\"e\"}}}}",
};

static char *write_text(const void *object, bool pretty)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(pretty ? ocispec_write_pretty : ocispec_write)(out, &oci_config_desc, object);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_fixed_point(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		for (int pretty = 0; pretty < 2; pretty++) {
			struct arena arena = { 0 };
			struct read_error why;
			void *first = ocispec_read(&oci_config_desc, good[i], strlen(good[i]),
						   &arena, &why);
			char *once, *twice;
			void *second;

			if (!first)
				fail_msg("%s: %s", good[i], why.text);
			once = write_text(first, pretty);
			second = ocispec_read(&oci_config_desc, once, strlen(once), &arena, &why);
			assert_non_null(second);
			twice = write_text(second, pretty);
			assert_string_equal(once, twice);
			free(once);
			free(twice);
			arena_free(&arena);
		}
}

static void test_no_loss(void **state)
{
	static const char json[] =
		"{" V
		",\"process\":{\"cwd\":\"/\",\"rlimits\":[{\"type\":\"x\",\"soft\":18446744073709551615,\"hard\":0}]}}";
	struct arena arena = { 0 };
	struct read_error why;
	struct oci_config *config =
		ocispec_read(&oci_config_desc, json, strlen(json), &arena, &why);

	(void)state;
	assert_non_null(config);
	assert_true(config->process->rlimits.at[0].soft.value == UINT64_MAX);
	assert_null(config->process->args.at);
	arena_free(&arena);
}

static struct oci_state *read_state(const char *json, struct arena *arena, const char **error)
{
	static struct read_error why;
	struct oci_state *state = ocispec_read(&oci_state_desc, json, strlen(json), arena, &why);

	*error = state ? "" : why.text;
	return state;
}

static void test_state_round_trip(void **state_)
{
	static const char *const documents[] = {
		"{\"ociVersion\":\"1.3.0\",\"id\":\"a\",\"pid\":4422,\"status\":\"running\","
		"\"bundle\":\"/b\",\"root\":\"/r\",\"rootfs\":\"/b/rootfs\",\"created\":"
		"\"2026-12-01T00:00:00Z\",\"systemd-scope\":\"a.scope\",\"annotations\":"
		"{\"k\":\"v\",\"\\u0001\":\"\\\"\"},\"owner\":\"root\"}",
		"{\"ociVersion\":\"1.3.0\",\"id\":\"a\",\"pid\":0,\"status\":\"stopped\","
		"\"bundle\":\"/b\"}",
		"{\"ociVersion\":\"0.2.0\",\"id\":\"\",\"status\":\"thawing\",\"bundle\":\"\"}",
	};

	(void)state_;
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
		struct arena arena = { 0 };
		const char *error;
		struct oci_state *state = read_state(documents[i], &arena, &error);
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		assert_string_equal(error, "");
		ocispec_write(out, &oci_state_desc, state);
		assert_int_equal(fclose(out), 0);
		assert_string_equal(text, documents[i]);
		free(text);
		arena_free(&arena);
	}
}

/* What the specification's example leaves in the struct, and what it lets nobody leave out. */
static void test_state_members(void **state_)
{
	static const char example[] =
		"{\"ociVersion\": \"0.2.0\", \"id\": \"oci-container1\", \"status\": \"running\", "
		"\"pid\": 4422, \"bundle\": \"/containers/redis\", \"annotations\": {\"myKey\": "
		"\"myValue\"}, \"more\": [1, {}]}";
	static const struct {
		const char *json, *error;
	} refused[] = {
		{ "{\"id\":\"a\",\"status\":\"stopped\",\"bundle\":\"/\"}", "ociVersion" },
		{ "{\"ociVersion\":\"1\",\"status\":\"stopped\",\"bundle\":\"/\"}", "id" },
		{ "{\"ociVersion\":\"1\",\"id\":\"a\",\"bundle\":\"/\"}", "status" },
		{ "{\"ociVersion\":\"1\",\"id\":\"a\",\"status\":\"stopped\"}", "bundle" },
		{ "{\"ociVersion\":\"1\",\"id\":\"a\",\"status\":\"running\",\"bundle\":\"/\"}",
		  "pid: required" },
		{ "{\"ociVersion\":\"1\",\"id\":\"a\",\"status\":\"created\",\"bundle\":\"/\"}",
		  "pid: required" },
		{ "{\"ociVersion\":\"1\",\"id\":\"a\",\"status\":\"created\",\"bundle\":\"/\","
		  "\"pid\":-1}",
		  "pid" },
		{ "{\"ociVersion\":\"1\",\"id\":\"a\",\"status\":\"created\",\"bundle\":\"/\","
		  "\"pid\":\"1\"}",
		  "pid" },
	};
	struct arena arena = { 0 };
	const char *error;
	struct oci_state *state = read_state(example, &arena, &error);

	(void)state_;
	assert_string_equal(error, "");
	assert_string_equal(state->oci_version, "0.2.0");
	assert_string_equal(state->id, "oci-container1");
	assert_string_equal(state->status, "running");
	assert_true(state->pid.set);
	assert_int_equal(state->pid.value, 4422);
	assert_string_equal(state->bundle, "/containers/redis");
	assert_int_equal(state->annotations.len, 1);
	assert_string_equal(state->annotations.at[0].value, "myValue");
	assert_null(state->owner);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		state = read_state(refused[i].json, &arena, &error);
		if (state || !strstr(error, refused[i].error))
			fail_msg("%s: %s", refused[i].json, error);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad),	      cmocka_unit_test(test_fixed_point),
		cmocka_unit_test(test_no_loss),	      cmocka_unit_test(test_state_round_trip),
		cmocka_unit_test(test_state_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
