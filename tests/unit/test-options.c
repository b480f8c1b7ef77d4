/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line: how it is read, and that tables, manual page and completions agree. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/limits.h"

enum { WORDS_MAX = 12 };

/* What the table below looks at, one value of each kind. */
struct outcome {
	const char *bundle, *user;
	unsigned preserve_fds;
	bool tty, detach;
	size_t env;
	const char *positional; /* joined by commas */
};

static const struct {
	const char *command;
	const char *words[WORDS_MAX];
	struct outcome want;
} good[] = {
	{ "create", { "c1" }, { .positional = "c1" } },
	{ "create", { "--bundle", "/b", "c1" }, { .bundle = "/b", .positional = "c1" } },
	{ "create", { "--bundle=/b", "c1" }, { .bundle = "/b", .positional = "c1" } },
	{ "create", { "-bundle", "/b", "c1" }, { .bundle = "/b", .positional = "c1" } },
	{ "create", { "-bundle=/b", "c1" }, { .bundle = "/b", .positional = "c1" } },
	{ "create", { "-b", "/b", "c1" }, { .bundle = "/b", .positional = "c1" } },
	{ "create", { "-b/b", "c1" }, { .bundle = "/b", .positional = "c1" } },
	{ "create", { "-b=/b", "c1" }, { .bundle = "/b", .positional = "c1" } },
	{ "create", { "--bundle=", "c1" }, { .bundle = "", .positional = "c1" } },
	{ "create", { "--bundle", "--bundle", "c1" }, { .bundle = "--bundle", .positional = "c1" } },
	{ "create", { "-b", "/a", "-b", "/b", "c1" }, { .bundle = "/b", .positional = "c1" } },
	{ "create", { "c1", "--bundle", "/b" }, { .bundle = "/b", .positional = "c1" } },
	{ "create", { "--preserve-fds", "3", "c1" }, { .preserve_fds = 3, .positional = "c1" } },
	{ "create", { "--detach", "-d", "c1" }, { .positional = "c1" } },
	{ "create", { "--", "--bundle" }, { .positional = "--bundle" } },
	{ "create", { "-" }, { .positional = "-" } },
	{ "run",
	  { "-d", "--detach", "-no-subreaper", "c1" },
	  { .detach = true, .positional = "c1" } },
	{ "run", { "-d", "--detach=false", "c1" }, { .positional = "c1" } },
	{ "run", { "--detach=true", "c1" }, { .detach = true, .positional = "c1" } },
	{ "run", { "-d=0", "c1" }, { .positional = "c1" } },
	{ "exec", { "c1", "ls", "-l", "--tty" }, { .positional = "c1,ls,-l,--tty" } },
	{ "exec", { "-t", "c1", "-t" }, { .tty = true, .positional = "c1,-t" } },
	{ "exec", { "-td", "c1" }, { .tty = true, .detach = true, .positional = "c1" } },
	{ "exec", { "-tu", "1:2", "c1" }, { .tty = true, .user = "1:2", .positional = "c1" } },
	{ "exec", { "-tu1:2", "c1" }, { .tty = true, .user = "1:2", .positional = "c1" } },
	{ "exec", { "-e", "A=1", "--env=B=2", "-eC", "c1" }, { .env = 3, .positional = "c1" } },
	{ "exec", { "c1", "--", "ls" }, { .positional = "c1,--,ls" } },
	{ "exec", { "--", "c1", "ls" }, { .positional = "c1,ls" } },
	{ "kill", { "c1", "-9" }, { .positional = "c1,-9" } },
	{ "kill", { "-a", "c1", "KILL" }, { .positional = "c1,KILL" } },
	{ "ps", { "c1", "-e", "-x" }, { .positional = "c1,-e,-x" } },
	{ "list", { "-q" }, { .positional = "" } },
};

static const struct {
	const char *command;
	const char *words[WORDS_MAX];
	const char *text;
} bad[] = {
	{ "create", { "--foo", "c1" }, "unknown option --foo" },
	{ "create", { "--foo=1", "c1" }, "unknown option --foo=1" },
	{ "create", { "-x", "c1" }, "unknown option -x" },
	{ "create", { "--bundl", "/b", "c1" }, "unknown option --bundl" },
	{ "run", { "-dx", "c1" }, "unknown option -dx" },
	{ "start", { "--force", "c1" }, "unknown option --force" },
	{ "create", { "--bundle" }, "flag needs an argument: option --bundle requires an argument" },
	{ "create", { "-b" }, "flag needs an argument: option --bundle requires an argument" },
	{ "create", { "--preserve-fds", "x", "c1" }, "option --preserve-fds: \"x\" is no number" },
	{ "create", { "--preserve-fds=-1", "c1" }, "option --preserve-fds: \"-1\" is no number" },
	{ "run",
	  { "--detach=maybe", "c1" },
	  "option --detach: \"maybe\" is neither true nor false" },
	{ "restore",
	  { "--lsm-mount-context" },
	  "flag needs an argument: option --lsm-mount-context requires an argument" },
};

