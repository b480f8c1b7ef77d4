/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One block of instructions a rule, from the last rule to the first; the first
 * block that matches decides.  A rule for all devices ends the program there.
 */
#include "host/cgroup-device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scope.h"

enum { BLOCK_MAX = 9, HEAD = 6, TAIL = 2, LOG_SIZE = 4096, PROGRAMS_MAX = 64 };

/* R1 is the context; the head leaves type, access, major and minor in these. */
enum {
	TYPE = BPF_REG_2,
	ACCESS = BPF_REG_3,
	MAJOR = BPF_REG_4,
	MINOR = BPF_REG_5,
	SCRATCH = BPF_REG_6
};

struct writer {
	struct bpf_insn *at;
	size_t len;
};

static void emit(struct writer *w, uint8_t code, uint8_t dst, uint8_t src, int32_t imm)
{
	w->at[w->len++] = (struct bpf_insn){
		.code = code, .dst_reg = dst & 0xf, .src_reg = src & 0xf, .imm = imm
	};
}

static void load_field(struct writer *w, uint8_t reg, int16_t offset)
{
	emit(w, BPF_LDX | BPF_MEM | BPF_W, reg, BPF_REG_1, 0);
	w->at[w->len - 1].off = offset;
}

static void emit_head(struct writer *w)
{
	load_field(w, TYPE, offsetof(struct bpf_cgroup_dev_ctx, access_type));
	emit(w, BPF_ALU64 | BPF_MOV | BPF_X, ACCESS, TYPE, 0);
	emit(w, BPF_ALU | BPF_AND | BPF_K, TYPE, 0, 0xffff);
	emit(w, BPF_ALU | BPF_RSH | BPF_K, ACCESS, 0, 16);
	load_field(w, MAJOR, offsetof(struct bpf_cgroup_dev_ctx, major));
	load_field(w, MINOR, offsetof(struct bpf_cgroup_dev_ctx, minor));
}

static uint32_t kernel_access(unsigned access)
{
	return (access & DEVICE_READ ? BPF_DEVCG_ACC_READ : 0) |
	       (access & DEVICE_WRITE ? BPF_DEVCG_ACC_WRITE : 0) |
	       (access & DEVICE_MKNOD ? BPF_DEVCG_ACC_MKNOD : 0);
}

static void emit_exit(struct writer *w, bool allow)
{
	emit(w, BPF_ALU | BPF_MOV | BPF_K, BPF_REG_0, 0, allow);
	emit(w, BPF_JMP | BPF_EXIT, 0, 0, 0);
}

/* Jumps of the block go to its end, whose place is known when it is done. */
static void emit_rule(struct writer *w, const struct device_rule *rule)
{
	size_t first = w->len;
	unsigned all = DEVICE_READ | DEVICE_WRITE | DEVICE_MKNOD;

	if (rule->type != 'a')
		emit(w, BPF_JMP | BPF_JNE | BPF_K, TYPE, 0,
		     rule->type == 'b' ? BPF_DEVCG_DEV_BLOCK : BPF_DEVCG_DEV_CHAR);
	if ((rule->access & all) != all) {
		emit(w, BPF_ALU | BPF_MOV | BPF_X, SCRATCH, ACCESS, 0);
		emit(w, BPF_ALU | BPF_AND | BPF_K, SCRATCH, 0,
		     (int32_t)kernel_access(rule->allow ? all & ~rule->access : rule->access));
		emit(w, BPF_JMP | (rule->allow ? BPF_JNE : BPF_JEQ) | BPF_K, SCRATCH, 0, 0);
	}
	if (rule->major >= 0)
		emit(w, BPF_JMP | BPF_JNE | BPF_K, MAJOR, 0, (int32_t)rule->major);
	if (rule->minor >= 0)
		emit(w, BPF_JMP | BPF_JNE | BPF_K, MINOR, 0, (int32_t)rule->minor);
	emit_exit(w, rule->allow);
	for (size_t i = first; i < w->len; i++)
		if (BPF_CLASS(w->at[i].code) == BPF_JMP && BPF_OP(w->at[i].code) != BPF_EXIT)
			w->at[i].off = (int16_t)(w->len - i - 1);
}

static bool covers_all(const struct device_rule *rule)
{
	unsigned all = DEVICE_READ | DEVICE_WRITE | DEVICE_MKNOD;

	return rule->type == 'a' && rule->major < 0 && rule->minor < 0 &&
	       (rule->access & all) == all;
}

