/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * options - the command line as tables: they drive parsing, help and completion.
 *
 * Understood are --flag=value and --flag value, -f value and -fvalue, long flags
 * with one dash, repeated booleans, --flag=true and --flag=false, and "--".
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <ocispec.h>

#include "base/err.h"

enum option_kind {
	OPTION_FLAG,	     /* bool */
	OPTION_TEXT,	     /* const char *, the last one given */
	OPTION_COUNT,	     /* unsigned */
	OPTION_TEXTS,	     /* struct str_list, all that were given */
	OPTION_IGNORED,	     /* a flag without a member: means nothing here */
	OPTION_IGNORED_TEXT, /* the same with a value */
	OPTION_V1_TEXT	     /* the same, warned of: it would mean something with cgroup v1 */
};

struct option_row {
	const char *name; /* long form, without dashes */
	char letter;	  /* short form, 0: none */
	enum option_kind kind;
	size_t offset;	      /* of the member in struct arguments */
	const char *argument; /* what the value is called in help, NULL for flags */
	const char *help;
};

/* True when an option of @row takes no value, or only "=true" and "=false". */
bool option_is_flag(const struct option_row *row);

/* All that commands can be given; each command's table says which it takes. */
struct arguments {
	/* global */
	const char *root, *log, *log_format, *log_level, *cgroup_manager;
	bool debug, systemd_cgroup, version, help;
	/* create, run, exec */
	const char *bundle, *config, *console_socket, *pidfd_socket, *pid_file;
	unsigned preserve_fds;
	bool no_pivot, no_new_keyring, no_subreaper, detach, keep;
	const char *cwd, *user, *process, *apparmor, *process_label;
	struct str_list env, caps, additional_gids, cgroups;
	bool tty, no_new_privs, ignore_paused;
	/* kill, delete, list, ps, spec, update */
	bool all, force, regex, quiet, rootless;
	const char *format, *resources;
	const char *blkio_weight, *cpu_period, *cpu_quota, *cpu_share, *cpu_burst, *cpu_idle;
	const char *cpuset_cpus, *cpuset_mems, *memory, *memory_reservation, *memory_swap,
		*pids_limit, *l3_cache_schema, *mem_bw_schema;
	const char *command; /* the name it was called by */
	/* what is no option */
	char **positional; /* NULL-terminated */
	size_t positional_len;
	struct arena arena; /* of the lists */
};

/*
 * Parses @argv from its second entry on, @argv being NULL-terminated, into *@ret,
 * whose other members stay as they are.  @stop_early: the first positional ends
 * the options.  Returns 0, or -1 with @err set: "unknown option --foo".
 */
int options_parse(const struct option_row *rows, char **argv, bool stop_early,
		  struct arguments *ret, struct err *err);

#endif
