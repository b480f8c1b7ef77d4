/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/seccomp-compile.h"

#ifdef HAVE_SECCOMP
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/str.h"
#include "host/seccomp.h"
#include "plan/seccomp-names.h"

enum { ARGS_MAX = 6, BINARY_TREE = 2 };

static void release_filter(scmp_filter_ctx *filter)
{
	if (*filter)
		seccomp_release(*filter);
}

#define autofilter __attribute__((cleanup(release_filter)))

static bool carries_errno(enum oci_seccomp_action action)
{
	return action == OCI_ACT_ERRNO || action == OCI_ACT_TRACE;
}

/* libseccomp's action; @errno_ret is checked and defaults to EPERM (R170). */
static int action_of(enum oci_seccomp_action action, const struct opt_uint *errno_ret,
		     uint32_t *ret, struct err *err)
{
	static const uint32_t plain[] = {
		[OCI_ACT_KILL] = SCMP_ACT_KILL,
		[OCI_ACT_KILL_PROCESS] = SCMP_ACT_KILL_PROCESS,
		[OCI_ACT_KILL_THREAD] = SCMP_ACT_KILL_THREAD,
		[OCI_ACT_TRAP] = SCMP_ACT_TRAP,
		[OCI_ACT_ALLOW] = SCMP_ACT_ALLOW,
		[OCI_ACT_LOG] = SCMP_ACT_LOG,
		[OCI_ACT_NOTIFY] = SCMP_ACT_NOTIFY,
	};
	uint64_t number = errno_ret->set ? errno_ret->value : EPERM;

	if (errno_ret->set && !carries_errno(action))
		return err_set(err, "errnoRet: the action %s has no errno",
			       seccomp_action_words[action]);
	if (number > UINT16_MAX)
		return err_set(err, "errnoRet: %" PRIu64 " is out of range", number);
	if (action == OCI_ACT_ERRNO)
		*ret = SCMP_ACT_ERRNO(number);
	else if (action == OCI_ACT_TRACE)
		*ret = SCMP_ACT_TRACE(number);
	else
		*ret = plain[action];
	return 0;
}

/* libseccomp's token for "SCMP_ARCH_...", 0: unknown. */
static uint32_t arch_number(const char *name)
{
	const char *rest = str_after(name, "SCMP_ARCH_");
	char lower[32];
	size_t i = 0;

	if (!rest)
		return 0;
	for (; rest[i] && i + 1 < sizeof(lower); i++)
		lower[i] = (char)tolower((unsigned char)rest[i]);
	lower[i] = '\0';
	return seccomp_arch_resolve_name(lower);
}

static int add_architectures(scmp_filter_ctx filter, const struct str_list *list, struct err *err)
{
	for (size_t i = 0; i < list->len; i++) {
		uint32_t arch = arch_number(list->at[i]);
		int code;

		if (!arch && plan_word(seccomp_arch_names, "linux.seccomp.architectures", i,
				       list->at[i], err) < 0)
			return -1;
		if (!arch)
			return err_set(err,
				       "linux.seccomp.architectures[%zu]: libseccomp has no %s", i,
				       list->at[i]);
		code = seccomp_arch_add(filter, arch);
		if (code < 0 && code != -EEXIST)
			return err_errno(err, code, "linux.seccomp.architectures[%zu]: %s", i,
					 list->at[i]);
	}
	return 0;
}

static int convert_args(const struct oci_syscall_rule *rule, struct scmp_arg_cmp *out,
			struct err *err)
{
	static const enum scmp_compare compare[] = {
		[OCI_CMP_NE] = SCMP_CMP_NE,
		[OCI_CMP_LT] = SCMP_CMP_LT,
		[OCI_CMP_LE] = SCMP_CMP_LE,
		[OCI_CMP_EQ] = SCMP_CMP_EQ,
		[OCI_CMP_GE] = SCMP_CMP_GE,
		[OCI_CMP_GT] = SCMP_CMP_GT,
		[OCI_CMP_MASKED_EQ] = SCMP_CMP_MASKED_EQ,
	};

	for (size_t i = 0; i < rule->args.len; i++) {
		const struct oci_syscall_arg *arg = &rule->args.at[i];

		if (arg->index.value >= ARGS_MAX)
			return err_set(err, "args[%zu].index: %" PRIu64 " is not in 0..5", i,
				       arg->index.value);
		out[i] = (struct scmp_arg_cmp){ (unsigned)arg->index.value, compare[arg->op.value],
						arg->value.value, arg->value_two.value };
	}
	return 0;
}

static bool repeats_index(const struct oci_syscall_rule *rule)
{
	unsigned seen = 0;

	for (size_t i = 0; i < rule->args.len; i++) {
		unsigned bit = 1U << rule->args.at[i].index.value;

		if (seen & bit)
			return true;
		seen |= bit;
	}
	return false;
}

