/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conversions to cgroup v2's terms, and the device filter against its reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/cgroup-device.h"
#include "plan/cgroup-values.h"

static void test_weights(void **state)
{
	static const uint64_t rows[][2] = {
		{ 0, 0 },
		{ 1, 1 },
		{ 2, 1 },
		{ 3, 2 },
		{ 10, 4 },
		{ 100, 17 },
		{ 128, 21 },
		{ 204, 29 },
		{ 256, 35 },
		{ 512, 59 },
		{ 999, 99 },
		{ 1024, 100 },
		{ 1025, 101 },
		{ 1536, 138 },
		{ 2048, 174 },
		{ 4096, 303 },
		{ 8192, 532 },
		{ 10000, 627 },
		{ 22000, 1204 },
		{ 65536, 3023 },
		{ 131072, 5478 },
		{ 260000, 9929 },
		{ 262143, 10000 },
		{ 262144, 10000 },
		{ UINT64_MAX, 10000 },
	};
	static const uint64_t io[][2] = { { 0, 0 },	 { 10, 1 },	{ 100, 910 },
					  { 500, 4950 }, { 750, 7475 }, { 1000, 10000 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(cpu_weight(rows[i][0]), rows[i][1]);
	for (size_t i = 0; i < sizeof(io) / sizeof(io[0]); i++)
		assert_int_equal(io_weight(io[i][0]), io[i][1]);
}

/* Just enough of BPF to run what device_program() writes. */
static uint32_t run(const struct bpf_insn *program, const struct bpf_cgroup_dev_ctx *ctx)
{
	uint64_t r[11] = { 0 };

	for (const struct bpf_insn *i = program;; i++) {
		uint64_t value = BPF_SRC(i->code) == BPF_X ? r[i->src_reg] :
							     (uint64_t)(uint32_t)i->imm;

		switch (i->code) {
		case BPF_LDX | BPF_MEM | BPF_W:
			r[i->dst_reg] = *(const uint32_t *)((const char *)ctx + i->off);
			break;
		case BPF_ALU64 | BPF_MOV | BPF_X:
		case BPF_ALU | BPF_MOV | BPF_X:
		case BPF_ALU | BPF_MOV | BPF_K:
			r[i->dst_reg] = value;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			r[i->dst_reg] &= value;
			break;
		case BPF_ALU | BPF_RSH | BPF_K:
			r[i->dst_reg] = (uint32_t)r[i->dst_reg] >> value;
			break;
		case BPF_JMP | BPF_JNE | BPF_K:
			i += r[i->dst_reg] != value ? i->off : 0;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			i += r[i->dst_reg] == value ? i->off : 0;
			break;
		case BPF_JMP | BPF_EXIT:
			return (uint32_t)r[0];
		default:
			fail_msg("instruction %#x", i->code);
		}
	}
}

static struct device_rule random_rule(void)
{
	return (struct device_rule){
		.allow = rand() & 1,
		.type = "abc"[rand() % 3],
		.major = rand() % 4 - 1,
		.minor = rand() % 4 - 1,
		.access = 1 + (unsigned)rand() % 7,
	};
}

static bool filter_allows(const struct bpf_insn *program, const struct device_rule *access)
{
	const struct bpf_cgroup_dev_ctx ctx = {
		.access_type =
			(uint32_t)(access->type == 'b' ? BPF_DEVCG_DEV_BLOCK : BPF_DEVCG_DEV_CHAR) |
			((access->access & DEVICE_READ ? BPF_DEVCG_ACC_READ : 0U) |
			 (access->access & DEVICE_WRITE ? BPF_DEVCG_ACC_WRITE : 0U) |
			 (access->access & DEVICE_MKNOD ? BPF_DEVCG_ACC_MKNOD : 0U))
				<< 16,
		.major = (uint32_t)access->major,
		.minor = (uint32_t)access->minor,
	};

	return run(program, &ctx);
}

static void test_devices(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 2000; round++) {
		struct device_rule rules[8];
		size_t len = (size_t)rand() % 9, program_len;
		struct bpf_insn *program;

		for (size_t i = 0; i < len; i++)
			rules[i] = random_rule();
		assert_int_equal(device_program(rules, len, &program, &program_len, NULL), 0);
		for (int probe = 0; probe < 50; probe++) {
			struct device_rule access = random_rule();

			access.type = "bc"[rand() & 1];
			access.major = rand() % 3;
			access.minor = rand() % 3;
			assert_int_equal(filter_allows(program, &access),
					 device_rules_allow(rules, len, &access));
		}
		free(program);
	}
}

static void test_device_semantics(void **state)
{
	static const struct device_rule rules[] = {
		{ false, 'a', -1, -1, 7 },
		{ true, 'c', 1, 3, DEVICE_READ | DEVICE_WRITE },
		{ false, 'c', 1, 3, DEVICE_WRITE },
	};

	(void)state;
	assert_false(
		device_rules_allow(NULL, 0, &(struct device_rule){ .type = 'c', .access = 1 }));
	assert_true(device_rules_allow(rules, 2, &(struct device_rule){ false, 'c', 1, 3, 3 }));
	assert_false(device_rules_allow(rules, 2, &(struct device_rule){ false, 'c', 1, 3, 7 }));
	assert_false(device_rules_allow(rules, 2, &(struct device_rule){ false, 'b', 1, 3, 1 }));
	assert_true(device_rules_allow(rules, 3, &(struct device_rule){ false, 'c', 1, 3, 1 }));
	assert_false(device_rules_allow(rules, 3, &(struct device_rule){ false, 'c', 1, 3, 3 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_device_semantics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
