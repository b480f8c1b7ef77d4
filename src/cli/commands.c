/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of commands and of what each takes: the union of runc's and crun's (peers.md 1). */
#include "cli/command.h"

#include "base/str.h"

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
#define V1_TEXT(n, a)                                                                \
	{                                                                            \
		n, 0, OPTION_V1_TEXT, 0, a, "ignored with a warning: cgroup v1 only" \
	}
#define HELP FLAG("help", 'h', help, "print this help")
#define END                  \
	{                    \
		.name = NULL \
	}

const struct option_row global_rows[] = {
	TEXT("root", 0, root, "DIR", "where containers' states are kept"),
	TEXT("log", 0, log, "DEST", "log to FILE, file:FILE, syslog:ID or journald:ID"),
	TEXT("log-format", 0, log_format, "FORMAT", "text or json"),
	TEXT("log-level", 0, log_level, "LEVEL", "error, warning or debug"),
	FLAG("debug", 0, debug, "log what is done, as --log-level=debug"),
	FLAG("systemd-cgroup", 's', systemd_cgroup, "as --cgroup-manager=systemd"),
	TEXT("cgroup-manager", 0, cgroup_manager, "MANAGER", "cgroupfs, systemd or disabled"),
	IGNORED_TEXT("rootless", 0, "MODE", "ignored: accepted for callers of runc"),
	FLAG("version", 'v', version, "print the version"),
	FLAG("version", 'V', version, "print the version"),
	HELP,
	END,
};

static const struct option_row help_rows[] = { HELP, END };

#define BUNDLE TEXT("bundle", 'b', bundle, "DIR", "the bundle, by default the working directory")
#define CONFIG TEXT("config", 'f', config, "FILE", "configuration in place of config.json")
#define CONSOLE_SOCKET \
	TEXT("console-socket", 0, console_socket, "SOCKET", "where the terminal is sent to")
#define PID_FILE TEXT("pid-file", 0, pid_file, "FILE", "where the process id is written to")
#define PIDFD_SOCKET \
	TEXT("pidfd-socket", 0, pidfd_socket, "SOCKET", "where a pidfd of the process is sent to")
#define PRESERVE_FDS \
	COUNT("preserve-fds", 0, preserve_fds, "N", "how many descriptors from 3 on to pass")
#define FORMAT TEXT("format", 'f', format, "FORMAT", "table or json")
#define REGEX  FLAG("regex", 'r', regex, "ID is a regular expression: all that match")

#define CREATE_ROWS                                                                             \
	BUNDLE, CONFIG, CONSOLE_SOCKET, PIDFD_SOCKET, PID_FILE, PRESERVE_FDS,                   \
		FLAG("no-pivot", 0, no_pivot, "move and chroot in place of pivot_root"),        \
		FLAG("no-new-keyring", 0, no_new_keyring, "keep the caller's session keyring"), \
		FLAG("no-subreaper", 0, no_subreaper, "do not adopt orphans of the container")

static const struct option_row create_rows[] = {
	CREATE_ROWS,
	IGNORED("detach", 'd', "ignored: create always returns"),
	HELP,
	END,
};

static const struct option_row run_rows[] = {
	CREATE_ROWS,
	FLAG("detach", 'd', detach, "do not wait for the container"),
	FLAG("keep", 0, keep, "do not delete the container when it has ended"),
	HELP,
	END,
};

static const struct option_row exec_rows[] = {
	CONSOLE_SOCKET,
	PIDFD_SOCKET,
	PID_FILE,
	PRESERVE_FDS,
	TEXT("process", 'p', process, "FILE", "the process as a JSON document, -: standard input"),
	TEXT("cwd", 0, cwd, "DIR", "working directory"),
	TEXTS("env", 'e', env, "NAME=VALUE", "variable to add"),
	FLAG("tty", 't', tty, "give it a terminal"),
	TEXT("user", 'u', user, "UID[:GID]", "user and group"),
	TEXTS("additional-gids", 'g', additional_gids, "GID", "supplementary group to add"),
	TEXTS("cap", 'c', caps, "CAP", "capability to add"),
	FLAG("detach", 'd', detach, "do not wait for the process"),
	FLAG("no-new-privs", 0, no_new_privs, "set no_new_privs"),
	TEXT("apparmor", 0, apparmor, "PROFILE", "AppArmor profile"),
	TEXT("process-label", 0, process_label, "LABEL", "SELinux label"),
	TEXTS("cgroup", 0, cgroups, "[CONTROLLER:]PATH", "cgroup below the container's"),
	FLAG("ignore-paused", 0, ignore_paused, "wait for a paused container to be resumed"),
	HELP,
	END,
};