static int add_one(scmp_filter_ctx filter, uint32_t action, int number,
		   const struct scmp_arg_cmp *args, unsigned count)
{
	int code = seccomp_rule_add_array(filter, action, number, count, args);

	/* as the default does, or there already, or not on this architecture */
	return code == -EEXIST || code == -EDOM || code == -EACCES ? 0 : code;
}

/* Conditions on one argument are alternatives, on several all must hold (R172). */
static int add_rule(scmp_filter_ctx filter, const struct oci_syscall_rule *rule, uint32_t action,
		    const char *name, struct err *err)
{
	struct scmp_arg_cmp args[64];
	int number = seccomp_syscall_resolve_name(name), code = 0;

	if (number == __NR_SCMP_ERROR) {
		log_debug("linux.seccomp: unknown system call %s ignored", name);
		return 0;
	}
	if (rule->args.len > ARRAY_LEN(args))
		return err_set(err, "args: more than %zu", ARRAY_LEN(args));
	if (convert_args(rule, args, err) < 0)
		return -1;
	if (repeats_index(rule))
		for (size_t i = 0; code == 0 && i < rule->args.len; i++)
			code = add_one(filter, action, number, &args[i], 1);
	else
		code = add_one(filter, action, number, args, (unsigned)rule->args.len);
	return code < 0 ? err_errno(err, code, "add a rule for %s", name) : 0;
}

static int check_notify(const struct oci_syscall_rule *rule, struct err *err)
{
	for (size_t i = 0; i < rule->names.len; i++)
		if (rule->action.value == OCI_ACT_NOTIFY && str_eq(rule->names.at[i], "write"))
			return err_set(err, "SCMP_ACT_NOTIFY cannot be used for the write syscall");
	return 0;
}

static int add_rules(scmp_filter_ctx filter, const struct oci_seccomp *in, uint32_t default_action,
		     struct err *err)
{
	for (size_t i = 0; i < in->syscalls.len; i++) {
		const struct oci_syscall_rule *rule = &in->syscalls.at[i];
		uint32_t action;
		int result = action_of((enum oci_seccomp_action)rule->action.value,
				       &rule->errno_ret, &action, err);

		if (result == 0 && !rule->names.len)
			result = err_set(err, "names: at least one is required");
		if (result == 0)
			result = check_notify(rule, err);
		for (size_t k = 0; result == 0 && action != default_action && k < rule->names.len;
		     k++)
			result = add_rule(filter, rule, action, rule->names.at[k], err);
		if (result < 0)
			return err_prefix(err, "linux.seccomp.syscalls[%zu]", i);
	}
	return 0;
}

enum {
	HORIZONS_MAX = 32,
	HORIZON_LEN = 6,
	X32_BIT = 0x40000000,	/* x32's numbers, which are calls of the x86-64 architecture */
	ARM_PRIVATE = 0x0f0000, /* breakpoint, cacheflush and the like: of no kernel's version */
};

/* Of one architecture: system calls with numbers above newest and below end are new. */
struct horizon {
	uint32_t audit_arch, newest, end;
};

/* What @token's numbers end with, by which they can be told from anything else. */
static uint32_t end_of_numbers(uint32_t token)
{
	return token == SCMP_ARCH_X32 ? 2U * X32_BIT :
	       token == SCMP_ARCH_ARM ? ARM_PRIVATE :
					X32_BIT;
}

/* The highest number that @profile knows of the table of architecture @token; -1: none. */
static int64_t newest_known(const struct oci_seccomp *profile, uint32_t token)
{
	int64_t newest = -1, end = end_of_numbers(token);

	for (size_t i = 0; i < profile->syscalls.len; i++) {
		const struct str_list *names = &profile->syscalls.at[i].names;

		for (size_t k = 0; k < names->len; k++) {
			int number = seccomp_syscall_resolve_name_arch(token, names->at[k]);

			if (number > newest && number < end)
				newest = number;
		}
	}
	return newest;
}

static size_t add_horizon(struct horizon *out, size_t len, const struct oci_seccomp *profile,
			  uint32_t token)
{
	struct horizon next = {
		/* the one token that isn't the kernel's word */
		.audit_arch = token == SCMP_ARCH_X32 ? AUDIT_ARCH_X86_64 : token,
		.end = end_of_numbers(token),
	};
	int64_t newest = newest_known(profile, token);

	for (size_t i = 0; i < len; i++)
		if (out[i].audit_arch == next.audit_arch && out[i].end == next.end)
			return len;
	if (newest < 0 || len == HORIZONS_MAX)
		return len;
	next.newest = (uint32_t)newest;
	out[len] = next;
	return len + 1;
}

/* One for each architecture of the filter, the native one first, for it is the usual one. */
static size_t find_horizons(struct horizon out[HORIZONS_MAX], const struct oci_seccomp *profile)
{
	size_t len = add_horizon(out, 0, profile, seccomp_arch_native());

	for (size_t i = 0; i < profile->architectures.len; i++)
		len = add_horizon(out, len, profile, arch_number(profile->architectures.at[i]));
	return len;
}

