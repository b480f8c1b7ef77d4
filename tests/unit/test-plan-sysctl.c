/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_sysctl(): only parameters of the container's own namespaces (R164-R167, L06). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ocispec.h>

#include "base/scope.h"
#include "plan/plan.h"

enum { ALL_NEW, ALL_INHERITED, HOST_BY_PATH };

static int plan_one(struct plan *plan, const char *name, const char *domainname, int namespaces,
		    struct err *err)
{
	struct pair pair = { (char *)name, (char *)"1" };
	struct oci_linux linux_ = { .sysctl = { &pair, 1 } };
	const struct oci_config config = { .linux_ = &linux_, .domainname = (char *)domainname };
	const struct plan_input in = { .config = &config };
	static const char *const path[NS_KINDS] = {
		[NS_USER] = "/proc/self/ns/user",
		[NS_IPC] = "/proc/self/ns/ipc",
		[NS_NET] = "/proc/self/ns/net",
		[NS_UTS] = "/proc/self/ns/uts",
	};

	*plan = (struct plan){ 0 };
	for (int kind = 0; kind < NS_KINDS; kind++)
		plan->ns.of[kind] = (struct ns_request){
			namespaces == ALL_NEW			 ? NS_NEW :
			namespaces == HOST_BY_PATH && path[kind] ? NS_JOIN :
								   NS_INHERIT,
			path[kind],
		};
	return plan_sysctl(plan, &in, err);
}

static void test_namespaced(void **state)
{
	static const char *const rows[][2] = {
		{ "kernel.msgmax", "sys/kernel/msgmax" },
		{ "kernel.msgmnb", "sys/kernel/msgmnb" },
		{ "kernel.msgmni", "sys/kernel/msgmni" },
		{ "kernel.sem", "sys/kernel/sem" },
		{ "kernel.shmall", "sys/kernel/shmall" },
		{ "kernel.shmmax", "sys/kernel/shmmax" },
		{ "kernel.shmmni", "sys/kernel/shmmni" },
		{ "kernel.shm_rmid_forced", "sys/kernel/shm_rmid_forced" },
		{ "kernel.domainname", "sys/kernel/domainname" },
		{ "fs.mqueue.queues_max", "sys/fs/mqueue/queues_max" },
		{ "net.ipv4.ip_forward", "sys/net/ipv4/ip_forward" },
		{ "net/ipv4/ip_forward", "sys/net/ipv4/ip_forward" },
		{ "net/ipv4/conf/eth0.100/forwarding", "sys/net/ipv4/conf/eth0.100/forwarding" },
		{ "net.ipv4.conf.eth0/100.forwarding", "sys/net/ipv4/conf/eth0.100/forwarding" },
		{ "user.max_user_namespaces", "sys/user/max_user_namespaces" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan plan;
		struct err err = { 0 };

		if (plan_one(&plan, rows[i][0], NULL, ALL_NEW, &err) < 0)
			fail_msg("%s: %s", rows[i][0], err.text);
		assert_int_equal(plan.sysctl.len, 1);
		assert_string_equal(plan.sysctl.at[0].path, rows[i][1]);
		plan_free(&plan);
		for (int how = ALL_INHERITED; how <= HOST_BY_PATH; how++) {
			if (plan_one(&plan, rows[i][0], NULL, how, &err) == 0)
				fail_msg("%s is accepted for the host's namespace", rows[i][0]);
			if (!strstr(err.text, "is not allowed in the host's"))
				fail_msg("%s: %s", rows[i][0], err.text);
			plan_free(&plan);
		}
	}
}

static void test_refused(void **state)
{
	static const char *const rows[] = {
		"",
		".",
		"/",
		"kernel",
		"kernel.",
		"net",
		"net.",
		"net/",
		"net..ipv4",
		".net.ipv4.ip_forward",
		"/net/ipv4/ip_forward",
		"network.x",
		"fs.mqueue",
		"fs.mqueue.",
		"fs.mqueuex.y",
		"user",
		"user.",
		"kernel.hostname",
		"kernel/hostname",
		"kernel.core_pattern",
		"kernel/core_pattern",
		"kernel.modprobe",
		"kernel.sysrq",
		"kernel.panic",
		"kernel.pid_max",
		"kernel.ns_last_pid",
		"kernel.randomize_va_space",
		"kernel.yama.ptrace_scope",
		"kernel.unprivileged_bpf_disabled",
		"kernel.shm_next_id",
		"kernel.msgmax.x",
		"kernel.msgmaxx",
		"kernel.semx",
		"kernel.sem/",
		"Kernel.sem",
		"vm.overcommit_memory",
		"vm.max_map_count",
		"vm.swappiness",
		"fs.file-max",
		"fs.nr_open",
		"fs.suid_dumpable",
		"fs.protected_hardlinks",
		"dev.cdrom.autoclose",
		"debug.exception-trace",
		"abi.vsyscall32",
		"net.ipv4/../../kernel.core_pattern",
		"net/ipv4/../../kernel/core_pattern",
		"net/../kernel/core_pattern",
		"net.//kernel/core_pattern",
		"net.ipv4.ip_forward+x",
		"net.ipv4.ip_forward=1",
		"net.ipv4.ip_forward\n",
		"net.ipv4.ip forward",
		"net.ipv4.ip_forward\\x",
		"net.ipv4.\xc3\xa9",
		"net.ipv4./.",
		"net.ipv4.ip_forward.",
		"kernel.core_pattern\nnet.x",
		"net.x\nkernel.core_pattern",
		"user../x",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan plan;
		struct err err;

		if (plan_one(&plan, rows[i], NULL, ALL_NEW, &err) == 0)
			fail_msg("\"%s\" is accepted as %s", rows[i], plan.sysctl.at[0].path);
		assert_int_equal(strncmp(err.text, "linux.sysctl: \"", 15), 0);
		plan_free(&plan);
	}
}

static void test_domainname(void **state)
{
	struct plan plan;
	struct err err;

	(void)state;
	assert_int_equal(plan_one(&plan, "kernel.domainname", "1", ALL_NEW, &err), 0);
	plan_free(&plan);
	assert_int_equal(plan_one(&plan, "kernel.domainname", "", ALL_NEW, &err), 0);
	plan_free(&plan);
	assert_int_equal(plan_one(&plan, "kernel.domainname", "2", ALL_NEW, &err), -1);
	assert_non_null(strstr(err.text, "domainname \"2\""));
	plan_free(&plan);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_namespaced),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_domainname),
	};

	return cmocka_run_group_tests_name("plan-sysctl", tests, NULL, NULL);
}