static const struct option_row kill_rows[] = {
	FLAG("all", 'a', all, "signal every process of the container"), REGEX, HELP, END
};

static const struct option_row delete_rows[] = {
	FLAG("force", 'f', force, "kill it first; no error when there is none"), REGEX, HELP, END
};

static const struct option_row list_rows[] = { FORMAT, FLAG("quiet", 'q', quiet, "ids alone"), HELP,
					       END };

static const struct option_row ps_rows[] = { FORMAT, HELP, END };

static const struct option_row spec_rows[] = {
	TEXT("bundle", 'b', bundle, "DIR", "where config.json is written"),
	TEXT("file", 'f', config, "FILE", "write FILE, which may exist"),
	FLAG("rootless", 0, rootless, "one that the caller can run without privileges"), HELP, END
};

static const struct option_row update_rows[] = {
	TEXT("resources", 'r', resources, "FILE", "linux.resources as JSON, -: standard input"),
	TEXT("blkio-weight", 0, blkio_weight, "N", "10 to 1000"),
	TEXT("cpu-period", 0, cpu_period, "USEC", "period of the quota"),
	TEXT("cpu-quota", 0, cpu_quota, "USEC", "CPU time in a period, -1: unlimited"),
	TEXT("cpu-burst", 0, cpu_burst, "USEC", "CPU time that may be saved up"),
	TEXT("cpu-idle", 0, cpu_idle, "N", "1: run when nothing else does, 0: as usual"),
	TEXT("cpu-share", 0, cpu_share, "N", "relative weight, 2 to 262144"),
	TEXT("cpuset-cpus", 0, cpuset_cpus, "LIST", "CPUs to run on"),
	TEXT("cpuset-mems", 0, cpuset_mems, "LIST", "memory nodes to use"),
	TEXT("memory", 0, memory, "BYTES", "limit; k, m, g may follow, -1: unlimited"),
	TEXT("memory-reservation", 0, memory_reservation, "BYTES", "what is left to it longest"),
	TEXT("memory-swap", 0, memory_swap, "BYTES", "limit of memory and swap together"),
	TEXT("pids-limit", 0, pids_limit, "N", "processes, -1: unlimited"),
	TEXT("l3-cache-schema", 0, l3_cache_schema, "SCHEMA", "not supported yet"),
	TEXT("mem-bw-schema", 0, mem_bw_schema, "SCHEMA", "not supported yet"),
	V1_TEXT("kernel-memory", "BYTES"),
	V1_TEXT("kernel-memory-tcp", "BYTES"),
	V1_TEXT("cpu-rt-period", "USEC"),
	V1_TEXT("cpu-rt-runtime", "USEC"),
	HELP,
	END,
};

#define CRIU_ROWS                                                                                 \
	IGNORED_TEXT("image-path", 0, "DIR", "the images"),                                       \
		IGNORED_TEXT("work-path", 0, "DIR", "logs"),                                      \
		IGNORED_TEXT("manage-cgroups-mode", 0, "MODE", "soft, full, strict or ignore"),   \
		IGNORED_TEXT("empty-ns", 0, "NAMESPACE", "namespace to leave empty"),             \
		IGNORED_TEXT("network-lock", 0, "METHOD", "iptables, nftables or skip"),          \
		IGNORED("tcp-established", 0, "open TCP connections"),                            \
		IGNORED("ext-unix-sk", 0, "sockets to the outside"),                              \
		IGNORED("shell-job", 0, "a shell's job"), IGNORED("file-locks", 0, "file locks"), \
		IGNORED("lazy-pages", 0, "memory on demand"),                                     \
		IGNORED("auto-dedup", 0, "images without duplicates")

static const struct option_row checkpoint_rows[] = {
	CRIU_ROWS,
	IGNORED_TEXT("parent-path", 0, "DIR", "images of an earlier pre-dump"),
	IGNORED_TEXT("status-fd", 0, "N", "descriptor that tells of readiness"),
	IGNORED_TEXT("page-server", 0, "ADDRESS:PORT", "where memory is sent to"),
	IGNORED("leave-running", 0, "do not end the container"),
	IGNORED("pre-dump", 0, "memory alone"),
	IGNORED("tcp-skip-in-flight", 0, "leave connections out that are being made"),
	IGNORED("link-remap", 0, "unlinked files"),
	HELP,
	END,
};

