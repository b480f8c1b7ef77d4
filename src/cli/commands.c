/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of commands and of what each takes: the union of runc's and crun's (peers.md 1). */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#define FLAG(n, l, m, h)                                                  \
	{                                                                 \
		n, l, OPTION_FLAG, offsetof(struct arguments, m), NULL, h \
	}
#define TEXT(n, l, m, a, h)                                            \
	{                                                              \
		n, l, OPTION_TEXT, offsetof(struct arguments, m), a, h \
	}
#define TEXTS(n, l, m, a, h)                                            \
	{                                                               \
		n, l, OPTION_TEXTS, offsetof(struct arguments, m), a, h \
	}
#define COUNT(n, l, m, a, h)                                            \
	{                                                               \
		n, l, OPTION_COUNT, offsetof(struct arguments, m), a, h \
	}
#define IGNORED(n, l, h)                         \
	{                                        \
		n, l, OPTION_IGNORED, 0, NULL, h \
	}
#define IGNORED_TEXT(n, l, a, h)                   \
	{                                          \
		n, l, OPTION_IGNORED_TEXT, 0, a, h \
	}
#define HELP FLAG("help", 'h', help, "print this help")
#define END                  \
	{                    \
		.name = NULL \
	}

const struct option_row global_rows[] = {
	TEXT("root", 0, root, "DIR", "where containers' states are kept"),
	TEXT("log", 0, log, "FILE", "log to FILE, file:FILE, syslog:ID or journald:ID"),
	TEXT("log-format", 0, log_format, "FORMAT", "text or json"),
	TEXT("log-level", 0, log_level, "LEVEL", "error, warning or debug"),
	FLAG("debug", 0, debug, "log what is done, as --log-level=debug"),
	FLAG("systemd-cgroup", 's', systemd_cgroup, "have systemd manage cgroups"),
	TEXT("cgroup-manager", 0, cgroup_manager, "MANAGER", "cgroupfs, systemd or disabled"),
	IGNORED_TEXT("rootless", 0, "MODE", "accepted for callers of runc"),
	FLAG("version", 'v', version, "print the version"),
	FLAG("version", 'V', version, "print the version"),
	HELP,
	END,
};

static const struct option_row help_rows[] = { HELP, END };

#define CREATE_ROWS                                                                             \
	TEXT("bundle", 'b', bundle, "DIR", "the bundle, default: the working directory"),       \
		TEXT("config", 'f', config, "FILE",                                             \
		     "configuration in place of the bundle's config.json"),                     \
		TEXT("console-socket", 0, console_socket, "SOCKET",                             \
		     "where the terminal is sent to"),                                          \
		TEXT("pidfd-socket", 0, pidfd_socket, "SOCKET", "where a pidfd is sent to"),    \
		TEXT("pid-file", 0, pid_file, "FILE", "where the process id is written to"),    \
		COUNT("preserve-fds", 0, preserve_fds, "N", "descriptors from 3 on to pass"),   \
		FLAG("no-pivot", 0, no_pivot, "move and chroot in place of pivot_root"),        \
		FLAG("no-new-keyring", 0, no_new_keyring, "keep the caller's session keyring"), \
		FLAG("no-subreaper", 0, no_subreaper, "leave orphans to others"), HELP

static const struct option_row create_rows[] = { CREATE_ROWS, IGNORED("detach", 'd', "always so"),
						 END };

static const struct option_row run_rows[] = {
	CREATE_ROWS,
	FLAG("detach", 'd', detach, "do not wait for the container"),
	FLAG("keep", 0, keep, "do not delete the container when it has ended"),
	END,
};

