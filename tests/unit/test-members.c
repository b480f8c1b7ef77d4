/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The specification's members (tests/data/members-*.txt), the rows and the structs are in step:
 * a member without a row, a row without a member, another type or range, and a byte of a struct
 * that no row covers are failures, but for what deviations[] names with its reason.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ocispec.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"
#include "plan/plan-sched.h"
#include "plan/seccomp-names.h"

enum { MEMBERS_MAX = 512, PATH_ROOM = 128, TYPE_ROOM = 700 };

struct member {
	char path[PATH_ROOM], type[TYPE_ROOM];
};
struct members {
	struct member at[MEMBERS_MAX];
	size_t len;
};

/* @spec NULL: the specification has no such member; @ours NULL: there is no such row. */
struct deviation {
	const char *path, *spec, *ours;
};

static const struct deviation config_deviations[] = {
	/* kept in an int of seconds */
	{ "hooks.createContainer[].timeout", "1..", "1..2147483647" },
	{ "hooks.createRuntime[].timeout", "1..", "1..2147483647" },
	{ "hooks.poststart[].timeout", "1..", "1..2147483647" },
	{ "hooks.poststop[].timeout", "1..", "1..2147483647" },
	{ "hooks.prestart[].timeout", "1..", "1..2147483647" },
	{ "hooks.startContainer[].timeout", "1..", "1..2147483647" },
	/* engines copy st_mode with its type, and set-user-ID is a mode, too */
	{ "linux.devices[].fileMode", "0..511", "uint16" },
	/* -1 is unlimited; what is below it is nothing */
	{ "linux.resources.memory.kernel", "int64", "-1..9223372036854775807" },
	{ "linux.resources.memory.kernelTCP", "int64", "-1..9223372036854775807" },
	{ "linux.resources.memory.limit", "int64", "-1..9223372036854775807" },
	{ "linux.resources.memory.reservation", "int64", "-1..9223372036854775807" },
	{ "linux.resources.memory.swap", "int64", "-1..9223372036854775807" },
	/* an empty object sets nothing: engines write it */
	{ "linux.resources.pids.limit", "int64 required", "int64" },
	/* the recursive ones are what engines write */
	{ "linux.rootfsPropagation", "enum(private|shared|slave|unbindable)",
	  "enum(private|rprivate|rshared|rslave|runbindable|shared|slave|unbindable)" },
	/* one row for both clocks, so that an unknown one is told by name */
	{ "linux.timeOffsets", "object", NULL },
	{ "linux.timeOffsets.boottime", "object", NULL },
	{ "linux.timeOffsets.boottime.nanosecs", "uint32", NULL },
	{ "linux.timeOffsets.boottime.secs", "int64", NULL },
	{ "linux.timeOffsets.monotonic", "object", NULL },
	{ "linux.timeOffsets.monotonic.nanosecs", "uint32", NULL },
	{ "linux.timeOffsets.monotonic.secs", "int64", NULL },
	{ "linux.timeOffsets{}", NULL, "object" },
	{ "linux.timeOffsets{}.nanosecs", NULL, "uint32" },
	{ "linux.timeOffsets{}.secs", NULL, "int64" },
	/* no bounds in the specification; the plan has the kernel's */
	{ "process.oomScoreAdj", "integer", "int64" },
	/* the kernel's -1 is no id; config.md requires a uid */
	{ "process.user.additionalGids[]", "uint32", "0..4294967294" },
	{ "process.user.gid", "uint32", "0..4294967294" },
	{ "process.user.uid", "uint32", "0..4294967294 required" },
	/* vm is ignored as a whole */
	{ "vm.image.format", "enum(qcow2|raw|vdi|vhd|vmdk) required", "string required" },
};

/* config-linux.md and features-linux.md have them, the schema of 1.3 does not. */
static const struct deviation features_deviations[] = {
	{ "linux.intelRdt.monitoring", NULL, "boolean" },
	{ "linux.intelRdt.schemata", NULL, "boolean" },
	{ "linux.memoryPolicy", NULL, "object" },
	{ "linux.memoryPolicy.flags[]", NULL, "string" },
	{ "linux.memoryPolicy.modes[]", NULL, "string" },
	/* those that host/ns.h knows: test-cli-output has them */
	{ "linux.namespaces[]", "enum(cgroup|ipc|mount|network|pid|time|user|uts)", "string" },
};

