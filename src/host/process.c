/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/str.h"
#include "host/cpulist.h"
#include "host/proc.h"

int process_set_oom_score(const struct process_plan *plan, pid_t pid, struct err *err)
{
	autoclose int proc_fd = -1;
	char path[64], value[16];
	int code;

	if (proc_open_mounted(&proc_fd, err) < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "%d/oom_score_adj", (int)pid);
	(void)snprintf(value, sizeof(value), "%d", plan->oom_score_adj.value);
	code = proc_write(proc_fd, path, value);
	if (code == -EACCES || code == -EPERM)
		return err_errno(err, code,
				 "process.oomScoreAdj: lowering it to %s takes CAP_SYS_RESOURCE",
				 value);
	return code < 0 ? err_errno(err, code, "process.oomScoreAdj: write %s", value) : 0;
}

static const char *limit_text(uint64_t limit, char text[24])
{
	(void)snprintf(text, 24, limit == UINT64_MAX ? "infinity" : "%" PRIu64, limit);
	return text;
}

static int report_rlimit(const struct process_rlimit *limit, const struct rlimit *old,
			 struct err *err)
{
	int code = errno;
	char from[24], to[24], soft[24];

	if (code == EPERM && limit->hard > old->rlim_max)
		return err_errno(
			err, code,
			"process.rlimits: %s: raise the hard limit from %s to %s, which takes CAP_SYS_RESOURCE%s",
			limit->name, limit_text(old->rlim_max, from), limit_text(limit->hard, to),
			limit->resource == RLIMIT_NOFILE ? " and an fs.nr_open that isn't below" :
							   "");
	return err_errno(err, code, "process.rlimits: set %s to soft %s, hard %s", limit->name,
			 limit_text(limit->soft, soft), limit_text(limit->hard, to));
}

int process_set_rlimits(const struct process_plan *plan, pid_t pid, struct err *err)
{
	for (size_t i = 0; i < plan->rlimits_len; i++) {
		const struct process_rlimit *limit = &plan->rlimits[i];
		enum __rlimit_resource resource = (enum __rlimit_resource)limit->resource;
		const struct rlimit wanted = { limit->soft, limit->hard };
		struct rlimit old;

		if (prlimit(pid, resource, NULL, &old) < 0)
			return err_errno(err, errno, "process.rlimits: get %s", limit->name);
		if (prlimit(pid, resource, &wanted, NULL) < 0)
			return report_rlimit(limit, &old, err);
	}
	return 0;
}

int process_raise_rlimits(const struct process_plan *plan, pid_t pid, struct err *err)
{
	for (size_t i = 0; i < plan->rlimits_len; i++) {
		const struct process_rlimit *limit = &plan->rlimits[i];
		enum __rlimit_resource resource = (enum __rlimit_resource)limit->resource;
		struct rlimit old, wanted;

		if (prlimit(pid, resource, NULL, &old) < 0)
			return err_errno(err, errno, "process.rlimits: get %s", limit->name);
		wanted = (struct rlimit){ old.rlim_cur, limit->hard };
		if (limit->hard > old.rlim_max && prlimit(pid, resource, &wanted, NULL) < 0)
			return report_rlimit(limit, &old, err);
	}
	return 0;
}

int process_set_affinity(pid_t pid, const char *list, struct err *err)
{
	unsigned long cpus[CPULIST_WORDS];

	if (!list)
		memset(cpus, 0xff, sizeof(cpus));
	else if (!cpulist_parse(list, cpus, CPULIST_MAX))
		return err_set(err, "process.execCPUAffinity: \"%s\" is no list of CPUs", list);
	if (syscall(SYS_sched_setaffinity, pid, sizeof(cpus), cpus) < 0)
		return err_errno(err, errno, "set the CPU affinity%s%s", list ? " to " : "",
				 list ? list : "");
	return 0;
}

/* struct sched_attr of sched_setattr(2), whose header cannot stand beside sched.h. */
struct schedule_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
	uint32_t util_min, util_max;
};

