/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/features.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>

#include "base/commit.h"
#include "base/scope.h"
#include "host/caps.h"
#include "host/hook.h"
#include "host/ns.h"
#include "host/seccomp.h"
#include "plan/mount-options.h"
#include "plan/plan-sched.h"
#include "plan/seccomp-compile.h"
#include "plan/seccomp-names.h"

enum { FLAGS_MAX = 16, ARCHS_MAX = 32, ANNOTATIONS_MAX = 8 };

/* All objects of the document, so that one allocation holds them. */
struct parts {
	struct oci_features features;
	struct oci_features_linux linux_;
	struct oci_features_cgroup cgroup;
	struct oci_features_seccomp seccomp;
	struct oci_features_switch yes, no;
	struct oci_features_intel_rdt intel_rdt;
	struct oci_features_memory_policy memory_policy;
	struct oci_features_mount_extensions mount_extensions;
	char *capabilities[CAP_LAST_CAP + 1];
	char *namespaces[NS_KINDS];
	char *supported_flags[FLAGS_MAX];
	char *archs[ARCHS_MAX];
	struct pair annotations[ANNOTATIONS_MAX];
};

static const struct opt_bool yes = { true, true }, no = { true, false };

static struct str_list list_of(const char *const *names)
{
	struct str_list list = { .at = (char **)names };

	while (names[list.len])
		list.len++;
	return list;
}

static int fill_capabilities(struct parts *parts, struct arena *arena, struct err *err)
{
	char name[CAPS_NAME_SIZE];

	for (int cap = 0; cap <= CAP_LAST_CAP; cap++) {
		(void)caps_name(cap, name);
		parts->capabilities[cap] = arena_copy(arena, name, strlen(name));
		if (!parts->capabilities[cap])
			return err_errno(err, ENOMEM, "features");
	}
	parts->linux_.capabilities =
		(struct str_list){ parts->capabilities, ARRAY_LEN(parts->capabilities) };
	return 0;
}

static void fill_namespaces(struct parts *parts)
{
	for (size_t i = 0; i < NS_KINDS; i++)
		parts->namespaces[i] = (char *)ns_info[i].oci;
	parts->linux_.namespaces = (struct str_list){ parts->namespaces, NS_KINDS };
}

static void fill_seccomp(struct parts *parts)
{
	struct oci_features_seccomp *seccomp = &parts->seccomp;
	char version[SECCOMP_VERSION_SIZE];

	parts->linux_.seccomp = seccomp;
	if (!seccomp_compiler_version(version)) {
		seccomp->enabled = no;
		return;
	}
	*seccomp = (struct oci_features_seccomp){
		.enabled = yes,
		.actions = list_of(seccomp_action_words),
		.operators = list_of(seccomp_operator_names),
		.archs.at = parts->archs,
		.known_flags = list_of(seccomp_flag_names),
		.supported_flags.at = parts->supported_flags,
	};
	for (size_t i = 0; i < ARCHS_MAX && seccomp_arch_names[i]; i++)
		if (seccomp_compiler_has_arch(seccomp_arch_names[i]))
			parts->archs[seccomp->archs.len++] = (char *)seccomp_arch_names[i];
	for (size_t i = 0; i < seccomp->known_flags.len && i < FLAGS_MAX; i++)
		if (seccomp_has_flag(seccomp_flag_bits[i]))
			parts->supported_flags[seccomp->supported_flags.len++] =
				(char *)seccomp_flag_names[i];
}

static void fill_linux(struct parts *parts)
{
	static const char *const modes[] = { "MPOL_DEFAULT",
					     "MPOL_PREFERRED",
					     "MPOL_BIND",
					     "MPOL_INTERLEAVE",
					     "MPOL_LOCAL",
					     "MPOL_PREFERRED_MANY",
					     "MPOL_WEIGHTED_INTERLEAVE",
					     NULL };

	parts->yes.enabled = yes;
	parts->no.enabled = no;
	parts->cgroup = (struct oci_features_cgroup){
		.v1 = no, .v2 = yes, .systemd = no, .systemd_user = no, .rdma = yes
	};
	parts->intel_rdt = (struct oci_features_intel_rdt){ no, no, no };
	parts->memory_policy =
		(struct oci_features_memory_policy){ list_of(modes),
						     list_of(memory_policy_flag_names) };
	parts->mount_extensions.idmap = &parts->yes;
	parts->linux_.cgroup = &parts->cgroup;
	parts->linux_.apparmor = &parts->yes;
	parts->linux_.selinux = &parts->yes;
	parts->linux_.intel_rdt = &parts->intel_rdt;
	parts->linux_.memory_policy = &parts->memory_policy;
	parts->linux_.mount_extensions = &parts->mount_extensions;
	parts->linux_.net_devices = &parts->yes;
	parts->features.linux_ = &parts->linux_;
}

static void annotate(struct parts *parts, const char *key, const char *value)
{
	struct pair_list *list = &parts->features.annotations;

	list->at = parts->annotations;
	list->at[list->len++] = (struct pair){ (char *)key, (char *)value };
}

static int fill_annotations(struct parts *parts, struct arena *arena, struct err *err)
{
	char version[SECCOMP_VERSION_SIZE], *copy;

	annotate(parts, "dev.rung.version", PACKAGE_VERSION);
	annotate(parts, "dev.rung.commit", commit_id);
	annotate(parts, "org.opencontainers.runc.checkpoint.enabled", "false");
	if (!seccomp_compiler_version(version))
		return 0;
	copy = arena_copy(arena, version, strlen(version));
	if (!copy)
		return err_errno(err, ENOMEM, "features");
	annotate(parts, "io.github.seccomp.libseccomp.version", copy);
	return 0;
}

struct oci_features *features_make(struct arena *arena, struct err *err)
{
	/* each changes what a container may do or where its parts write to */
	static const char *const unsafe[] = { "run.oci.hooks.stderr", "run.oci.hooks.stdout",
					      "run.oci.keep_original_groups", NULL };
	struct parts *parts = arena_alloc(arena, sizeof(*parts));

	if (!parts) {
		(void)err_errno(err, ENOMEM, "features");
		return NULL;
	}
	parts->features = (struct oci_features){
		.oci_version_min = (char *)"1.0.0",
		.oci_version_max = (char *)OCISPEC_VERSION,
		.hooks = { (char **)hook_kind_name, HOOK_KINDS },
		.mount_options = list_of(mount_option_names),
		.potentially_unsafe_config_annotations = list_of(unsafe),
	};
	fill_namespaces(parts);
	fill_seccomp(parts);
	fill_linux(parts);
	if (fill_capabilities(parts, arena, err) < 0 || fill_annotations(parts, arena, err) < 0)
		return NULL;
	return &parts->features;
}
