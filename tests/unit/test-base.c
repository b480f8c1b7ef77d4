/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text, paths, errors, ids, signals, CPU lists, mount options: tables of rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"
#include "host/cpulist.h"
#include "host/signals.h"
#include "plan/mount-options.h"
#include "store/id.h"

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t value;
	} rows[] = {
		{ "0", true, 0 },
		{ "1", true, 1 },
		{ "-1", true, -1 },
		{ "", false, 0 },
		{ "+1", false, 0 },
		{ " 1", false, 0 },
		{ "1 ", false, 0 },
		{ "0x1", false, 0 },
		{ "1e3", false, 0 },
		{ "-", false, 0 },
		{ "--1", false, 0 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "9223372036854775808", false, 0 },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "-9223372036854775809", false, 0 },
		{ "99999999999999999999999", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t value = 0;

		assert_int_equal(str_to_int(rows[i].text, INT64_MIN, INT64_MAX, &value),
				 rows[i].ok);
		if (rows[i].ok)
			assert_true(value == rows[i].value);
	}
}

static void test_paths(void **state)
{
	static const char *const rows[][2] = {
		{ "/", "/" },
		{ "//", "/" },
		{ "/a/", "/a" },
		{ "/a//b/./c", "/a/b/c" },
		{ "/a/../b", "/b" },
		{ "/../../x", "/x" },
		{ "/a/b/../..", "/" },
		{ "/a/..b", "/a/..b" },
		{ "/a/b/../../../c", "/c" },
		{ "/.", "/" },
		{ "/a/.b", "/a/.b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *path = strdup(rows[i][0]);

		assert_string_equal(path_clean(path), rows[i][1]);
		free(path);
	}
}

static void test_paths_inside(void **state)
{
	(void)state;
	assert_true(path_is_inside("/a", "/a") && path_is_inside("/a/b", "/a"));
	assert_false(path_is_inside("/ab", "/a") || path_is_inside("/", "/a"));
	assert_false(path_is_inside("/a", "/") || path_is_inside("/", "/"));
}

static void test_errors(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(err_errno(&err, -2, "open %s", "x"), -1);
	assert_string_equal(err.text, "open x: no such file or directory");
	assert_int_equal(err.code, 2);
	assert_int_equal(err_prefix(&err, "step"), -1);
	assert_string_equal(err.text, "step: open x: no such file or directory");
	assert_int_equal(err_set(NULL, "nobody listens"), -1);
}

static void test_ids(void **state)
{
	static const char *const good[] = { "a", "A-b_c.d+9", "0", "-x" };
	static const char *const wrong[] = { "", ".", "..", ".x", "a/b", "a b", "a\n", "\xc3\xa4" };
	char longest[ID_MAX + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(id_check(good[i], NULL), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(id_check(wrong[i], NULL), -1);
	memset(longest, 'a', sizeof(longest));
	longest[ID_MAX + 1] = '\0';
	assert_int_equal(id_check(longest, NULL), -1);
	assert_int_equal(id_check(longest + 1, NULL), 0);
}

static void test_signals(void **state)
{
	static const struct {
		const char *name;
		int number;
	} rows[] = {
		{ "9", 9 },   { "KILL", 9 },   { "SIGKILL", 9 },      { "sigterm", 15 },
		{ "hup", 1 }, { "RTMIN", 34 }, { "RTMIN+3", 37 },     { "RTMAX", 64 },
		{ "64", 64 }, { "0", 0 },      { "65", -1 },	      { "nosuch", -1 },
		{ "", -1 },   { "-9", -1 },    { "SIGRTMIN+31", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(signal_number(rows[i].name), rows[i].number);
}

static void test_cpulists(void **state)
{
	unsigned long bits[CPULIST_WORDS];

	(void)state;
	assert_true(cpulist_parse("0-2, 5", bits, CPULIST_MAX));
	assert_int_equal(bits[0], 0x27);
	for (const char *const *wrong =
		     (const char *const[]){ "", "a", "3-1", "1,", "-1", "1-", "99999999", NULL };
	     *wrong; wrong++)
		assert_false(cpulist_parse(*wrong, bits, CPULIST_MAX));
}

static struct mount_options add_all(const char *const *words)
{
	struct mount_options options = { 0 };
	const char *key;

	for (; *words; words++)
		assert_int_equal(mount_options_add(&options, *words, &key, NULL), MOUNT_WORD_KNOWN);
	return options;
}

static void test_mount_options(void **state)
{
	struct mount_options o;
	const char *key;

	(void)state;
	o = add_all((const char *const[]){ "ro", "rw", NULL });
	assert_true(o.set == 0 && o.clear == MOUNT_ATTR_RDONLY);
	o = add_all((const char *const[]){ "nosuid", "ro", "noatime", "relatime", NULL });
	assert_true(o.set == (MOUNT_ATTR_NOSUID | MOUNT_ATTR_RDONLY) &&
		    o.clear == MOUNT_ATTR__ATIME);
	o = add_all((const char *const[]){ "rbind", "bind", "rslave", "shared", "rro", NULL });
	assert_true(o.bind && o.recursive && o.recursive_set == MOUNT_ATTR_RDONLY);
	assert_true(o.propagation[0] == (MS_SLAVE | MS_REC) && o.propagation[1] == MS_SHARED);
	assert_int_equal(mount_options_add(&o, "sync", &key, NULL), MOUNT_WORD_SUPERBLOCK);
	assert_string_equal(key, "sync");
	assert_int_equal(mount_options_add(&o, "size=1m", &key, NULL), MOUNT_WORD_DATA);
	for (size_t i = 0; mount_option_names[i]; i++) {
		struct mount_options one = { 0 };

		assert_int_not_equal(mount_options_add(&one, mount_option_names[i], &key, NULL),
				     MOUNT_WORD_DATA);
		assert_true(!i || strcmp(mount_option_names[i - 1], mount_option_names[i]) < 0);
	}
}

/* What is kept may be unsorted, twice, none, and on both ends; what was never open does no harm. */
static void test_descriptors(void **state)
{
	enum { FIRST = 200, COUNT = 10 };
	static const char open_after[COUNT + 1] = "yn..y.yn.y"; /* y: kept, n: not; .: was closed */
	const int keep[] = { FIRST + 6, -1, FIRST + 4, FIRST + 0, FIRST + 9, FIRST + 6 };

	(void)state;
	for (int i = 0; i < COUNT; i++)
		if (open_after[i] != '.')
			assert_int_equal(dup2(STDERR_FILENO, FIRST + i), FIRST + i);
	assert_int_equal(dup2(STDERR_FILENO, FIRST - 1), FIRST - 1);
	assert_int_equal(fd_close_others(FIRST, keep, ARRAY_LEN(keep)), 0);
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(fd_is_open(FIRST + i), open_after[i] == 'y');
	assert_true(fd_is_open(FIRST - 1));
	assert_int_equal(fd_close_others(FIRST - 1, NULL, 0), 0);
	for (int i = -1; i < COUNT; i++)
		assert_false(fd_is_open(FIRST + i));
}

static void test_dates(void **state)
{
	static const struct {
		struct timespec t;
		int digits;
		const char *text;
	} known[] = {
		{ { 0, 0 }, 9, "1970-01-01T00:00:00.000000000Z" },
		{ { 951782399, 999999999 }, 6, "2000-02-28T23:59:59.999999Z" },
		{ { 951782400, 5000000 }, 3, "2000-02-29T00:00:00.005Z" },
		{ { 1709251199, 0 }, 1, "2024-02-29T23:59:59.0Z" },
		{ { 1798761599, 1 }, 9, "2026-12-31T23:59:59.000000001Z" },
		{ { 4107542400, 0 }, 9, "2100-03-01T00:00:00.000000000Z" },
	};
	char text[CLOCK_DATE_SIZE], ours[CLOCK_DATE_SIZE], theirs[CLOCK_DATE_SIZE];
	struct timespec t = { 0 };
	struct tm utc;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		clock_date_of(&known[i].t, text, known[i].digits);
		assert_string_equal(text, known[i].text);
	}
	for (; t.tv_sec < 5000000000; t.tv_sec += 40009) {
		clock_date_of(&t, ours, 1);
		(void)strftime(theirs, sizeof(theirs), "%Y-%m-%dT%H:%M:%S.0Z",
			       gmtime_r(&t.tv_sec, &utc));
		assert_string_equal(ours, theirs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),	     cmocka_unit_test(test_paths),
		cmocka_unit_test(test_paths_inside), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_ids),	     cmocka_unit_test(test_signals),
		cmocka_unit_test(test_cpulists),     cmocka_unit_test(test_mount_options),
		cmocka_unit_test(test_dates),	     cmocka_unit_test(test_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
