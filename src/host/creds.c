/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ids and capabilities.  Sets are 64-bit masks made by the plan; capset(2) and
 * prctl(2) apply them without the heap, for init may live under a tiny limit.
 */
#include "host/process.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "host/caps.h"

enum { CAP_MAX = 63 };

static void warn_refused(const char *set, uint64_t refused)
{
	char name[CAPS_NAME_SIZE];

	for (int cap = 0; cap <= CAP_MAX; cap++)
		if (refused >> cap & 1)
			log_warn("process.capabilities.%s: %s is not held, ignored", set,
				 caps_name(cap, name));
}

static int drop_one(int cap)
{
	return prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0 ? -errno : 0;
}

/* Dropping what is not there is allowed with CAP_SETPCAP alone, so a refusal has to be looked at. */
static int drop_bounding(uint64_t keep, struct err *err)
{
	char name[CAPS_NAME_SIZE];

	for (int cap = 0; cap <= CAP_MAX; cap++) {
		bool wanted = keep >> cap & 1;
		int code = wanted ? -1 : drop_one(cap), there;

		if (code == 0)
			continue;
		there = prctl(PR_CAPBSET_READ, cap, 0, 0, 0);
		if (there < 0)
			break; /* the kernel knows no more */
		if (there && !wanted)
			return err_errno(err, code, "drop %s from the bounding set",
					 caps_name(cap, name));
		if (there)
			keep &= ~(1ULL << cap);
	}
	warn_refused("bounding", keep);
	return 0;
}

static int set_caps(const uint64_t caps[CAPS_SETS])
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	for (int word = 0; word < 2; word++)
		data[word] = (struct __user_cap_data_struct){
			.effective = (uint32_t)(caps[CAPS_EFFECTIVE] >> 32 * word),
			.permitted = (uint32_t)(caps[CAPS_PERMITTED] >> 32 * word),
			.inheritable = (uint32_t)(caps[CAPS_INHERITABLE] >> 32 * word),
		};
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

static void get_caps(uint64_t *ret_permitted, uint64_t *ret_inheritable)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	(void)syscall(SYS_capget, &header, data);
	*ret_permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
	*ret_inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32;
}

static void raise_ambient(uint64_t ambient)
{
	char name[CAPS_NAME_SIZE];

	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (int cap = 0; cap <= CAP_MAX; cap++)
		if (ambient >> cap & 1 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) < 0)
			log_warn("can't raise ambient capability %s: %s, ignored",
				 caps_name(cap, name), strerror(errno));
}

/*
 * What the caller doesn't hold cannot be granted, which is no failure (R82, R84).
 * Without an effective CAP_SETPCAP, as after the change of ids, the inheritable set
 * can grow by what is permitted and in the bounding set alone.
 */
static int apply_caps(const struct process_plan *plan, struct err *err)
{
	uint64_t permitted, inheritable, caps[CAPS_SETS];
	int code;

	get_caps(&permitted, &inheritable);
	inheritable |= permitted & plan->caps[CAPS_BOUNDING];
	memcpy(caps, plan->caps, sizeof(caps));
	caps[CAPS_PERMITTED] &= permitted;
	caps[CAPS_EFFECTIVE] &= caps[CAPS_PERMITTED];
	caps[CAPS_INHERITABLE] &= inheritable;
	warn_refused("permitted", plan->caps[CAPS_PERMITTED] & ~caps[CAPS_PERMITTED]);
	warn_refused("effective", plan->caps[CAPS_EFFECTIVE] & ~caps[CAPS_EFFECTIVE]);
	warn_refused("inheritable", plan->caps[CAPS_INHERITABLE] & ~caps[CAPS_INHERITABLE]);
	code = set_caps(caps);
	if (code < 0)
		return err_errno(err, code, "process.capabilities: set them");
	raise_ambient(caps[CAPS_AMBIENT]);
	return 0;
}

static int set_groups(const struct process_plan *plan, struct err *err)
{
	if (plan->keep_groups || plan->groups_denied)
		return 0;
	if (setgroups(plan->groups_len, plan->groups) == 0)
		return 0;
	if (errno == EPERM && !plan->groups_len)
		return 0; /* denied, and none asked for (R73) */
	return err_errno(err, errno, "process.user.additionalGids");
}

static int set_ids(const struct process_plan *plan, struct err *err)
{
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0)
		return err_errno(err, errno, "keep capabilities");
	if (set_groups(plan, err) < 0)
		return -1;
	if (setresgid(plan->gid, plan->gid, plan->gid) < 0)
		return err_errno(err, errno, "process.user.gid: become group %u", plan->gid);
	if (setresuid(plan->uid, plan->uid, plan->uid) < 0)
		return err_errno(err, errno, "process.user.uid: become user %u", plan->uid);
	(void)prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
	return 0;
}

/* A descriptor of the host must not have become the working directory (CVE-2024-21626). */
static int check_cwd(const char *wanted, struct err *err)
{
	char path[PATH_MAX];
	long n = syscall(SYS_getcwd, path, sizeof(path));

	if (n < 0)
		return err_errno(err, errno, "process.cwd: \"%s\" is outside of the container",
				 wanted);
	if (path[0] != '/')
		return err_set(err, "process.cwd: \"%s\" is outside of the container", wanted);
	return 0;
}

/* With the capabilities of the program, for ids without them could not enter all it may (R63). */
static int enter_as_user(const struct process_plan *plan, struct err *err)
{
	uint64_t caps[CAPS_SETS] = { 0 };

	get_caps(&caps[CAPS_PERMITTED], &caps[CAPS_INHERITABLE]);
	caps[CAPS_EFFECTIVE] = plan->caps[CAPS_EFFECTIVE] & caps[CAPS_PERMITTED];
	(void)set_caps(caps);
	if (chdir(plan->cwd) < 0)
		return err_errno(err, errno, "process.cwd: chdir to \"%s\"", plan->cwd);
	return 0;
}

int process_become(const struct process_plan *plan, struct err *err)
{
	/* refused to privilege, it may be granted to the user */
	bool entered = chdir(plan->cwd) == 0;

	if (!entered && errno != EACCES && errno != EPERM)
		return err_errno(err, errno, "process.cwd: chdir to \"%s\"", plan->cwd);
	(void)umask(plan->umask);
	if (drop_bounding(plan->caps[CAPS_BOUNDING], err) < 0 || set_ids(plan, err) < 0)
		return -1;
	if (!entered && enter_as_user(plan, err) < 0)
		return -1;
	if (check_cwd(plan->cwd, err) < 0 || apply_caps(plan, err) < 0)
		return -1;
	if (plan->no_new_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_errno(err, errno, "process.noNewPrivileges");
	return 0;
}