static const struct option_row exec_rows[] = {
	TEXT("console-socket", 0, console_socket, "SOCKET", "where the terminal is sent to"),
	TEXT("pidfd-socket", 0, pidfd_socket, "SOCKET", "where a pidfd is sent to"),
	TEXT("pid-file", 0, pid_file, "FILE", "where the process id is written to"),
	COUNT("preserve-fds", 0, preserve_fds, "N", "descriptors from 3 on to pass"),
	TEXT("process", 'p', process, "FILE", "the process as an OCI document"),
	TEXT("cwd", 0, cwd, "DIR", "working directory"),
	TEXTS("env", 'e', env, "NAME=VALUE", "variable to add"),
	FLAG("tty", 't', tty, "give it a terminal"),
	TEXT("user", 'u', user, "UID[:GID]", "user and group"),
	TEXTS("additional-gids", 'g', additional_gids, "GID", "supplementary group to add"),
	TEXTS("cap", 'c', caps, "CAP_NAME", "capability to add"),
	FLAG("detach", 'd', detach, "do not wait for the process"),
	FLAG("no-new-privs", 0, no_new_privs, "set no_new_privs"),
	TEXT("apparmor", 0, apparmor, "PROFILE", "AppArmor profile"),
	TEXT("process-label", 0, process_label, "LABEL", "SELinux label"),
	TEXT("cgroup", 0, cgroup, "PATH", "cgroup below the container's"),
	FLAG("ignore-paused", 0, ignore_paused, "wait for a paused container to be resumed"),
	HELP,
	END,
};

static const struct option_row kill_rows[] = {
	FLAG("all", 'a', all, "signal every process of the container"), HELP, END
};
static const struct option_row delete_rows[] = {
	FLAG("force", 'f', force, "kill it first; no error when there is none"),
	FLAG("regex", 'r', regex, "ID is an extended regular expression"), HELP, END
};
static const struct option_row list_rows[] = { TEXT("format", 'f', format, "FORMAT",
						    "table or json"),
					       FLAG("quiet", 'q', quiet, "ids alone"), HELP, END };
static const struct option_row ps_rows[] = { TEXT("format", 'f', format, "FORMAT", "table or json"),
					     HELP, END };
static const struct option_row spec_rows[] = {
	TEXT("bundle", 'b', bundle, "DIR", "where config.json is written to"),
	TEXT("file", 'f', config, "FILE", "write to FILE"),
	FLAG("rootless", 0, rootless, "for a caller who is not root"), HELP, END
};
static const struct option_row update_rows[] = {
	TEXT("resources", 'r', resources, "FILE", "linux.resources as JSON, -: standard input"),
	TEXT("blkio-weight", 0, blkio_weight, "N", "10 to 1000"),
	TEXT("cpu-period", 0, cpu_period, "US", "period, microseconds"),
	TEXT("cpu-quota", 0, cpu_quota, "US", "time in a period, -1: unlimited"),
	TEXT("cpu-burst", 0, cpu_burst, "US", "time that may be saved up"),
	TEXT("cpu-idle", 0, cpu_idle, "0|1", "SCHED_IDLE for the cgroup"),
	TEXT("cpu-share", 0, cpu_share, "N", "shares, 2 to 262144"),
	TEXT("cpuset-cpus", 0, cpuset_cpus, "LIST", "CPUs"),
	TEXT("cpuset-mems", 0, cpuset_mems, "LIST", "memory nodes"),
	TEXT("memory", 0, memory, "BYTES", "limit; k, m and g may follow, -1: unlimited"),
	TEXT("memory-reservation", 0, memory_reservation, "BYTES", "soft limit"),
	TEXT("memory-swap", 0, memory_swap, "BYTES", "limit of memory and swap together"),
	TEXT("pids-limit", 0, pids_limit, "N", "processes, -1: unlimited"),
	IGNORED_TEXT("kernel-memory", 0, "BYTES", "cgroup v1 only"),
	IGNORED_TEXT("kernel-memory-tcp", 0, "BYTES", "cgroup v1 only"),
	IGNORED_TEXT("cpu-rt-period", 0, "US", "cgroup v1 only"),
	IGNORED_TEXT("cpu-rt-runtime", 0, "US", "cgroup v1 only"),
	HELP,
	END,
};
static const struct option_row later_rows[] = {
	TEXT("bundle", 'b', bundle, "DIR", "the bundle"),
	IGNORED_TEXT("image-path", 0, "DIR", "images"),
	IGNORED_TEXT("work-path", 0, "DIR", "logs"),
	IGNORED_TEXT("parent-path", 0, "DIR", "earlier images"),
	IGNORED_TEXT("manage-cgroups-mode", 0, "MODE", "soft, full, strict or ignore"),
	IGNORED_TEXT("lsm-profile", 0, "TYPE:NAME", "profile to restore with"),
	IGNORED_TEXT("lsm-mount-context", 0, "CONTEXT", "mount context to restore with"),
	IGNORED_TEXT("interval", 0, "TIME", "between two events"),
	IGNORED("leave-running", 0, "do not stop"),
	IGNORED("tcp-established", 0, "open connections"),
	IGNORED("file-locks", 0, "file locks"),
	IGNORED("ext-unix-sk", 0, "unix sockets"),
	IGNORED("shell-job", 0, "a shell's job"),
	IGNORED("pre-dump", 0, "memory alone"),
	IGNORED("detach", 'd', "do not wait"),
	IGNORED("no-subreaper", 0, "leave orphans to others"),
	IGNORED("no-pivot", 0, "no pivot_root"),
	IGNORED("stats", 0, "one event"),
	TEXT("pid-file", 0, pid_file, "FILE", "process id"),
	TEXT("console-socket", 0, console_socket, "SOCKET", "terminal"),
	HELP,
	END,
};