static int set_scheduler(const struct process_schedule *schedule, struct err *err)
{
	struct schedule_attributes attr = {
		.size = sizeof(attr),
		.policy = schedule->policy,
		.flags = schedule->flags,
		.nice = schedule->nice,
		.priority = schedule->priority,
		.runtime = schedule->runtime_ns,
		.deadline = schedule->deadline_ns,
		.period = schedule->period_ns,
		.util_max = 1024, /* the configuration has no values to clamp to */
	};

	if (syscall(SYS_sched_setattr, 0, &attr, 0) == 0)
		return 0;
	if (errno == EPERM && schedule->policy == 6 /* SCHED_DEADLINE */)
		return err_errno(
			err, EPERM,
			"process.scheduler: process scheduler can't be used together with AllowedCPUs");
	return err_errno(err, errno, "process.scheduler");
}

static int set_memory_policy(const struct process_memory_policy *policy, struct err *err)
{
	if (syscall(SYS_set_mempolicy, policy->mode, policy->nodes, policy->max_node) < 0)
		return err_errno(err, errno, "linux.memoryPolicy: set_mempolicy");
	return 0;
}

int process_set_schedule(const struct process_plan *plan, struct err *err)
{
	if (plan->schedule.set && set_scheduler(&plan->schedule, err) < 0)
		return -1;
	if (plan->io_priority.set &&
	    syscall(SYS_ioprio_set, IOPRIO_WHO_PGRP, 0, plan->io_priority.value) < 0)
		return err_errno(err, errno, "process.ioPriority");
	if (plan->personality.set && personality(plan->personality.value) < 0)
		return err_errno(err, errno, "linux.personality");
	return plan->memory_policy.set ? set_memory_policy(&plan->memory_policy, err) : 0;
}

static const char *path_variable(char *const *envp)
{
	for (; *envp; envp++) {
		const char *value = str_after(*envp, "PATH=");

		if (value)
			return value;
	}
	return "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
}

/* 0 when @path may be executed, else why not; EISDIR where execve(2) has EACCES. */
static int check_program(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 ? errno : 0;
}

static int report_program(const char *name, int code, struct err *err)
{
	static const struct {
		int code;
		const char *text;
	} texts[] = {
		{ EACCES, "permission denied" },
		{ ENOENT, "no such file or directory" },
		{ EISDIR, "is a directory" },
		{ ENOTDIR, "not a directory" },
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].code == code)
			return err_set(err, "exec: \"%s\": %s", name, texts[i].text);
	return err_errno(err, code, "exec: \"%s\"", name);
}

/* Through the directories of PATH as execvp(3): a file without permission is remembered. */
static int search_path(const char *name, const char *directories, char path[PATH_MAX])
{
	int code = ENOENT;

	for (;;) {
		size_t len = strcspn(directories, ":");
		int found = ENAMETOOLONG;

		if (len + strlen(name) + 3 <= PATH_MAX) {
			(void)snprintf(path, PATH_MAX, "%.*s%s%s", (int)len, directories,
				       len ? "/" : "./", name);
			found = check_program(path);
		}
		if (!found)
			return 0;
		if (found == EACCES)
			code = EACCES;
		if (!directories[len])
			return code;
		directories += len + 1;
	}
}

int process_find_program(const struct process_plan *plan, char path[PATH_MAX], struct err *err)
{
	const char *name = plan->argv[0];
	int code;

	if (strchr(name, '/')) {
		code = strlen(name) < PATH_MAX ? check_program(name) : ENAMETOOLONG;
		(void)snprintf(path, PATH_MAX, "%s", name);
		return code ? report_program(name, code, err) : 0;
	}
	code = search_path(name, path_variable(plan->envp), path);
	if (code == EACCES)
		return report_program(name, code, err);
	return code ? err_set(err, "exec: \"%s\": executable file not found in $PATH", name) : 0;
}

void process_fix_listen_pid(const struct process_plan *plan)
{
	if (plan->listen_pid)
		(void)snprintf(plan->listen_pid, PROCESS_LISTEN_PID_SIZE, "LISTEN_PID=%d",
			       (int)getpid());
}
