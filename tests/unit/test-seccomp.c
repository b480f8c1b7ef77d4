/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiled filters, run in a small machine of our own; the cache that keeps them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/str.h"
#include "plan/plan.h"
#include "plan/seccomp-cache.h"
#include "plan/seccomp-compile.h"

#ifdef HAVE_SECCOMP

struct fixture {
	struct arena arena;
	struct plan plan;
	struct oci_seccomp *profile;
};

static void compile(struct fixture *f, const char *text)
{
	struct read_error why;
	struct err err = { 0 };

	*f = (struct fixture){ 0 };
	f->profile = ocispec_read(&oci_seccomp_desc, text, strlen(text), &f->arena, &why);
	assert_non_null(f->profile);
	if (seccomp_compile(&f->plan, f->profile, &err) < 0)
		fail_msg("%s", err.text);
}

static void done(struct fixture *f)
{
	plan_free(&f->plan);
	arena_free(&f->arena);
}

/* What the kernel would do, for the instructions that such filters have. */
static uint32_t run_filter(const struct seccomp_plan *filter, uint32_t arch, uint32_t nr)
{
	const struct seccomp_data data = { .nr = (int)nr, .arch = arch };
	uint32_t a = 0;

	for (size_t i = 0; i < filter->len; i++) {
		const struct sock_filter *at = &filter->program[i];
		bool jumps = true;

		switch (at->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&a, (const char *)&data + at->k, sizeof(a));
			continue;
		case BPF_RET | BPF_K:
			return at->k;
		case BPF_JMP | BPF_JA:
			i += at->k;
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= at->k;
			continue;
		case BPF_JMP | BPF_JEQ | BPF_K:
			jumps = a == at->k;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			jumps = a > at->k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			jumps = a >= at->k;
			break;
		default:
			fail_msg("instruction %zu: code %#x", i, at->code);
		}
		i += jumps ? at->jt : at->jf;
	}
	fail_msg("the filter has no end");
	return 0;
}

#define ALLOW_UP_TO_FACCESSAT2                                                                  \
	"\"syscalls\": [{\"names\": [\"read\", \"faccessat2\", \"no_such_call\"], \"action\": " \
	"\"SCMP_ACT_ALLOW\"}]}"

enum { FACCESSAT2 = 439, X32 = 0x40000000 };

static void test_horizons(void **state)
{
	static const struct {
		uint32_t arch, nr, want;
	} rows[] = {
		{ AUDIT_ARCH_X86_64, 0, SECCOMP_RET_ALLOW },
		{ AUDIT_ARCH_X86_64, FACCESSAT2, SECCOMP_RET_ALLOW },
		{ AUDIT_ARCH_X86_64, FACCESSAT2 - 1, SECCOMP_RET_ERRNO | EPERM },
		{ AUDIT_ARCH_X86_64, FACCESSAT2 + 1, SECCOMP_RET_ERRNO | ENOSYS },
		{ AUDIT_ARCH_X86_64, X32 - 1, SECCOMP_RET_ERRNO | ENOSYS },
		{ AUDIT_ARCH_X86_64, UINT32_MAX, SECCOMP_RET_ERRNO | EPERM },
		{ AUDIT_ARCH_X86_64, X32, SECCOMP_RET_ALLOW },
		{ AUDIT_ARCH_X86_64, X32 + FACCESSAT2, SECCOMP_RET_ALLOW },
		{ AUDIT_ARCH_X86_64, X32 + FACCESSAT2 - 1, SECCOMP_RET_ERRNO | EPERM },
		{ AUDIT_ARCH_X86_64, X32 + FACCESSAT2 + 1, SECCOMP_RET_ERRNO | ENOSYS },
		{ AUDIT_ARCH_I386, 3, SECCOMP_RET_ALLOW },
		{ AUDIT_ARCH_I386, 0, SECCOMP_RET_ERRNO | EPERM },
		{ AUDIT_ARCH_I386, FACCESSAT2, SECCOMP_RET_ALLOW },
		{ AUDIT_ARCH_I386, FACCESSAT2 + 1, SECCOMP_RET_ERRNO | ENOSYS },
		{ AUDIT_ARCH_I386, UINT32_MAX, SECCOMP_RET_ERRNO | EPERM },
		{ AUDIT_ARCH_AARCH64, 63, SECCOMP_RET_ALLOW },
		{ AUDIT_ARCH_AARCH64, FACCESSAT2 + 1, SECCOMP_RET_ERRNO | ENOSYS },
		{ AUDIT_ARCH_ARM, 3, SECCOMP_RET_ALLOW },
		{ AUDIT_ARCH_ARM, FACCESSAT2 + 1, SECCOMP_RET_ERRNO | ENOSYS },
		{ AUDIT_ARCH_ARM, 0x0f0002, SECCOMP_RET_ALLOW }, /* cacheflush */
		{ AUDIT_ARCH_ARM, 0x0f0001, SECCOMP_RET_ERRNO | EPERM },
		{ AUDIT_ARCH_RISCV64, FACCESSAT2 + 1, SECCOMP_RET_KILL_PROCESS },
	};
	struct fixture f;

	(void)state;
	compile(&f, "{\"defaultAction\": \"SCMP_ACT_ERRNO\", \"architectures\": "
		    "[\"SCMP_ARCH_X86_64\", \"SCMP_ARCH_X86\", \"SCMP_ARCH_X32\", "
		    "\"SCMP_ARCH_AARCH64\", \"SCMP_ARCH_ARM\", \"SCMP_ARCH_X86\"], "
		    "\"syscalls\": [{\"names\": [\"read\", \"faccessat2\", \"cacheflush\", "
		    "\"no_such_call\"], \"action\": \"SCMP_ACT_ALLOW\"}]}");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint32_t got = run_filter(&f.plan.seccomp, rows[i].arch, rows[i].nr);

		if (got != rows[i].want)
			fail_msg("row %zu: %#x", i, got);
	}
	done(&f);
}

