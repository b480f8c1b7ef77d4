/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hook - programs that the configuration has run at points of a container's life.
 *
 * Each gets the state on its standard input, descriptors 0 to 2 and nothing else,
 * default signals, a session of its own and a deadline, after which the whole
 * session's process group is killed.
 * Source: runtime-spec config.md "POSIX-platform Hooks", R212-R223.
 */
#ifndef HOST_HOOK_H
#define HOST_HOOK_H

#include <stddef.h>

#include "base/err.h"

enum hook_kind {
	HOOK_PRESTART,
	HOOK_CREATE_RUNTIME,
	HOOK_CREATE_CONTAINER,
	HOOK_START_CONTAINER,
	HOOK_POSTSTART,
	HOOK_POSTSTOP,
	HOOK_KINDS
};

extern const char *const hook_kind_name[];

enum { HOOK_TIMEOUT_MS = 600000 }; /* of hooks without a timeout of their own */

struct hook {
	const char *path;
	char **argv, **envp; /* NULL-terminated; envp NULL: none given */
	int timeout_ms;
};

struct hooks_plan {
	struct {
		struct hook *at;
		size_t len;
	} of[HOOK_KINDS];
	const char *stdout_path, *stderr_path; /* run.oci.hooks.*, NULL: none */
};

struct hook_call {
	const char *state_json;
	const char *cwd;	  /* NULL: the caller's */
	char *const *default_env; /* of hooks that give none; NULL: empty */
};

/*
 * Runs the hooks of @kind in order until one fails: "error running createRuntime
 * hook #1: PATH: exit status 2, stderr: ...".
 */
int hooks_run(const struct hooks_plan *plan, enum hook_kind kind, const struct hook_call *call,
	      struct err *err);

/* The same, all of them whatever happens; each failure is told to @report (R207). */
void hooks_run_all(const struct hooks_plan *plan, enum hook_kind kind, const struct hook_call *call,
		   void (*report)(const char *fmt, ...));

#endif