static const struct deviation state_deviations[] = {
	/* kept in a pid_t */
	{ "pid", "0..", "0..2147483647" },
	/* runtimes may have more */
	{ "status", "enum(created|creating|running|stopped) required", "string required" },
	/* "The state MAY include additional properties": runc's, and root, crun's */
	{ "created", NULL, "string" },
	{ "owner", NULL, "string" },
	{ "root", NULL, "string" },
	{ "rootfs", NULL, "string" },
	{ "systemd-scope", NULL, "string" },
};

/* Words of an enumeration that the plan knows, not the row: it accepts what is newer, too. */
static const struct {
	const char *path;
	const char *const *names;
} words[] = {
	{ "linux.memoryPolicy.flags[]", memory_policy_flag_names },
	{ "linux.seccomp.actions[]", seccomp_action_words },
	{ "linux.seccomp.architectures[]", seccomp_arch_names },
	{ "linux.seccomp.archs[]", seccomp_arch_names },
	{ "linux.seccomp.flags[]", seccomp_flag_names },
	{ "linux.seccomp.knownFlags[]", seccomp_flag_names },
	{ "linux.seccomp.operators[]", seccomp_operator_names },
	{ "linux.seccomp.supportedFlags[]", seccomp_flag_names },
	{ "process.scheduler.flags[]", schedule_flag_names },
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "enum(a|b)" of the names, in byte order as the lists have them. */
static void enum_type(char *type, const char *const *names)
{
	const char *sorted[64];
	size_t count = 0, used;

	while (names[count])
		count++;
	assert_true(count && count <= ARRAY_LEN(sorted));
	memcpy(sorted, names, count * sizeof(*names));
	qsort(sorted, count, sizeof(*sorted), by_text);
	used = (size_t)snprintf(type, TYPE_ROOM, "enum(");
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(type + used, TYPE_ROOM - used, "%s%s", i ? "|" : "",
					 sorted[i]);
	assert_true(used + 1 < TYPE_ROOM);
	(void)strcat(type, ")");
}

static const char *int_type(const struct field *f)
{
	static const struct {
		const char *name;
		int64_t min;
		uint64_t max;
	} known[] = {
		{ "int32", INT32_MIN, INT32_MAX }, { "int64", INT64_MIN, INT64_MAX },
		{ "uint16", 0, UINT16_MAX },	   { "uint32", 0, UINT32_MAX },
		{ "uint64", 0, UINT64_MAX },
	};
	static char range[64];

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (f->min == known[i].min && f->max == known[i].max)
			return known[i].name;
	(void)snprintf(range, sizeof(range), "%lld..%llu", (long long)f->min,
		       (unsigned long long)f->max);
	return range;
}

static void row_type(const struct field *f, char *type)
{
	static const char *const plain[] = {
		[KIND_STRING] = "string", [KIND_BOOL] = "boolean", [KIND_OBJECT] = "object",
		[KIND_PAIRS] = "string",  [KIND_NAMED] = "object",
	};

	if (f->kind == KIND_ENUM)
		enum_type(type, f->names);
	else
		(void)snprintf(type, TYPE_ROOM, "%s",
			       f->kind == KIND_INT || f->kind == KIND_UINT ? int_type(f) :
									     plain[f->kind]);
	if (f->flags & REQUIRED)
		(void)strcat(type, " required");
}

static void walk_rows(const struct desc *desc, const char *prefix, struct members *out)
{
	for (const struct field *f = desc->fields; f->name; f++) {
		struct member *member = &out->at[out->len++];
		bool map = f->kind == KIND_PAIRS || f->kind == KIND_NAMED;

		assert_true(out->len < MEMBERS_MAX);
		(void)snprintf(member->path, PATH_ROOM, "%s%s%s%s", prefix, *prefix ? "." : "",
			       f->name,
			       map	       ? "{}" :
			       f->flags & LIST ? "[]" :
						 "");
		row_type(f, member->type);
		if (f->kind == KIND_OBJECT || f->kind == KIND_NAMED)
			walk_rows(f->type, member->path, out);
	}
}

static void read_list(const char *name, struct members *out)
{
	autofree char *path = str_printf("%s/tests/data/%s", getenv("TOP_SRCDIR"), name);
	autofree char *text = NULL;
	char *rest, *line;

	if (fd_read_file(AT_FDCWD, path, 1 << 20, &text) < 0)
		fail_msg("cannot read %s", path);
	for (rest = text; (line = strsep(&rest, "\n"));) {
		struct member *member = &out->at[out->len];

		if (!*line || *line == '#')
			continue;
		assert_true(++out->len < MEMBERS_MAX);
		assert_int_equal(sscanf(line, "%127s %699[^\n]", member->path, member->type), 2);
	}
}

static const char *type_in(const struct members *members, const char *path)
{
	for (size_t i = 0; i < members->len; i++)
		if (str_eq(members->at[i].path, path))
			return members->at[i].type;
	return NULL;
}

/* A row of plain strings for words that the plan checks by a table of the same words. */
static bool words_agree(const char *path, const char *spec, const char *ours)
{
	char type[TYPE_ROOM];

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_eq(words[i].path, path)) {
			enum_type(type, words[i].names);
			return str_eq(ours, "string") && str_eq(spec, type);
		}
	return false;
}