/* x32 calls of a filter without x32 are of another architecture, whatever their numbers. */
static void test_architectures_that_are_not_there(void **state)
{
	struct fixture f;

	(void)state;
	compile(&f, "{\"defaultAction\": \"SCMP_ACT_ERRNO\", \"architectures\": "
		    "[\"SCMP_ARCH_X86_64\", \"SCMP_ARCH_X86\"], " ALLOW_UP_TO_FACCESSAT2);
	assert_int_equal(run_filter(&f.plan.seccomp, AUDIT_ARCH_X86_64, X32 + FACCESSAT2 + 1),
			 SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(run_filter(&f.plan.seccomp, AUDIT_ARCH_ARM, FACCESSAT2 + 1),
			 SECCOMP_RET_KILL_PROCESS);
	done(&f);
}

static void test_default_actions(void **state)
{
	static const struct {
		const char *members;
		uint32_t want;
	} rows[] = {
		{ "\"defaultAction\": \"SCMP_ACT_ALLOW\"", SECCOMP_RET_ALLOW },
		{ "\"defaultAction\": \"SCMP_ACT_LOG\"", SECCOMP_RET_LOG },
		{ "\"defaultAction\": \"SCMP_ACT_ERRNO\"", SECCOMP_RET_ERRNO | ENOSYS },
		{ "\"defaultAction\": \"SCMP_ACT_ERRNO\", \"defaultErrnoRet\": 13",
		  SECCOMP_RET_ERRNO | ENOSYS },
		{ "\"defaultAction\": \"SCMP_ACT_ERRNO\", \"defaultErrnoRet\": 38",
		  SECCOMP_RET_ERRNO | ENOSYS },
		{ "\"defaultAction\": \"SCMP_ACT_KILL_PROCESS\"", SECCOMP_RET_ERRNO | ENOSYS },
		{ "\"defaultAction\": \"SCMP_ACT_TRAP\"", SECCOMP_RET_ERRNO | ENOSYS },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		autofree char *text = str_printf(
			"{%s, \"architectures\": [\"SCMP_ARCH_X86_64\", \"SCMP_ARCH_X86\"], "
			"\"syscalls\": [{\"names\": [\"faccessat2\"], \"action\": "
			"\"SCMP_ACT_KILL_THREAD\"}]}",
			rows[i].members);
		struct fixture f;

		compile(&f, text);
		assert_int_equal(run_filter(&f.plan.seccomp, AUDIT_ARCH_X86_64, 1000),
				 rows[i].want);
		assert_int_equal(run_filter(&f.plan.seccomp, AUDIT_ARCH_I386, 1000), rows[i].want);
		assert_int_equal(run_filter(&f.plan.seccomp, AUDIT_ARCH_I386, FACCESSAT2),
				 SECCOMP_RET_KILL_THREAD);
		done(&f);
	}
}

/* A profile that no other number shares. */
static void compile_number(struct fixture *f, unsigned number)
{
	autofree char *text =
		str_printf("{\"defaultAction\": \"SCMP_ACT_ERRNO\", \"defaultErrnoRet\": %u, "
			   "\"architectures\": [\"SCMP_ARCH_X86_64\"], \"syscalls\": []}",
			   number);

	compile(f, text);
}

/* Files of @directory; *@ret_bytes: of all of them. */
static size_t count_files(const char *directory, off_t *ret_bytes)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	struct stat st;
	size_t len = 0;

	*ret_bytes = 0;
	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && S_ISREG(st.st_mode)) {
			len++;
			*ret_bytes += st.st_size;
		}
	(void)closedir(dir);
	return len;
}