int device_program(const struct device_rule *rules, size_t len, struct bpf_insn **ret,
		   size_t *ret_len, struct err *err)
{
	struct writer w = { .at = calloc(HEAD + len * BLOCK_MAX + TAIL, sizeof(struct bpf_insn)) };
	bool decided = false;

	if (!w.at)
		return err_errno(err, ENOMEM, "device filter");
	emit_head(&w);
	for (size_t i = len; i-- > 0 && !decided;) {
		emit_rule(&w, &rules[i]);
		decided = covers_all(&rules[i]);
	}
	if (!decided)
		emit_exit(&w, false);
	*ret = w.at;
	*ret_len = w.len;
	return 0;
}

bool device_rules_allow(const struct device_rule *rules, size_t len,
			const struct device_rule *access)
{
	while (len-- > 0) {
		const struct device_rule *rule = &rules[len];
		bool covered = rule->allow ? !(access->access & ~rule->access) :
					     access->access & rule->access;

		if (covered && (rule->type == 'a' || rule->type == access->type) &&
		    (rule->major < 0 || rule->major == access->major) &&
		    (rule->minor < 0 || rule->minor == access->minor))
			return rule->allow;
	}
	return false;
}

static int bpf(unsigned command, union bpf_attr *attr)
{
	long result = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return result < 0 ? -errno : (int)result;
}

static int load(const struct bpf_insn *program, size_t len, struct err *err)
{
	static const char license[] = "Dual BSD/GPL";
	char log[LOG_SIZE] = "";
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE,
		.insns = (uintptr_t)program,
		.insn_cnt = (uint32_t)len,
		.license = (uintptr_t)license,
		.prog_name = "rung_devices",
	};
	int fd = bpf(BPF_PROG_LOAD, &attr), code = fd;

	if (fd >= 0)
		return fd;
	if (code != -EPERM) { /* once more, for the verifier's words */
		attr.log_buf = (uintptr_t)log;
		attr.log_size = sizeof(log);
		attr.log_level = 1;
		fd = bpf(BPF_PROG_LOAD, &attr);
	}
	return fd >= 0 ? fd :
			 err_errno(err, code, "load the device filter%s%.300s", *log ? ": " : "",
				   log);
}

/* Ids of the programs attached to the cgroup itself; their number or -errno. */
static int attached(int cgroup_fd, uint32_t ids[PROGRAMS_MAX])
{
	union bpf_attr attr = { .query = {
					.target_fd = (uint32_t)cgroup_fd,
					.attach_type = BPF_CGROUP_DEVICE,
					.prog_ids = (uintptr_t)ids,
					.prog_cnt = PROGRAMS_MAX,
				} };
	int code = bpf(BPF_PROG_QUERY, &attr);

	return code < 0 ? code : (int)attr.query.prog_cnt;
}

static int open_program(uint32_t id)
{
	union bpf_attr attr = { .prog_id = id };

	return bpf(BPF_PROG_GET_FD_BY_ID, &attr);
}

int device_program_attach(const struct bpf_insn *program, size_t len, int cgroup_fd, bool is_new,
			  struct err *err)
{
	union bpf_attr attr = { .target_fd = (uint32_t)cgroup_fd,
				.attach_type = BPF_CGROUP_DEVICE,
				.attach_flags = BPF_F_ALLOW_MULTI };
	uint32_t ids[PROGRAMS_MAX];
	autoclose int fd = -1;
	autoclose int old_fd = -1;
	int code, count;

	fd = load(program, len, err);
	if (fd < 0)
		return -1;
	attr.attach_bpf_fd = (uint32_t)fd;
	count = is_new ? 0 : attached(cgroup_fd, ids);
	if (count == 1)
		old_fd = open_program(ids[0]);
	if (old_fd >= 0) { /* in place of the old one: no moment without a filter */
		attr.attach_flags |= BPF_F_REPLACE;
		attr.replace_bpf_fd = (uint32_t)old_fd;
	}
	code = bpf(BPF_PROG_ATTACH, &attr);
	if (code < 0)
		return err_errno(err, code, "attach the device filter to the cgroup");
	if (attached(cgroup_fd, ids) < 1)
		return err_set(err, "the device filter is not attached after all");
	return 0;
}