enum { MANY = 1 << 20 };

const struct command commands[] = {
	{ "create", "ID", "make a container from a bundle", create_rows, 1, 1, false, true, 1,
	  cmd_create },
	{ "start", "ID", "run the program of a created container", help_rows, 1, 1, false, false, 1,
	  cmd_start },
	{ "run", "ID", "create, start, wait and delete", run_rows, 1, 1, false, true, 1, cmd_run },
	{ "state", "ID", "print a container's state as JSON", help_rows, 1, 1, false, false, 1,
	  cmd_state },
	{ "kill", "ID [SIGNAL]", "signal a container", kill_rows, 1, 2, true, false, 1, cmd_kill },
	{ "delete", "ID", "remove a container", delete_rows, 1, 1, false, false, 1, cmd_delete },
	{ "exec", "ID [COMMAND [ARGUMENT...]]", "run another program in a container", exec_rows, 1,
	  MANY, true, true, 255, cmd_exec },
	{ "list", "", "list containers", list_rows, 0, 0, false, false, 1, cmd_list },
	{ "ps", "ID [PS-ARGUMENT...]", "list a container's processes", ps_rows, 1, MANY, true,
	  false, 1, cmd_ps },
	{ "pause", "ID", "freeze a container", help_rows, 1, 1, false, false, 1, cmd_pause },
	{ "resume", "ID", "thaw a container", help_rows, 1, 1, false, false, 1, cmd_resume },
	{ "update", "ID", "change a container's limits", update_rows, 1, 1, false, false, 1,
	  cmd_update },
	{ "spec", "", "write a config.json to start from", spec_rows, 0, 0, false, false, 1,
	  cmd_spec },
	{ "features", "", "print what this runtime can do as JSON", help_rows, 0, 0, false, false,
	  1, cmd_features },
	{ "checkpoint", "ID", "not supported yet", later_rows, 1, 1, false, false, 1, cmd_later },
	{ "restore", "ID", "not supported yet", later_rows, 1, 1, false, false, 1, cmd_later },
	{ "events", "ID", "not supported yet", later_rows, 1, 1, false, false, 1, cmd_later },
	{ "mounts", "ACTION ID FILE", "not supported yet", later_rows, 1, 3, false, false, 1,
	  cmd_later },
	{ "debug", "scores", "for tests: the steps of each flow", help_rows, 1, 1, false, false, 1,
	  cmd_debug },
	{ .name = NULL },
};

static void print_rows(const struct option_row *rows)
{
	for (; rows->name; rows++) {
		char left[64];

		(void)snprintf(left, sizeof(left), "%s%c%s--%s%s%s", rows->letter ? "-" : " ",
			       rows->letter ? rows->letter : ' ', rows->letter ? ", " : "  ",
			       rows->name, rows->argument ? " " : "",
			       rows->argument ? rows->argument : "");
		(void)printf("  %-36s %s\n", left, rows->help);
	}
}

void print_help(const struct command *command)
{
	if (command) {
		(void)printf("usage: rung [GLOBAL OPTION...] %s [OPTION...] %s\n\n%s\n\noptions:\n",
			     command->name, command->synopsis, command->help);
		print_rows(command->rows);
		return;
	}
	(void)printf(
		"usage: rung [OPTION...] COMMAND [ARGUMENT...]\n\nOCI container runtime\n\ncommands:\n");
	for (const struct command *c = commands; c->name; c++)
		if (strcmp(c->name, "debug") != 0)
			(void)printf("  %-12s %s\n", c->name, c->help);
	(void)printf("  %-12s %s\n\noptions:\n", "help", "print this, or the help of a COMMAND");
	print_rows(global_rows);
}
