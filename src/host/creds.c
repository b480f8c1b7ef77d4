/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ids and capabilities.  Sets are 64-bit masks made by the plan; capset(2) and
 * prctl(2) apply them without the heap, for init may live under a tiny limit.
 */
#include "host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"

enum { PASSWD_MAX = 1 << 20, CAP_MAX = 63 };

static int drop_bounding(uint64_t keep, struct err *err)
{
	for (int cap = 0; cap <= CAP_MAX; cap++) {
		if (keep >> cap & 1)
			continue;
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
			continue;
		if (errno == EINVAL)
			return 0; /* beyond the kernel's last one */
		return err_errno(err, errno, "drop capability %d from the bounding set", cap);
	}
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

static uint64_t permitted_now(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	(void)syscall(SYS_capget, &header, data);
	return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

/* What the caller doesn't have cannot be granted, which is no failure (R82, R84). */
static int apply_caps(const struct process_plan *plan, struct err *err)
{
	uint64_t held = permitted_now(), caps[CAPS_SETS];
	int code;

	memcpy(caps, plan->caps, sizeof(caps));
	caps[CAPS_PERMITTED] &= held;
	caps[CAPS_EFFECTIVE] &= caps[CAPS_PERMITTED];
	code = set_caps(caps);
	if (code < 0)
		return err_errno(err, code, "set capabilities");
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (int cap = 0; cap <= CAP_MAX; cap++)
		if (caps[CAPS_AMBIENT] >> cap & 1 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) < 0)
			log_warn("can't raise ambient capability %d: %s, ignored", cap,
				 strerror(errno));
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

int process_become(const struct process_plan *plan, struct err *err)
{
	/* refused to privilege, it may be granted to the user: tried again below (R63) */
	bool entered = chdir(plan->cwd) == 0;

	if (!entered && errno != EACCES && errno != EPERM)
		return err_errno(err, errno, "process.cwd: chdir to \"%s\"", plan->cwd);
	(void)umask(plan->umask);
	if (drop_bounding(plan->caps[CAPS_BOUNDING], err) < 0 || set_ids(plan, err) < 0)
		return -1;
	if (!entered) {
		uint64_t held = permitted_now(), raised[CAPS_SETS] = { 0 };

		raised[CAPS_PERMITTED] = held;
		raised[CAPS_EFFECTIVE] = plan->caps[CAPS_EFFECTIVE] & held;
		(void)set_caps(raised);
		if (chdir(plan->cwd) < 0)
			return err_errno(err, errno, "process.cwd: chdir to \"%s\"", plan->cwd);
	}
	if (check_cwd(plan->cwd, err) < 0 || apply_caps(plan, err) < 0)
		return -1;
	if (plan->no_new_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_errno(err, errno, "process.noNewPrivileges");
	return 0;
}

/* The sixth field of the line of @uid, in @text, or NULL. */
static char *find_home(char *text, uint32_t uid)
{
	for (char *line; (line = strsep(&text, "\n"));) {
		char *field[7] = { NULL };
		uint64_t id;
		size_t n = 0;

		while (n < ARRAY_LEN(field) && (field[n] = strsep(&line, ":")))
			n++;
		if (n >= 6 && str_to_uint(field[2], UINT32_MAX, &id) && id == uid &&
		    field[5][0] == '/')
			return field[5];
	}
	return NULL;
}

/* A regular file of sane size alone: an image may hold anything by that name (C08). */
static char *read_passwd(void)
{
	autoclose int fd = -1;
	struct stat st;
	char *text = NULL;

	fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > PASSWD_MAX ||
	    fd_read_all(fd, PASSWD_MAX, &text) < 0)
		return NULL;
	return text;
}

int process_fix_home(const struct process_plan *plan, struct err *err)
{
	autofree char *text = NULL;
	char *home = NULL, *variable;

	if (!plan->home_missing)
		return 0;
	text = read_passwd();
	if (text)
		home = find_home(text, plan->uid);
	variable = str_printf("HOME=%s", home ? home : "/");
	if (!variable)
		return err_errno(err, ENOMEM, "HOME");
	plan->envp[plan->home_index] = variable;
	return 0;
}