static bool wants_stub(const struct oci_seccomp *in)
{
	switch (in->default_action.value) {
	case OCI_ACT_ERRNO:
		return !(in->default_errno_ret.set && in->default_errno_ret.value == ENOSYS);
	case OCI_ACT_ALLOW:
	case OCI_ACT_LOG:
	case OCI_ACT_NOTIFY:
		return false;
	default:
		return true;
	}
}

/* New calls: ENOSYS (R174).  Everything else, negative numbers too, goes on to what follows. */
static size_t write_stub(struct sock_filter *out, const struct oci_seccomp *profile)
{
	struct horizon horizons[HORIZONS_MAX];
	size_t len = wants_stub(profile) ? find_horizons(horizons, profile) : 0;

	for (size_t i = 0; i < len; i++) {
		const struct sock_filter section[HORIZON_LEN] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, horizons[i].audit_arch, 0, 4),
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
			BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, horizons[i].newest, 0, 2),
			BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, horizons[i].end, 1, 0),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		};

		memcpy(out + i * HORIZON_LEN, section, sizeof(section));
	}
	return len * HORIZON_LEN;
}

/* libseccomp writes to descriptors alone. */
static int export_filter(struct plan *plan, scmp_filter_ctx filter, const struct oci_seccomp *in,
			 struct err *err)
{
	struct seccomp_plan *out = &plan->seccomp;
	struct sock_filter stub[HORIZONS_MAX * HORIZON_LEN];
	size_t stub_len = write_stub(stub, in);
	autofree char *text = NULL;
	autoclose int fd = -1;
	ssize_t n;
	int code;

	fd = memfd_create("seccomp", MFD_CLOEXEC);
	if (fd < 0)
		return err_errno(err, errno, "linux.seccomp: memfd_create");
	code = seccomp_export_bpf(filter, fd);
	if (code < 0)
		return err_errno(err, code, "linux.seccomp: compile");
	(void)lseek(fd, 0, SEEK_SET);
	n = fd_read_all(fd, 1 << 20, &text);
	if (n < 0)
		return err_errno(err, (int)n, "linux.seccomp: read the program");
	out->len = stub_len + (size_t)n / sizeof(struct sock_filter);
	if (out->len > BPF_MAXINSNS)
		return err_set(err, "linux.seccomp: %zu instructions, the kernel takes %d",
			       out->len, BPF_MAXINSNS);
	out->program = plan_alloc(plan, out->len * sizeof(struct sock_filter), err);
	if (!out->program)
		return -1;
	memcpy(out->program, stub, stub_len * sizeof(*stub));
	memcpy(out->program + stub_len, text, (size_t)n);
	return 0;
}

int seccomp_compile(struct plan *plan, const struct oci_seccomp *in, struct err *err)
{
	uint32_t default_action;
	autofilter scmp_filter_ctx filter = NULL;

	if (action_of((enum oci_seccomp_action)in->default_action.value, &in->default_errno_ret,
		      &default_action, err) < 0)
		return err_prefix(err, "linux.seccomp");
	filter = seccomp_init(default_action);
	if (!filter)
		return err_set(err, "linux.seccomp: seccomp_init failed");
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, BINARY_TREE);
	(void)seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	if (add_architectures(filter, &in->architectures, err) < 0 ||
	    add_rules(filter, in, default_action, err) < 0)
		return -1;
	return export_filter(plan, filter, in, err);
}

int seccomp_check_names(const struct oci_seccomp *in, struct err *err)
{
	for (size_t i = 0; i < in->syscalls.len; i++) {
		const struct str_list *names = &in->syscalls.at[i].names;

		for (size_t k = 0; k < names->len; k++)
			if (seccomp_syscall_resolve_name(names->at[k]) == __NR_SCMP_ERROR)
				return err_set(
					err,
					"linux.seccomp.syscalls[%zu].names[%zu]: unknown system call %s",
					i, k, names->at[k]);
	}
	return 0;
}

const char *seccomp_compiler_version(char text[SECCOMP_VERSION_SIZE])
{
	const struct scmp_version *version = seccomp_version();

	(void)snprintf(text, SECCOMP_VERSION_SIZE, "%u.%u.%u", version->major, version->minor,
		       version->micro);
	return text;
}

bool seccomp_compiler_has_arch(const char *name)
{
	return arch_number(name) != 0;
}

#else /* !HAVE_SECCOMP */

int seccomp_check_names(const struct oci_seccomp *in, struct err *err)
{
	(void)in; /* refused as a whole */
	(void)err;
	return 0;
}

int seccomp_compile(struct plan *plan, const struct oci_seccomp *in, struct err *err)
{
	(void)plan;
	(void)in;
	return err_set(err, "linux.seccomp: built without libseccomp");
}

const char *seccomp_compiler_version(char text[SECCOMP_VERSION_SIZE])
{
	(void)text;
	return NULL;
}

bool seccomp_compiler_has_arch(const char *name)
{
	(void)name;
	return false;
}

#endif