static const struct option_row restore_rows[] = {
	BUNDLE,
	CONSOLE_SOCKET,
	PID_FILE,
	CRIU_ROWS,
	IGNORED_TEXT("lsm-profile", 0, "TYPE:NAME", "security profile"),
	IGNORED_TEXT("lsm-mount-context", 0, "CONTEXT", "SELinux context of mounts"),
	IGNORED("tcp-close", 0, "closed TCP connections"),
	IGNORED("detach", 'd', "do not wait for the container"),
	IGNORED("no-subreaper", 0, "do not adopt orphans of the container"),
	IGNORED("no-pivot", 0, "move and chroot in place of pivot_root"),
	HELP,
	END,
};

static const struct option_row events_rows[] = {
	IGNORED_TEXT("interval", 0, "TIME", "between two events"),
	IGNORED("stats", 0, "one event"),
	HELP,
	END,
};

static const struct option_row debug_rows[] = { BUNDLE, CONFIG, HELP, END };

const struct command commands[] = {
	{ "create", "ID", "make a container of a bundle", create_rows, 1, 1, COMMAND_ENTERS,
	  cmd_create },
	{ "start", "ID", "let the program of a created container run", help_rows, 1, 1,
	  COMMAND_TAKES_ID, cmd_start },
	{ "run", "ID", "create, start, wait and delete", run_rows, 1, 1, COMMAND_ENTERS, cmd_run },
	{ "state", "ID", "print a container's state as JSON", help_rows, 1, 1, COMMAND_TAKES_ID,
	  cmd_state },
	{ "kill", "ID [SIGNAL]", "signal a container", kill_rows, 1, 2,
	  COMMAND_STOPS_EARLY | COMMAND_TAKES_ID, cmd_kill },
	{ "delete", "ID", "remove a container", delete_rows, 1, 1, COMMAND_TAKES_ID, cmd_delete },
	{ "exec", "ID [COMMAND [ARGUMENT...]]", "run another program in a container", exec_rows, 1,
	  COMMAND_MANY, COMMAND_STOPS_EARLY | COMMAND_ENTERS | COMMAND_FAILS_255 | COMMAND_TAKES_ID,
	  cmd_exec },
	{ "list", "", "list containers", list_rows, 0, 0, 0, cmd_list },
	{ "ps", "ID [PS-ARGUMENT...]", "list a container's processes", ps_rows, 1, COMMAND_MANY,
	  COMMAND_STOPS_EARLY | COMMAND_TAKES_ID, cmd_ps },
	{ "pause", "ID", "freeze a container", help_rows, 1, 1, COMMAND_TAKES_ID, cmd_pause },
	{ "resume", "ID", "thaw a container", help_rows, 1, 1, COMMAND_TAKES_ID, cmd_resume },
	{ "update", "ID", "change a container's limits", update_rows, 1, 1, COMMAND_TAKES_ID,
	  cmd_update },
	{ "spec", "", "write a config.json to start from", spec_rows, 0, 0, COMMAND_STATELESS,
	  cmd_spec },
	{ "features", "", "print what this runtime recognises as JSON", help_rows, 0, 0,
	  COMMAND_STATELESS, cmd_features },
	{ "checkpoint", "ID", "not supported yet", checkpoint_rows, 1, 1,
	  COMMAND_STATELESS | COMMAND_TAKES_ID, cmd_later },
	{ "restore", "ID", "not supported yet", restore_rows, 1, 1, COMMAND_STATELESS, cmd_later },
	{ "events", "ID", "not supported yet", events_rows, 1, 1,
	  COMMAND_STATELESS | COMMAND_TAKES_ID, cmd_later },
	{ "mounts", "add|remove ID FILE", "not supported yet", help_rows, 1, 3, COMMAND_STATELESS,
	  cmd_later },
	{ "version", "", "print the version", help_rows, 0, 0, COMMAND_STATELESS, cmd_version },
	{ "help", "[COMMAND]", "print the help of rung or of a command", help_rows, 0, 1,
	  COMMAND_STATELESS, cmd_help },
	{ "debug", "scores | plan ID | completion bash|zsh|fish", "for tests and builds",
	  debug_rows, 1, 2, COMMAND_STATELESS | COMMAND_HIDDEN, cmd_debug },
	{ .name = NULL },
};

const struct command *command_find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (str_eq(c->name, name))
			return c;
	return NULL;
}