static int parse(const char *command, const char *const words[WORDS_MAX], struct arguments *ret,
		 struct err *err)
{
	const struct command *found = command_find(command);
	char *argv[WORDS_MAX + 2] = { (char *)command };

	assert_non_null(found);
	for (size_t i = 0; words[i]; i++)
		argv[i + 1] = (char *)words[i];
	return options_parse(found->rows, argv, found->flags & COMMAND_STOPS_EARLY, ret, err);
}

static void assert_text(const char *got, const char *want)
{
	assert_int_equal(!got, !want);
	if (want)
		assert_string_equal(got, want);
}

static void check_outcome(const struct arguments *got, const struct outcome *want)
{
	char joined[200] = "";

	for (size_t i = 0; i < got->positional_len; i++)
		(void)snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s%s",
			       i ? "," : "", got->positional[i]);
	assert_string_equal(joined, want->positional);
	assert_null(got->positional[got->positional_len]);
	assert_text(got->bundle, want->bundle);
	assert_text(got->user, want->user);
	assert_int_equal(got->preserve_fds, want->preserve_fds);
	assert_int_equal(got->tty, want->tty);
	assert_int_equal(got->detach, want->detach);
	assert_int_equal(got->env.len, want->env);
}

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct arguments got = { 0 };
		struct err err = { 0 };

		if (parse(good[i].command, good[i].words, &got, &err) < 0)
			fail_msg("row %zu: %s", i, err.text);
		check_outcome(&got, &good[i].want);
		arena_free(&got.arena);
	}
}

static void test_lists_keep_order(void **state)
{
	static const char *const words[WORDS_MAX] = { "-e", "A=1", "-e", "B", "-e", "A=2", "c" };
	struct arguments got = { 0 };

	(void)state;
	assert_int_equal(parse("exec", words, &got, NULL), 0);
	assert_int_equal(got.env.len, 3);
	assert_string_equal(got.env.at[0], "A=1");
	assert_string_equal(got.env.at[1], "B");
	assert_string_equal(got.env.at[2], "A=2");
	arena_free(&got.arena);
}

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct arguments got = { 0 };
		struct err err = { 0 };

		if (parse(bad[i].command, bad[i].words, &got, &err) == 0)
			fail_msg("row %zu: was taken", i);
		assert_string_equal(err.text, bad[i].text);
		arena_free(&got.arena);
	}
}

/* Written as JSON, for one text to look at. */
static char *limits_text(const char *const words[WORDS_MAX], struct err *err)
{
	struct arguments args = { 0 };
	struct limits limits;
	char *text = NULL;
	size_t size;
	FILE *out;

	assert_int_equal(parse("update", words, &args, NULL), 0);
	if (limits_read(&args, &limits, err) == 0) {
		out = open_memstream(&text, &size);
		assert_non_null(out);
		ocispec_write(out, &oci_resources_desc, &limits.resources);
		assert_int_equal(fclose(out), 0);
	}
	arena_free(&args.arena);
	return text;
}

