/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * run - the operations of the runtime, one call each (runtime-spec runtime.md
 * "Operations" and the callers' contracts of runc and crun).
 *
 * All return 0, or -1 with @err set and nothing left behind.  None prints.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include <ocispec.h>

#include "base/err.h"
#include "host/cgroup.h"

/* What the host has told once; empty, -1, until a command asks. */
struct host_facts {
	char boot_id[37];
	int cgroup_mount; /* a descriptor, of `list` alone */
};

/* The global options. */
struct run_context {
	const char *root;	     /* state root, absolute */
	bool root_given;	     /* --root was there: it must exist for `list` */
	enum cgroup_manager manager; /* for create; afterwards the state remembers it */
	struct host_facts *facts;
};

struct create_options {
	const char *id;
	const char *bundle; /* absolute */
	const char *config; /* NULL: BUNDLE/config.json */
	const char *pid_file, *console_socket,
		*pidfd_socket; /* NULL: none; relative to the caller's directory */
	unsigned preserve_fds;
	bool no_pivot, no_new_keyring;
	bool detach, keep, no_subreaper; /* run alone */
};

struct exec_options {
	const char *id;
	const char *process_file; /* --process, NULL: the container's process changed as below */
	char **args;		  /* NULL-terminated; may be empty with process_file */
	const char *cwd, *user, *apparmor, *process_label; /* NULL: not given */
	struct str_list env, caps, additional_gids, cgroups;
	bool tty, detach, no_new_privs, ignore_paused;
	const char *pid_file, *console_socket, *pidfd_socket;
	unsigned preserve_fds;
};

/* This boot's id, owned by ctx->facts; "" when the host does not tell. */
const char *run_boot_id(const struct run_context *ctx);

int run_create(const struct run_context *ctx, const struct create_options *options,
	       struct err *err);
int run_start(const struct run_context *ctx, const char *id, struct err *err);

/* create, start and, unless detached, wait; *@ret_status is then what to exit with. */
int run_run(const struct run_context *ctx, const struct create_options *options, int *ret_status,
	    struct err *err);

/* *@ret_status: the program's, 128 + signal when it was killed; 0 when detached. */
int run_exec(const struct run_context *ctx, const struct exec_options *options, int *ret_status,
	     struct err *err);

/* @all: every process of the container's cgroup.  Stopped: "container not running". */
int run_kill(const struct run_context *ctx, const char *id, int signal, bool all, struct err *err);

int run_delete(const struct run_context *ctx, const char *id, bool force, struct err *err);
int run_pause(const struct run_context *ctx, const char *id, struct err *err);
int run_resume(const struct run_context *ctx, const char *id, struct err *err);

/* @resources: what is to change; values not set there keep what they are. */
int run_update(const struct run_context *ctx, const char *id, const struct oci_resources *resources,
	       struct err *err);

enum container_status {
	STATUS_CREATING,
	STATUS_CREATED,
	STATUS_RUNNING,
	STATUS_PAUSED,
	STATUS_STOPPED
};

extern const char *const container_status_name[];

/* What `state` and `list` print; owned by the arena it was read into. */
struct container_state {
	char *oci_version, *id, *bundle, *rootfs, *created;
	enum container_status status;
	pid_t pid; /* 0 once stopped */
	uid_t owner;
	char *scope; /* systemd unit, NULL: none */
	struct pair_list annotations;
};

int run_state(const struct run_context *ctx, const char *id, struct arena *arena,
	      struct container_state *ret, struct err *err);

/* All containers of the root in byte order of their ids; damaged ones are warned of and left out. */
int run_list(const struct run_context *ctx, struct arena *arena, struct container_state **ret,
	     size_t *ret_count, struct err *err);

struct pid_list {
	pid_t *at;
	size_t len;
};

/* The pids in the container's cgroup, recursively, ascending; owned by @arena. */
int run_ps(const struct run_context *ctx, const char *id, struct arena *arena, struct pid_list *ret,
	   struct err *err);

#endif
