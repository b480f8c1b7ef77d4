/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * process - what a program's process is given before it is executed.
 * Source: runtime-spec config.md "Process", R58-R95.
 */
#ifndef HOST_PROCESS_H
#define HOST_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum cap_set {
	CAPS_BOUNDING,
	CAPS_EFFECTIVE,
	CAPS_PERMITTED,
	CAPS_INHERITABLE,
	CAPS_AMBIENT,
	CAPS_SETS
};

enum { PROCESS_HOME_SIZE = 4200, PROCESS_LISTEN_PID_SIZE = 32 };

struct process_rlimit {
	int resource;	     /* RLIMIT_... */
	const char *name;    /* "RLIMIT_NOFILE" */
	uint64_t soft, hard; /* UINT64_MAX: infinity */
};

struct process_schedule {
	bool set;
	uint32_t policy;
	int32_t nice;
	uint32_t priority;
	uint64_t flags, runtime_ns, deadline_ns, period_ns;
};

struct process_memory_policy {
	bool set;
	int mode; /* MPOL_... with its flags */
	const unsigned long *nodes;
	unsigned long max_node; /* bits in nodes */
};

struct process_plan {
	char **argv, **envp; /* NULL-terminated */
	char *home; /* PROCESS_HOME_SIZE bytes, "HOME=..." in envp, for process_fix_home(); NULL: given */
	char *listen_pid; /* PROCESS_LISTEN_PID_SIZE bytes, "LISTEN_PID=..." in envp; NULL: none */
	const char *cwd;
	uint32_t uid, gid;
	gid_t *groups;
	size_t groups_len;
	bool keep_groups;   /* leave them as they are */
	bool groups_denied; /* setgroups(2) is denied in the user namespace */
	mode_t umask;
	uint64_t caps[CAPS_SETS]; /* bit N: capability N */
	bool no_new_privs;
	struct process_rlimit *rlimits;
	size_t rlimits_len;
	bool rlimits_raised; /* some hard limit is above the caller's */
	struct {
		bool set;
		int value;
	} oom_score_adj;
	struct process_schedule schedule;
	struct {
		bool set;
		int value;
	} io_priority;
	struct process_memory_policy memory_policy;
	struct {
		bool set;
		unsigned long value;
	} personality;
	const char *exec_affinity_initial, *exec_affinity_final; /* CPU lists, NULL: all */
	const char *selinux_label, *apparmor_profile;		 /* NULL: none */
	bool terminal, console_size_set;
	unsigned short console_height, console_width; /* characters */
};

/* Writes oom_score_adj of process @pid.  Lowering it takes CAP_SYS_RESOURCE. */
int process_set_oom_score(const struct process_plan *plan, pid_t pid, struct err *err);

/*
 * Sets the limits of process @pid (0: the caller) with prlimit(2).  Raising a hard one
 * takes CAP_SYS_RESOURCE in the initial user namespace (R76, R79).
 */
int process_set_rlimits(const struct process_plan *plan, pid_t pid, struct err *err);

/*
 * Raises those hard limits of process @pid that are below the plan's and leaves all
 * else: a small limit would be in the way of what is still to be set up (R77, R78).
 */
int process_raise_rlimits(const struct process_plan *plan, pid_t pid, struct err *err);

/* Lets process @pid (0: the caller) run on the CPUs of @list, NULL: on all (R95). */
int process_set_affinity(pid_t pid, const char *list, struct err *err);

/* Scheduler, I/O priority, personality and memory policy of the caller. */
int process_set_schedule(const struct process_plan *plan, struct err *err);

/*
 * Working directory, groups, ids, capabilities, umask, in the order that each
 * step's privileges ask for; no_new_privs when it is asked for (R63, R64, R73, R74,
 * R82-R86).  The caller's root is the container's.  Capabilities that the caller
 * does not hold are warned of and left out.
 */
int process_become(const struct process_plan *plan, struct err *err);

/*
 * Settles HOME of the user from the container's /etc/passwd, "/" without an entry
 * (R67).  The caller's root is the container's.  Never blocks, never fails.
 */
void process_fix_home(const struct process_plan *plan);

/*
 * Settles LISTEN_PID, where there is one, to what the caller's pid is in its own pid
 * namespace: 1 in a new one alone (sd_listen_fds(3)).
 */
void process_fix_listen_pid(const struct process_plan *plan);

/*
 * The file that argv[0] means to execvp(3) with the plan's PATH, checked with the
 * caller's effective credentials (R68-R70).
 */
int process_find_program(const struct process_plan *plan, char path[PATH_MAX], struct err *err);

#endif