static bool same(const char *a, const char *b)
{
	return a && b ? str_eq(a, b) : a == b;
}

static const struct deviation *deviation_of(const struct deviation *list, size_t len,
					    const char *path)
{
	for (size_t i = 0; i < len; i++)
		if (str_eq(list[i].path, path))
			return &list[i];
	return NULL;
}

/* The count of disagreements about @path, 0 or 1, which is told. */
static unsigned disagrees(const char *path, const char *spec, const char *ours,
			  const struct deviation *deviation)
{
	if (deviation ? same(spec, deviation->spec) && same(ours, deviation->ours) :
			same(spec, ours) || (spec && ours && words_agree(path, spec, ours)))
		return 0;
	print_error("%s: the specification has %s, the row is %s%s\n", path, spec ? spec : "none",
		    ours ? ours : "none", deviation ? ", deviations[] says otherwise" : "");
	return 1;
}

static void compare(const struct desc *desc, const char *name, const struct deviation *deviations,
		    size_t len)
{
	static struct members spec, ours;
	unsigned bad = 0;

	spec.len = ours.len = 0;
	read_list(name, &spec);
	walk_rows(desc, "", &ours);
	for (size_t i = 0; i < spec.len; i++)
		bad += disagrees(spec.at[i].path, spec.at[i].type, type_in(&ours, spec.at[i].path),
				 deviation_of(deviations, len, spec.at[i].path));
	for (size_t i = 0; i < ours.len; i++)
		if (!type_in(&spec, ours.at[i].path))
			bad += disagrees(ours.at[i].path, NULL, ours.at[i].type,
					 deviation_of(deviations, len, ours.at[i].path));
	for (size_t i = 0; i < len; i++)
		if (!type_in(&spec, deviations[i].path) && !type_in(&ours, deviations[i].path))
			fail_msg("%s: deviates, but is nowhere", deviations[i].path);
	assert_true(spec.len >= 6);
	assert_int_equal(bad, 0);
}

static void test_config(void **state)
{
	(void)state;
	compare(&oci_config_desc, "members-config.txt", config_deviations,
		ARRAY_LEN(config_deviations));
}

static void test_features(void **state)
{
	(void)state;
	compare(&oci_features_desc, "members-features.txt", features_deviations,
		ARRAY_LEN(features_deviations));
}

static void test_state(void **state)
{
	(void)state;
	compare(&oci_state_desc, "members-state.txt", state_deviations,
		ARRAY_LEN(state_deviations));
}

static size_t row_size(const struct field *f)
{
	if (f->flags & LIST || f->kind == KIND_PAIRS || f->kind == KIND_NAMED)
		return sizeof(struct str_list);
	switch (f->kind) {
	case KIND_STRING:
		return sizeof(char *);
	case KIND_BOOL:
		return sizeof(struct opt_bool);
	case KIND_OBJECT:
		return f->flags & BOXED ? sizeof(void *) : f->type->size;
	default:
		return sizeof(struct opt_int);
	}
}

/* Every byte of the struct belongs to a row, but for the gaps that alignment makes. */
static void check_cover(const struct desc *desc, bool named)
{
	char owner[1024] = { 0 };
	size_t gap = 0;

	assert_true(desc->size <= sizeof(owner));
	if (named) /* the name comes first */
		memset(owner, 1, offsetof(struct pair, value));
	for (const struct field *f = desc->fields; f->name; f++) {
		for (size_t i = 0; i < row_size(f); i++)
			if (owner[f->offset + i]++)
				fail_msg("%s.%s: shares its bytes", desc->name, f->name);
		if (f->kind == KIND_OBJECT || f->kind == KIND_NAMED)
			check_cover(f->type, f->kind == KIND_NAMED);
	}
	for (size_t i = 0; i < desc->size; i++) {
		gap = owner[i] ? 0 : gap + 1;
		if (gap >= sizeof(void *))
			fail_msg("%s: the struct has a member without a row, before byte %zu",
				 desc->name, i + 1);
	}
}

static void test_structs(void **state)
{
	(void)state;
	check_cover(&oci_config_desc, false);
	check_cover(&oci_features_desc, false);
	check_cover(&oci_state_desc, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_structs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