static void test_limits(void **state)
{
	static const struct {
		const char *words[WORDS_MAX];
		const char *json; /* NULL: refused with text */
		const char *text;
	} rows[] = {
		{ { "c1" }, "{}", NULL },
		{ { "--memory", "64m", "c1" }, "{\"memory\":{\"limit\":67108864}}", NULL },
		{ { "--memory=64MiB", "c1" }, "{\"memory\":{\"limit\":67108864}}", NULL },
		{ { "--memory", "1Kb", "c1" }, "{\"memory\":{\"limit\":1024}}", NULL },
		{ { "--memory", "512b", "c1" }, "{\"memory\":{\"limit\":512}}", NULL },
		{ { "--memory", "0", "c1" }, "{\"memory\":{\"limit\":0}}", NULL },
		{ { "--memory-swap", "-1", "c1" }, "{\"memory\":{\"swap\":-1}}", NULL },
		{ { "--memory", "8388607t", "c1" },
		  "{\"memory\":{\"limit\":9223370937343148032}}",
		  NULL },
		{ { "--cpu-quota", "-1", "--cpu-period", "1000", "c1" },
		  "{\"cpu\":{\"period\":1000,\"quota\":-1}}",
		  NULL },
		{ { "--cpuset-cpus", "0-1", "c1" }, "{\"cpu\":{\"cpus\":\"0-1\"}}", NULL },
		{ { "--pids-limit", "20", "--blkio-weight", "300", "c1" },
		  "{\"pids\":{\"limit\":20},\"blockIO\":{\"weight\":300}}",
		  NULL },
		{ { "--memory", "8388608t", "c1" },
		  NULL,
		  "--memory: \"8388608t\" is no number of bytes" },
		{ { "--memory", "", "c1" }, NULL, "--memory: \"\" is no number of bytes" },
		{ { "--memory", "m", "c1" }, NULL, "--memory: \"m\" is no number of bytes" },
		{ { "--memory", "1x", "c1" }, NULL, "--memory: \"1x\" is no number of bytes" },
		{ { "--memory", "1kk", "c1" }, NULL, "--memory: \"1kk\" is no number of bytes" },
		{ { "--memory", "-2", "c1" }, NULL, "--memory: \"-2\" is no number of bytes" },
		{ { "--cpu-share", "-1", "c1" }, NULL, "--cpu-share: \"-1\" is no number" },
		{ { "--pids-limit", "many", "c1" }, NULL, "--pids-limit: \"many\" is no number" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = { 0 };
		autofree char *text = limits_text(rows[i].words, &err);

		if (!text != !rows[i].json)
			fail_msg("row %zu: %s", i, text ? text : err.text);
		assert_string_equal(text ? text : err.text, text ? rows[i].json : rows[i].text);
	}
}

static void check_rows(const char *command, const struct option_row *rows)
{
	for (const struct option_row *a = rows; a->name; a++) {
		if (!a->help || !*a->help || option_is_flag(a) != !a->argument)
			fail_msg("%s --%s: help or argument is missing", command, a->name);
		for (const struct option_row *b = rows; b < a; b++)
			if ((str_eq(a->name, b->name) && a->offset != b->offset) ||
			    (a->letter && a->letter == b->letter))
				fail_msg("%s: --%s and --%s are called the same", command, a->name,
					 b->name);
	}
}

static void test_tables(void **state)
{
	(void)state;
	check_rows("rung", global_rows);
	for (const struct command *c = commands; c->name; c++) {
		check_rows(c->name, c->rows);
		assert_non_null(c->run);
		assert_true(c->min <= c->max);
		assert_ptr_equal(command_find(c->name), c);
	}
	assert_null(command_find("creat"));
}

static char *read_source(const char *name)
{
	autofree char *path = str_printf("%s/%s", getenv("TOP_SRCDIR"), name);
	char *text = NULL;

	assert_non_null(path);
	if (fd_read_file(AT_FDCWD, path, 1 << 20, &text) < 0)
		fail_msg("cannot read %s", path);
	return text;
}

/* How the manual page has to write an option. */
static void man_item(char *item, size_t room, const struct option_row *row)
{
	char letter[16] = "";

	if (row->letter)
		(void)snprintf(letter, sizeof(letter), "Fl %c , ", row->letter);
	(void)snprintf(item, room, ".It %sFl Fl %s%s%s\n", letter, row->name,
		       row->argument ? " Ar " : "", row->argument ? row->argument : "");
}

/* The options of a section of the page, from @at to the next heading. */
static char *man_items(const char *at)
{
	char *items = calloc(1, strlen(at) + 1);

	assert_non_null(items);
	while (*at && strncmp(at, ".Ss", 3) != 0 && strncmp(at, ".Sh", 3) != 0) {
		size_t len = strcspn(at, "\n") + 1;

		if (str_after(at, ".It "))
			(void)strncat(items, at, len);
		at += len;
	}
	return items;
}

static void check_man_section(const char *page, const char *heading, const struct option_row *rows,
			      bool with_help)
{
	const char *at = strstr(page, heading);
	autofree char *items = NULL;
	char want[8192] = "";

	if (!at)
		fail_msg("rung.1: there is no \"%s\"", heading);
	items = man_items(at + strlen(heading));
	for (; rows->name; rows++)
		if (with_help || !str_eq(rows->name, "help"))
			man_item(want + strlen(want), sizeof(want) - strlen(want), rows);
	assert_string_equal(items, want);
}

static void test_manual_page(void **state)
{
	autofree char *page = read_source("man/rung.1");
	char heading[100];

	(void)state;
	check_man_section(page, ".Sh GLOBAL OPTIONS\n", global_rows, true);
	for (const struct command *c = commands; c->name; c++) {
		if (c->flags & COMMAND_HIDDEN)
			continue;
		(void)snprintf(heading, sizeof(heading), ".Ss %s%s%s\n", c->name,
			       *c->synopsis ? " " : "", c->synopsis);
		check_man_section(page, heading, c->rows, false);
	}
}

static void test_completions(void **state)
{
	static const char *const files[][2] = {
		{ "bash", "contrib/completions/bash/rung" },
		{ "zsh", "contrib/completions/zsh/_rung" },
		{ "fish", "contrib/completions/fish/rung.fish" },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		autofree char *kept = read_source(files[i][1]), *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		assert_int_equal(completion_write(out, files[i][0], NULL), 0);
		assert_int_equal(fclose(out), 0);
		if (!str_eq(text, kept))
			fail_msg("%s: out of date: rung debug completion %s", files[i][1],
				 files[i][0]);
	}
	assert_int_equal(completion_write(stdout, "csh", &err), -1);
	assert_string_equal(err.text, "completion: unknown shell \"csh\"; known: bash, zsh, fish");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),	    cmocka_unit_test(test_lists_keep_order),
		cmocka_unit_test(test_bad),	    cmocka_unit_test(test_limits),
		cmocka_unit_test(test_tables),	    cmocka_unit_test(test_manual_page),
		cmocka_unit_test(test_completions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
