/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oci-features.h"

#define T struct oci_features_cgroup
static const struct field cgroup_fields[] = {
	F_BOOL(T, v1, "v1", 0),		  F_BOOL(T, v2, "v2", 0),
	F_BOOL(T, systemd, "systemd", 0), F_BOOL(T, systemd_user, "systemdUser", 0),
	F_BOOL(T, rdma, "rdma", 0),	  F_END
};
#undef T
static const struct desc cgroup_desc = { "cgroup", sizeof(struct oci_features_cgroup),
					 cgroup_fields, NULL };

#define T struct oci_features_seccomp
static const struct field seccomp_fields[] = { F_BOOL(T, enabled, "enabled", 0),
					       F_STRINGS(T, actions, "actions", 0),
					       F_STRINGS(T, operators, "operators", 0),
					       F_STRINGS(T, archs, "archs", 0),
					       F_STRINGS(T, known_flags, "knownFlags", 0),
					       F_STRINGS(T, supported_flags, "supportedFlags", 0),
					       F_END };
#undef T
static const struct desc seccomp_desc = { "seccomp", sizeof(struct oci_features_seccomp),
					  seccomp_fields, NULL };

#define T struct oci_features_switch
static const struct field switch_fields[] = { F_BOOL(T, enabled, "enabled", 0), F_END };
#undef T
static const struct desc switch_desc = { "feature", sizeof(struct oci_features_switch),
					 switch_fields, NULL };

#define T struct oci_features_intel_rdt
static const struct field intel_rdt_fields[] = { F_BOOL(T, enabled, "enabled", 0),
						 F_BOOL(T, schemata, "schemata", 0),
						 F_BOOL(T, monitoring, "monitoring", 0), F_END };
#undef T
static const struct desc intel_rdt_desc = { "intelRdt", sizeof(struct oci_features_intel_rdt),
					    intel_rdt_fields, NULL };

#define T struct oci_features_memory_policy
static const struct field memory_policy_fields[] = { F_STRINGS(T, modes, "modes", 0),
						     F_STRINGS(T, flags, "flags", 0), F_END };
#undef T
static const struct desc memory_policy_desc = { "memoryPolicy",
						sizeof(struct oci_features_memory_policy),
						memory_policy_fields, NULL };

#define T struct oci_features_mount_extensions
static const struct field mount_extensions_fields[] = {
	F_OBJECT(T, idmap, "idmap", 0, &switch_desc, struct oci_features_switch), F_END
};
#undef T
static const struct desc mount_extensions_desc = { "mountExtensions",
						   sizeof(struct oci_features_mount_extensions),
						   mount_extensions_fields, NULL };

#define T struct oci_features_linux
static const struct field linux_fields[] = {
	F_STRINGS(T, namespaces, "namespaces", 0),
	F_STRINGS(T, capabilities, "capabilities", 0),
	F_OBJECT(T, cgroup, "cgroup", 0, &cgroup_desc, struct oci_features_cgroup),
	F_OBJECT(T, seccomp, "seccomp", 0, &seccomp_desc, struct oci_features_seccomp),
	F_OBJECT(T, apparmor, "apparmor", 0, &switch_desc, struct oci_features_switch),
	F_OBJECT(T, selinux, "selinux", 0, &switch_desc, struct oci_features_switch),
	F_OBJECT(T, intel_rdt, "intelRdt", 0, &intel_rdt_desc, struct oci_features_intel_rdt),
	F_OBJECT(T, memory_policy, "memoryPolicy", 0, &memory_policy_desc,
		 struct oci_features_memory_policy),
	F_OBJECT(T, mount_extensions, "mountExtensions", 0, &mount_extensions_desc,
		 struct oci_features_mount_extensions),
	F_OBJECT(T, net_devices, "netDevices", 0, &switch_desc, struct oci_features_switch),
	F_END
};
#undef T
static const struct desc linux_desc = { "linux", sizeof(struct oci_features_linux), linux_fields,
					NULL };

#define T struct oci_features
static const struct field features_fields[] = {
	F_STRING(T, oci_version_min, "ociVersionMin", REQUIRED),
	F_STRING(T, oci_version_max, "ociVersionMax", REQUIRED),
	F_STRINGS(T, hooks, "hooks", 0),
	F_STRINGS(T, mount_options, "mountOptions", 0),
	F_OBJECT(T, linux_, "linux", 0, &linux_desc, struct oci_features_linux),
	F_PAIRS(T, annotations, "annotations", 0),
	F_STRINGS(T, potentially_unsafe_config_annotations, "potentiallyUnsafeConfigAnnotations",
		  0),
	F_END
};
#undef T
const struct desc oci_features_desc = { "features", sizeof(struct oci_features), features_fields,
					NULL };
