/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* features: what this runtime recognises (runtime-spec features.md, R265-R270). */
#include <seccomp.h>
#include <stdio.h>
#include <sys/capability.h>

#include "base/scope.h"
#include "base/str.h"
#include "cli/command.h"
#include "host/hook.h"
#include "host/ns.h"
#include "host/seccomp.h"
#include "plan/mount-options.h"
#include "plan/plan-sched.h"
#include "plan/seccomp-names.h"

/* A small writer of indented JSON: nothing else prints one that isn't of a struct. */
struct out {
	int depth;
	bool any;
};

static void member(struct out *o, const char *name)
{
	(void)printf("%s\n%*s", o->any ? "," : "", 2 * o->depth, "");
	o->any = true;
	if (!name)
		return;
	ocispec_write_string(stdout, name);
	(void)fputs(": ", stdout);
}

static void open_object(struct out *o, const char *name)
{
	if (o->depth)
		member(o, name);
	(void)putchar('{');
	o->depth++;
	o->any = false;
}

static void close_object(struct out *o)
{
	o->depth--;
	(void)printf("\n%*s}", 2 * o->depth, "");
	o->any = true;
}

static void text(struct out *o, const char *name, const char *value)
{
	member(o, name);
	ocispec_write_string(stdout, value);
}

static void boolean(struct out *o, const char *name, bool value)
{
	member(o, name);
	(void)fputs(value ? "true" : "false", stdout);
}

static void list(struct out *o, const char *name, const char *const *values)
{
	member(o, name);
	(void)putchar('[');
	o->depth++;
	o->any = false;
	for (; *values; values++) {
		member(o, NULL);
		ocispec_write_string(stdout, *values);
	}
	o->depth--;
	(void)printf("\n%*s]", 2 * o->depth, "");
	o->any = true;
}

static void enabled(struct out *o, const char *name, bool value)
{
	open_object(o, name);
	boolean(o, "enabled", value);
	close_object(o);
}

static void capabilities(struct out *o)
{
	member(o, "capabilities");
	(void)putchar('[');
	o->depth++;
	o->any = false;
	for (cap_value_t cap = 0; cap <= CAP_LAST_CAP; cap++) {
		char *name = cap_to_name(cap);

		for (char *c = name; c && *c; c++)
			*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
		if (name) {
			member(o, NULL);
			ocispec_write_string(stdout, name);
		}
		cap_free(name);
	}
	o->depth--;
	(void)printf("\n%*s]", 2 * o->depth, "");
	o->any = true;
}

static void cgroup(struct out *o)
{
	open_object(o, "cgroup");
	boolean(o, "v1", false);
	boolean(o, "v2", true);
	boolean(o, "systemd", false);
	boolean(o, "systemdUser", false);
	boolean(o, "rdma", true);
	close_object(o);
}

static void seccomp(struct out *o)
{
	const char *supported[8] = { NULL };
	size_t n = 0;

	for (size_t i = 0; seccomp_flag_names[i]; i++)
		if (seccomp_has_flag(seccomp_flag_bits[i]))
			supported[n++] = seccomp_flag_names[i];
	open_object(o, "seccomp");
	boolean(o, "enabled", true);
	list(o, "actions", seccomp_action_words);
	list(o, "operators", seccomp_operator_names);
	list(o, "archs", seccomp_arch_names);
	list(o, "knownFlags", seccomp_flag_names);
	list(o, "supportedFlags", supported);
	close_object(o);
}

static void linux_part(struct out *o)
{
	static const char *const namespaces[] = { "cgroup", "ipc",  "mount", "network", "pid",
						  "time",   "user", "uts",   NULL };
	static const char *const modes[] = { "MPOL_DEFAULT",
					     "MPOL_PREFERRED",
					     "MPOL_BIND",
					     "MPOL_INTERLEAVE",
					     "MPOL_LOCAL",
					     "MPOL_PREFERRED_MANY",
					     "MPOL_WEIGHTED_INTERLEAVE",
					     NULL };

	open_object(o, "linux");
	list(o, "namespaces", namespaces);
	capabilities(o);
	cgroup(o);
	seccomp(o);
	enabled(o, "apparmor", true);
	enabled(o, "selinux", true);
	open_object(o, "intelRdt");
	boolean(o, "enabled", false);
	boolean(o, "schemata", false);
	boolean(o, "monitoring", false);
	close_object(o);
	open_object(o, "memoryPolicy");
	list(o, "modes", modes);
	list(o, "flags", memory_policy_flag_names);
	close_object(o);
	open_object(o, "mountExtensions");
	enabled(o, "idmap", true);
	close_object(o);
	enabled(o, "netDevices", false);
	close_object(o);
}

static void annotations(struct out *o)
{
	const struct scmp_version *version = seccomp_version();
	char libseccomp[32];

	(void)snprintf(libseccomp, sizeof(libseccomp), "%u.%u.%u", version->major, version->minor,
		       version->micro);
	open_object(o, "annotations");
	text(o, "dev.rung.version", PACKAGE_VERSION);
	text(o, "io.github.seccomp.libseccomp.version", libseccomp);
	text(o, "org.opencontainers.runc.checkpoint.enabled", "false");
	close_object(o);
}

int cmd_features(const struct run_context *ctx, struct arguments *args, int *ret_status,
		 struct err *err)
{
	static const char *const unsafe[] = { "run.oci.hooks.stderr", "run.oci.hooks.stdout",
					      "run.oci.keep_original_groups", NULL };
	const char *hooks[HOOK_KINDS + 1] = { NULL };
	struct out o = { 0 };

	(void)ctx;
	(void)args;
	(void)ret_status;
	(void)err;
	for (size_t i = 0; i < HOOK_KINDS; i++)
		hooks[i] = hook_kind_name[i];
	open_object(&o, NULL);
	text(&o, "ociVersionMin", "1.0.0");
	text(&o, "ociVersionMax", "1.3.0");
	list(&o, "hooks", hooks);
	list(&o, "mountOptions", mount_option_names);
	linux_part(&o);
	annotations(&o);
	list(&o, "potentiallyUnsafeConfigAnnotations", unsafe);
	close_object(&o);
	(void)putchar('\n');
	return 0;
}
