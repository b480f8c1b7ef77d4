/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cgroup-device - device rules as a BPF program (BPF_PROG_TYPE_CGROUP_DEVICE).
 * Source: runtime-spec config-linux.md "Allowed Device list", R143, R144, R293.
 */
#ifndef HOST_CGROUP_DEVICE_H
#define HOST_CGROUP_DEVICE_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { DEVICE_READ = 1, DEVICE_WRITE = 2, DEVICE_MKNOD = 4 };

struct device_rule {
	bool allow;
	char type;	      /* 'a', 'b' or 'c' */
	int64_t major, minor; /* -1: all */
	unsigned access;      /* DEVICE_... */
};

/*
 * What the rules say of an access: the last one that covers it decides, nothing
 * covers it: denied.  An access is covered by a rule that allows when all of its
 * bits are, by one that denies when any is.
 */
bool device_rules_allow(const struct device_rule *rules, size_t len,
			const struct device_rule *access);

/* The same as instructions, malloc'ed: *@ret_len of them. */
int device_program(const struct device_rule *rules, size_t len, struct bpf_insn **ret,
		   size_t *ret_len, struct err *err);

/*
 * Loads and attaches the program to the cgroup @cgroup_fd, replacing ours from before, which
 * one that @is_new cannot have.
 */
int device_program_attach(const struct bpf_insn *program, size_t len, int cgroup_fd, bool is_new,
			  struct err *err);

#endif
