/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * oci-features - what a runtime recognises, as `features` prints it: runtime-spec 1.3,
 * features.md and features-linux.md.  Each mirrors the JSON object of its name.
 */
#ifndef OCISPEC_OCI_FEATURES_H
#define OCISPEC_OCI_FEATURES_H
#include "desc.h"

struct oci_features_cgroup {
	struct opt_bool v1;
	struct opt_bool v2;
	struct opt_bool systemd;
	struct opt_bool systemd_user;
	struct opt_bool rdma;
};

struct oci_features_seccomp {
	struct opt_bool enabled;
	struct str_list actions;
	struct str_list operators;
	struct str_list archs;
	struct str_list known_flags;
	struct str_list supported_flags;
};

/* apparmor, selinux, netDevices, mountExtensions.idmap */
struct oci_features_switch {
	struct opt_bool enabled;
};

struct oci_features_intel_rdt {
	struct opt_bool enabled;
	struct opt_bool schemata;
	struct opt_bool monitoring;
};

struct oci_features_memory_policy {
	struct str_list modes;
	struct str_list flags;
};

struct oci_features_mount_extensions {
	struct oci_features_switch *idmap;
};

struct oci_features_linux {
	struct str_list namespaces;
	struct str_list capabilities;
	struct oci_features_cgroup *cgroup;
	struct oci_features_seccomp *seccomp;
	struct oci_features_switch *apparmor;
	struct oci_features_switch *selinux;
	struct oci_features_intel_rdt *intel_rdt;
	struct oci_features_memory_policy *memory_policy;
	struct oci_features_mount_extensions *mount_extensions;
	struct oci_features_switch *net_devices;
};

struct oci_features {
	char *oci_version_min;
	char *oci_version_max;
	struct str_list hooks;
	struct str_list mount_options;
	struct oci_features_linux *linux_; /* "linux" is a macro in GNU C */
	struct pair_list annotations;
	struct str_list potentially_unsafe_config_annotations;
};

extern const struct desc oci_features_desc;
#endif