static void remove_all(const char *directory)
{
	autofree char *command = str_printf("rm -r '%s'", directory);

	assert_int_equal(system(command), 0);
}

static bool has_number(const char *directory, unsigned number)
{
	struct fixture f;
	struct plan found = { 0 };
	bool has;

	compile_number(&f, number);
	has = seccomp_cache_find(&found, directory, f.profile);
	if (has) {
		assert_int_equal(found.seccomp.len, f.plan.seccomp.len);
		assert_memory_equal(found.seccomp.program, f.plan.seccomp.program,
				    found.seccomp.len * sizeof(struct sock_filter));
	}
	plan_free(&found);
	done(&f);
	return has;
}

static void add_number(const char *directory, unsigned number)
{
	struct fixture f;

	compile_number(&f, number);
	seccomp_cache_add(&f.plan.seccomp, directory, f.profile);
	done(&f);
}

static void test_cache_keeps_the_youngest(void **state)
{
	char directory[] = "/tmp/test-seccomp-XXXXXX";
	off_t bytes;

	(void)state;
	assert_non_null(mkdtemp(directory));
	for (unsigned i = 0; i < 2 * SECCOMP_CACHE_FILES; i++) {
		add_number(directory, i);
		assert_true(has_number(directory, i));
		assert_true(count_files(directory, &bytes) <= SECCOMP_CACHE_FILES);
		(void)usleep(1000); /* the clock of files is coarse */
	}
	assert_int_equal(count_files(directory, &bytes), SECCOMP_CACHE_FILES);
	assert_false(has_number(directory, 0));
	assert_false(has_number(directory, SECCOMP_CACHE_FILES / 2));
	remove_all(directory);
}

static void write_file(const char *directory, const char *name, off_t size, time_t when)
{
	autofree char *path = str_printf("%s/%s", directory, name);
	const struct timespec times[2] = { { .tv_sec = when }, { .tv_sec = when } };
	autoclose int fd = -1;

	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(futimens(fd, times), 0);
}

/* What killed writers left goes with the rest; what is no file stays. */
static void test_cache_is_bounded_in_bytes(void **state)
{
	char directory[] = "/tmp/test-seccomp-XXXXXX";
	autofree char *sub = NULL;
	off_t bytes;

	(void)state;
	assert_non_null(mkdtemp(directory));
	sub = str_printf("%s/directory", directory);
	assert_int_equal(mkdir(sub, 0700), 0);
	write_file(directory, ".0123456789abcdef.77", SECCOMP_CACHE_BYTES - 100, 1000);
	write_file(directory, "old", 50, 2000);
	add_number(directory, 1);
	assert_true(has_number(directory, 1));
	assert_int_equal(count_files(directory, &bytes), 2);
	assert_true(bytes < SECCOMP_CACHE_BYTES);
	assert_int_equal(access(sub, F_OK), 0);
	remove_all(directory);
}

/* Several write, read and trim at once: each finds what fits, or nothing. */
static void test_cache_in_use_by_many(void **state)
{
	enum { RUNS = 4 };
	char directory[] = "/tmp/test-seccomp-XXXXXX";
	off_t bytes;
	int status;

	(void)state;
	assert_non_null(mkdtemp(directory));
	for (unsigned run = 0; run < RUNS; run++) {
		if (fork() > 0)
			continue;
		for (unsigned i = 0; i < SECCOMP_CACHE_FILES; i++) {
			add_number(directory, (i * 7 + run * 50) % 200);
			(void)has_number(directory, i % 200);
		}
		_exit(0);
	}
	for (unsigned run = 0; run < RUNS; run++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_in_range(count_files(directory, &bytes), 1, SECCOMP_CACHE_FILES);
	remove_all(directory);
}

static void test_cache_trusts_no_open_directory(void **state)
{
	char directory[] = "/tmp/test-seccomp-XXXXXX";
	off_t bytes;

	(void)state;
	assert_non_null(mkdtemp(directory));
	add_number(directory, 1);
	assert_true(has_number(directory, 1));
	assert_int_equal(chmod(directory, 0701), 0);
	assert_false(has_number(directory, 1));
	add_number(directory, 2);
	assert_int_equal(count_files(directory, &bytes), 1);
	remove_all(directory);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_horizons),
		cmocka_unit_test(test_architectures_that_are_not_there),
		cmocka_unit_test(test_default_actions),
		cmocka_unit_test(test_cache_keeps_the_youngest),
		cmocka_unit_test(test_cache_is_bounded_in_bytes),
		cmocka_unit_test(test_cache_in_use_by_many),
		cmocka_unit_test(test_cache_trusts_no_open_directory),
	};

	return cmocka_run_group_tests_name("seccomp", tests, NULL, NULL);
}

#else

int main(void)
{
	(void)puts("1..0 # SKIP built without libseccomp");
	return 0;
}

#endif
