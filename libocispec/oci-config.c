/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oci-config.h"

static const char *const io_class_names[] = { "IOPRIO_CLASS_RT", "IOPRIO_CLASS_BE",
					      "IOPRIO_CLASS_IDLE", NULL };
static const char *const scheduler_policy_names[] = { "SCHED_OTHER",	"SCHED_FIFO", "SCHED_RR",
						      "SCHED_BATCH",	"SCHED_ISO",  "SCHED_IDLE",
						      "SCHED_DEADLINE", NULL };
static const char *const namespace_type_names[] = { "mount", "pid",    "network", "uts", "ipc",
						    "user",  "cgroup", "time",	  NULL };
static const char *const propagation_names[] = { "private",    "shared",      "slave",
						 "unbindable", "rprivate",    "rshared",
						 "rslave",     "runbindable", NULL };
static const char *const action_names[] = { "SCMP_ACT_KILL",	    "SCMP_ACT_KILL_PROCESS",
					    "SCMP_ACT_KILL_THREAD", "SCMP_ACT_TRAP",
					    "SCMP_ACT_ERRNO",	    "SCMP_ACT_TRACE",
					    "SCMP_ACT_ALLOW",	    "SCMP_ACT_LOG",
					    "SCMP_ACT_NOTIFY",	    NULL };
static const char *const operator_names[] = { "SCMP_CMP_NE",	    "SCMP_CMP_LT", "SCMP_CMP_LE",
					      "SCMP_CMP_EQ",	    "SCMP_CMP_GE", "SCMP_CMP_GT",
					      "SCMP_CMP_MASKED_EQ", NULL };
static const char *const memory_policy_mode_names[] = {
	"MPOL_DEFAULT",	  "MPOL_BIND",		 "MPOL_INTERLEAVE", "MPOL_WEIGHTED_INTERLEAVE",
	"MPOL_PREFERRED", "MPOL_PREFERRED_MANY", "MPOL_LOCAL",	    NULL
};
static const char *const personality_domain_names[] = { "LINUX", "LINUX32", NULL };

#define T struct oci_hook
static const struct field oci_hook_fields[] = {
	F_STRING(T, path, "path", REQUIRED), F_STRINGS(T, args, "args", 0),
	F_STRINGS(T, env, "env", 0), F_INT(T, timeout, "timeout", 0, 1, INT32_MAX), F_END
};
#undef T
static const struct desc oci_hook_desc = { "hook", sizeof(struct oci_hook), oci_hook_fields, NULL };

#define T struct oci_hooks
static const struct field oci_hooks_fields[] = {
	F_OBJECTS(T, prestart, "prestart", 0, &oci_hook_desc, struct oci_hook_list),
	F_OBJECTS(T, create_runtime, "createRuntime", 0, &oci_hook_desc, struct oci_hook_list),
	F_OBJECTS(T, create_container, "createContainer", 0, &oci_hook_desc, struct oci_hook_list),
	F_OBJECTS(T, start_container, "startContainer", 0, &oci_hook_desc, struct oci_hook_list),
	F_OBJECTS(T, poststart, "poststart", 0, &oci_hook_desc, struct oci_hook_list),
	F_OBJECTS(T, poststop, "poststop", 0, &oci_hook_desc, struct oci_hook_list),
	F_END
};
#undef T
static const struct desc oci_hooks_desc = { "hooks", sizeof(struct oci_hooks), oci_hooks_fields,
					    NULL };

#define T struct oci_id_mapping
static const struct field oci_id_mapping_fields[] = {
	F_UINT(T, container_id, "containerID", REQUIRED, 4294967295U),
	F_UINT(T, host_id, "hostID", REQUIRED, 4294967295U),
	F_UINT(T, size, "size", REQUIRED, 4294967295U), F_END
};
#undef T
static const struct desc oci_id_mapping_desc = { "id mapping", sizeof(struct oci_id_mapping),
						 oci_id_mapping_fields, NULL };

#define T struct oci_mount
static const struct field oci_mount_fields[] = {
	F_STRING(T, source, "source", 0),
	F_STRING(T, destination, "destination", REQUIRED),
	F_STRINGS(T, options, "options", 0),
	F_STRING(T, type, "type", 0),
	F_OBJECTS(T, uid_mappings, "uidMappings", 0, &oci_id_mapping_desc,
		  struct oci_id_mapping_list),
	F_OBJECTS(T, gid_mappings, "gidMappings", 0, &oci_id_mapping_desc,
		  struct oci_id_mapping_list),
	F_END
};
#undef T
static const struct desc oci_mount_desc = { "mount", sizeof(struct oci_mount), oci_mount_fields,
					    NULL };

#define T struct oci_root
static const struct field oci_root_fields[] = { F_STRING(T, path, "path", REQUIRED),
						F_BOOL(T, readonly, "readonly", 0), F_END };
#undef T
static const struct desc oci_root_desc = { "root", sizeof(struct oci_root), oci_root_fields, NULL };

#define T struct oci_console_size
static const struct field oci_console_size_fields[] = {
	F_UINT(T, height, "height", REQUIRED, UINT64_MAX),
	F_UINT(T, width, "width", REQUIRED, UINT64_MAX), F_END
};
#undef T
static const struct desc oci_console_size_desc = { "console size", sizeof(struct oci_console_size),
						   oci_console_size_fields, NULL };

#define T struct oci_user
static const struct field oci_user_fields[] = { F_UINT(T, uid, "uid", REQUIRED, 4294967294U),
						F_UINT(T, gid, "gid", 0, 4294967294U),
						F_UINT(T, umask, "umask", 0, 4294967295U),
						F_UINTS(T, additional_gids, "additionalGids", 0,
							4294967294U),
						F_STRING(T, username, "username", 0),
						F_END };
#undef T
static const struct desc oci_user_desc = { "user", sizeof(struct oci_user), oci_user_fields, NULL };

#define T struct oci_capabilities
static const struct field oci_capabilities_fields[] = {
	F_STRINGS(T, bounding, "bounding", 0),	 F_STRINGS(T, permitted, "permitted", 0),
	F_STRINGS(T, effective, "effective", 0), F_STRINGS(T, inheritable, "inheritable", 0),
	F_STRINGS(T, ambient, "ambient", 0),	 F_END
};
#undef T
static const struct desc oci_capabilities_desc = { "capabilities", sizeof(struct oci_capabilities),
						   oci_capabilities_fields, NULL };

#define T struct oci_io_priority
static const struct field oci_io_priority_fields[] = {
	F_ENUM(T, class, "class", REQUIRED, io_class_names),
	F_INT(T, priority, "priority", 0, INT32_MIN, INT32_MAX), F_END
};
#undef T
static const struct desc oci_io_priority_desc = { "io priority", sizeof(struct oci_io_priority),
						  oci_io_priority_fields, NULL };

#define T struct oci_scheduler
static const struct field oci_scheduler_fields[] = {
	F_ENUM(T, policy, "policy", REQUIRED, scheduler_policy_names),
	F_INT(T, nice, "nice", 0, INT32_MIN, INT32_MAX),
	F_INT(T, priority, "priority", 0, INT32_MIN, INT32_MAX),
	F_STRINGS(T, flags, "flags", 0),
	F_UINT(T, runtime, "runtime", 0, UINT64_MAX),
	F_UINT(T, deadline, "deadline", 0, UINT64_MAX),
	F_UINT(T, period, "period", 0, UINT64_MAX),
	F_END
};
#undef T
static const struct desc oci_scheduler_desc = { "scheduler", sizeof(struct oci_scheduler),
						oci_scheduler_fields, NULL };

#define T struct oci_rlimit
static const struct field oci_rlimit_fields[] = { F_UINT(T, hard, "hard", REQUIRED, UINT64_MAX),
						  F_UINT(T, soft, "soft", REQUIRED, UINT64_MAX),
						  F_STRING(T, type, "type", REQUIRED), F_END };
#undef T
static const struct desc oci_rlimit_desc = { "rlimit", sizeof(struct oci_rlimit), oci_rlimit_fields,
					     NULL };

#define T struct oci_cpu_affinity
static const struct field oci_cpu_affinity_fields[] = { F_STRING(T, initial, "initial", 0),
							F_STRING(T, final, "final", 0), F_END };
#undef T
static const struct desc oci_cpu_affinity_desc = { "cpu affinity", sizeof(struct oci_cpu_affinity),
						   oci_cpu_affinity_fields, NULL };

#define T struct oci_process
static const struct field oci_process_fields[] = {
	F_STRINGS(T, args, "args", 0),
	F_STRING(T, command_line, "commandLine", 0),
	F_OBJECT(T, console_size, "consoleSize", 0, &oci_console_size_desc,
		 struct oci_console_size),
	F_STRING(T, cwd, "cwd", REQUIRED),
	F_STRINGS(T, env, "env", 0),
	F_BOOL(T, terminal, "terminal", 0),
	F_OBJECT(T, user, "user", 0, &oci_user_desc, struct oci_user),
	F_OBJECT(T, capabilities, "capabilities", 0, &oci_capabilities_desc,
		 struct oci_capabilities),
	F_STRING(T, apparmor_profile, "apparmorProfile", 0),
	F_INT(T, oom_score_adj, "oomScoreAdj", 0, INT64_MIN, INT64_MAX),
	F_STRING(T, selinux_label, "selinuxLabel", 0),
	F_OBJECT(T, io_priority, "ioPriority", 0, &oci_io_priority_desc, struct oci_io_priority),
	F_BOOL(T, no_new_privileges, "noNewPrivileges", 0),
	F_OBJECT(T, scheduler, "scheduler", 0, &oci_scheduler_desc, struct oci_scheduler),
	F_OBJECTS(T, rlimits, "rlimits", 0, &oci_rlimit_desc, struct oci_rlimit_list),
	F_OBJECT(T, exec_cpu_affinity, "execCPUAffinity", 0, &oci_cpu_affinity_desc,
		 struct oci_cpu_affinity),
	F_END
};
#undef T
const struct desc oci_process_desc = { "process", sizeof(struct oci_process), oci_process_fields,
				       NULL };

#define T struct oci_device
static const struct field oci_device_fields[] = { F_STRING(T, type, "type", REQUIRED),
						  F_STRING(T, path, "path", REQUIRED),
						  F_UINT(T, file_mode, "fileMode", 0, 0177777U),
						  F_INT(T, major, "major", 0, INT64_MIN, INT64_MAX),
						  F_INT(T, minor, "minor", 0, INT64_MIN, INT64_MAX),
						  F_UINT(T, uid, "uid", 0, 4294967295U),
						  F_UINT(T, gid, "gid", 0, 4294967295U),
						  F_END };
#undef T
static const struct desc oci_device_desc = { "device", sizeof(struct oci_device), oci_device_fields,
					     NULL };

#define T struct oci_net_device
static const struct field oci_net_device_fields[] = { F_STRING(T, name, "name", 0), F_END };
#undef T
static const struct desc oci_net_device_desc = { "net device", sizeof(struct oci_net_device),
						 oci_net_device_fields, NULL };

#define T struct oci_namespace
static const struct field oci_namespace_fields[] = {
	F_ENUM(T, type, "type", REQUIRED, namespace_type_names), F_STRING(T, path, "path", 0), F_END
};
#undef T
static const struct desc oci_namespace_desc = { "namespace", sizeof(struct oci_namespace),
						oci_namespace_fields, NULL };

#define T struct oci_device_rule
static const struct field oci_device_rule_fields[] = {
	F_BOOL(T, allow, "allow", REQUIRED),
	F_STRING(T, type, "type", 0),
	F_INT(T, major, "major", 0, INT64_MIN, INT64_MAX),
	F_INT(T, minor, "minor", 0, INT64_MIN, INT64_MAX),
	F_STRING(T, access, "access", 0),
	F_END
};
#undef T
static const struct desc oci_device_rule_desc = { "device rule", sizeof(struct oci_device_rule),
						  oci_device_rule_fields, NULL };

#define T struct oci_pids
static const struct field oci_pids_fields[] = { F_INT(T, limit, "limit", 0, INT64_MIN, INT64_MAX),
						F_END };
#undef T
static const struct desc oci_pids_desc = { "pids", sizeof(struct oci_pids), oci_pids_fields, NULL };

#define T struct oci_throttle_device
static const struct field oci_throttle_device_fields[] = {
	F_INT(T, major, "major", REQUIRED, INT64_MIN, INT64_MAX),
	F_INT(T, minor, "minor", REQUIRED, INT64_MIN, INT64_MAX),
	F_UINT(T, rate, "rate", 0, UINT64_MAX), F_END
};
#undef T
static const struct desc oci_throttle_device_desc = { "throttle device",
						      sizeof(struct oci_throttle_device),
						      oci_throttle_device_fields, NULL };

#define T struct oci_weight_device
static const struct field oci_weight_device_fields[] = {
	F_INT(T, major, "major", REQUIRED, INT64_MIN, INT64_MAX),
	F_INT(T, minor, "minor", REQUIRED, INT64_MIN, INT64_MAX),
	F_UINT(T, weight, "weight", 0, 65535U), F_UINT(T, leaf_weight, "leafWeight", 0, 65535U),
	F_END
};
#undef T
static const struct desc oci_weight_device_desc = { "weight device",
						    sizeof(struct oci_weight_device),
						    oci_weight_device_fields, NULL };

#define T struct oci_block_io
static const struct field oci_block_io_fields[] = {
	F_UINT(T, weight, "weight", 0, 65535U),
	F_UINT(T, leaf_weight, "leafWeight", 0, 65535U),
	F_OBJECTS(T, throttle_read_bps_device, "throttleReadBpsDevice", 0,
		  &oci_throttle_device_desc, struct oci_throttle_device_list),
	F_OBJECTS(T, throttle_write_bps_device, "throttleWriteBpsDevice", 0,
		  &oci_throttle_device_desc, struct oci_throttle_device_list),
	F_OBJECTS(T, throttle_read_iops_device, "throttleReadIOPSDevice", 0,
		  &oci_throttle_device_desc, struct oci_throttle_device_list),
	F_OBJECTS(T, throttle_write_iops_device, "throttleWriteIOPSDevice", 0,
		  &oci_throttle_device_desc, struct oci_throttle_device_list),
	F_OBJECTS(T, weight_device, "weightDevice", 0, &oci_weight_device_desc,
		  struct oci_weight_device_list),
	F_END
};
#undef T
static const struct desc oci_block_io_desc = { "block io", sizeof(struct oci_block_io),
					       oci_block_io_fields, NULL };

#define T struct oci_cpu
static const struct field oci_cpu_fields[] = {
	F_STRING(T, cpus, "cpus", 0),
	F_STRING(T, mems, "mems", 0),
	F_UINT(T, period, "period", 0, UINT64_MAX),
	F_INT(T, quota, "quota", 0, INT64_MIN, INT64_MAX),
	F_UINT(T, burst, "burst", 0, UINT64_MAX),
	F_UINT(T, realtime_period, "realtimePeriod", 0, UINT64_MAX),
	F_INT(T, realtime_runtime, "realtimeRuntime", 0, INT64_MIN, INT64_MAX),
	F_UINT(T, shares, "shares", 0, UINT64_MAX),
	F_INT(T, idle, "idle", 0, INT64_MIN, INT64_MAX),
	F_END
};
#undef T
static const struct desc oci_cpu_desc = { "cpu", sizeof(struct oci_cpu), oci_cpu_fields, NULL };

#define T struct oci_hugepage_limit
static const struct field oci_hugepage_limit_fields[] = {
	F_STRING(T, page_size, "pageSize", REQUIRED),
	F_UINT(T, limit, "limit", REQUIRED, UINT64_MAX), F_END
};
#undef T
static const struct desc oci_hugepage_limit_desc = { "hugepage limit",
						     sizeof(struct oci_hugepage_limit),
						     oci_hugepage_limit_fields, NULL };

#define T struct oci_memory
static const struct field oci_memory_fields[] = {
	F_INT(T, kernel, "kernel", 0, -1, INT64_MAX),
	F_INT(T, kernel_tcp, "kernelTCP", 0, -1, INT64_MAX),
	F_INT(T, limit, "limit", 0, -1, INT64_MAX),
	F_INT(T, reservation, "reservation", 0, -1, INT64_MAX),
	F_INT(T, swap, "swap", 0, -1, INT64_MAX),
	F_UINT(T, swappiness, "swappiness", 0, UINT64_MAX),
	F_BOOL(T, disable_oom_killer, "disableOOMKiller", 0),
	F_BOOL(T, use_hierarchy, "useHierarchy", 0),
	F_BOOL(T, check_before_update, "checkBeforeUpdate", 0),
	F_END
};
#undef T
static const struct desc oci_memory_desc = { "memory", sizeof(struct oci_memory), oci_memory_fields,
					     NULL };

#define T struct oci_network_priority
static const struct field oci_network_priority_fields[] = {
	F_STRING(T, name, "name", REQUIRED), F_UINT(T, priority, "priority", REQUIRED, 4294967295U),
	F_END
};
#undef T
static const struct desc oci_network_priority_desc = { "network priority",
						       sizeof(struct oci_network_priority),
						       oci_network_priority_fields, NULL };

#define T struct oci_network
static const struct field oci_network_fields[] = { F_UINT(T, class_id, "classID", 0, 4294967295U),
						   F_OBJECTS(T, priorities, "priorities", 0,
							     &oci_network_priority_desc,
							     struct oci_network_priority_list),
						   F_END };
#undef T
static const struct desc oci_network_desc = { "network", sizeof(struct oci_network),
					      oci_network_fields, NULL };

#define T struct oci_rdma
static const struct field oci_rdma_fields[] = {
	F_UINT(T, hca_handles, "hcaHandles", 0, 4294967295U),
	F_UINT(T, hca_objects, "hcaObjects", 0, 4294967295U), F_END
};
#undef T
static const struct desc oci_rdma_desc = { "rdma", sizeof(struct oci_rdma), oci_rdma_fields, NULL };

#define T struct oci_resources
static const struct field oci_resources_fields[] = {
	F_PAIRS(T, unified, "unified", 0),
	F_OBJECTS(T, devices, "devices", 0, &oci_device_rule_desc, struct oci_device_rule_list),
	F_OBJECT(T, pids, "pids", 0, &oci_pids_desc, struct oci_pids),
	F_OBJECT(T, block_io, "blockIO", 0, &oci_block_io_desc, struct oci_block_io),
	F_OBJECT(T, cpu, "cpu", 0, &oci_cpu_desc, struct oci_cpu),
	F_OBJECTS(T, hugepage_limits, "hugepageLimits", 0, &oci_hugepage_limit_desc,
		  struct oci_hugepage_limit_list),
	F_OBJECT(T, memory, "memory", 0, &oci_memory_desc, struct oci_memory),
	F_OBJECT(T, network, "network", 0, &oci_network_desc, struct oci_network),
	F_NAMED(T, rdma, "rdma", 0, &oci_rdma_desc, struct oci_rdma_list),
	F_END
};
#undef T
const struct desc oci_resources_desc = { "resources", sizeof(struct oci_resources),
					 oci_resources_fields, NULL };

#define T struct oci_syscall_arg
static const struct field oci_syscall_arg_fields[] = {
	F_UINT(T, index, "index", REQUIRED, 4294967295U),
	F_UINT(T, value, "value", REQUIRED, UINT64_MAX),
	F_UINT(T, value_two, "valueTwo", 0, UINT64_MAX),
	F_ENUM(T, op, "op", REQUIRED, operator_names), F_END
};
#undef T
static const struct desc oci_syscall_arg_desc = { "syscall arg", sizeof(struct oci_syscall_arg),
						  oci_syscall_arg_fields, NULL };

#define T struct oci_syscall_rule
static const struct field oci_syscall_rule_fields[] = {
	F_STRINGS(T, names, "names", REQUIRED), F_ENUM(T, action, "action", REQUIRED, action_names),
	F_UINT(T, errno_ret, "errnoRet", 0, 4294967295U),
	F_OBJECTS(T, args, "args", 0, &oci_syscall_arg_desc, struct oci_syscall_arg_list), F_END
};
#undef T
static const struct desc oci_syscall_rule_desc = { "syscall rule", sizeof(struct oci_syscall_rule),
						   oci_syscall_rule_fields, NULL };

#define T struct oci_seccomp
static const struct field oci_seccomp_fields[] = {
	F_ENUM(T, default_action, "defaultAction", REQUIRED, action_names),
	F_UINT(T, default_errno_ret, "defaultErrnoRet", 0, 4294967295U),
	F_STRINGS(T, flags, "flags", 0),
	F_STRING(T, listener_path, "listenerPath", 0),
	F_STRING(T, listener_metadata, "listenerMetadata", 0),
	F_STRINGS(T, architectures, "architectures", 0),
	F_OBJECTS(T, syscalls, "syscalls", 0, &oci_syscall_rule_desc, struct oci_syscall_rule_list),
	F_END
};
#undef T
const struct desc oci_seccomp_desc = { "seccomp", sizeof(struct oci_seccomp), oci_seccomp_fields,
				       NULL };

#define T struct oci_intel_rdt
static const struct field oci_intel_rdt_fields[] = {
	F_STRING(T, clos_id, "closID", 0),
	F_STRINGS(T, schemata, "schemata", 0),
	F_STRING(T, l3_cache_schema, "l3CacheSchema", 0),
	F_STRING(T, mem_bw_schema, "memBwSchema", 0),
	F_BOOL(T, enable_monitoring, "enableMonitoring", 0),
	F_END
};
#undef T
static const struct desc oci_intel_rdt_desc = { "intel rdt", sizeof(struct oci_intel_rdt),
						oci_intel_rdt_fields, NULL };

#define T struct oci_memory_policy
static const struct field oci_memory_policy_fields[] = {
	F_ENUM(T, mode, "mode", 0, memory_policy_mode_names), F_STRING(T, nodes, "nodes", 0),
	F_STRINGS(T, flags, "flags", 0), F_END
};
#undef T
static const struct desc oci_memory_policy_desc = { "memory policy",
						    sizeof(struct oci_memory_policy),
						    oci_memory_policy_fields, NULL };

#define T struct oci_personality
static const struct field oci_personality_fields[] = { F_ENUM(T, domain, "domain", 0,
							      personality_domain_names),
						       F_STRINGS(T, flags, "flags", 0), F_END };
#undef T
static const struct desc oci_personality_desc = { "personality", sizeof(struct oci_personality),
						  oci_personality_fields, NULL };

#define T struct oci_time_offset
static const struct field oci_time_offset_fields[] = {
	F_INT(T, secs, "secs", 0, INT64_MIN, INT64_MAX),
	F_UINT(T, nanosecs, "nanosecs", 0, 4294967295U), F_END
};
#undef T
static const struct desc oci_time_offset_desc = { "time offset", sizeof(struct oci_time_offset),
						  oci_time_offset_fields, NULL };

#define T struct oci_linux
static const struct field oci_linux_fields[] = {
	F_OBJECTS(T, devices, "devices", 0, &oci_device_desc, struct oci_device_list),
	F_NAMED(T, net_devices, "netDevices", 0, &oci_net_device_desc, struct oci_net_device_list),
	F_OBJECTS(T, uid_mappings, "uidMappings", 0, &oci_id_mapping_desc,
		  struct oci_id_mapping_list),
	F_OBJECTS(T, gid_mappings, "gidMappings", 0, &oci_id_mapping_desc,
		  struct oci_id_mapping_list),
	F_OBJECTS(T, namespaces, "namespaces", 0, &oci_namespace_desc, struct oci_namespace_list),
	F_OBJECT(T, resources, "resources", 0, &oci_resources_desc, struct oci_resources),
	F_STRING(T, cgroups_path, "cgroupsPath", 0),
	F_ENUM(T, rootfs_propagation, "rootfsPropagation", 0, propagation_names),
	F_OBJECT(T, seccomp, "seccomp", 0, &oci_seccomp_desc, struct oci_seccomp),
	F_PAIRS(T, sysctl, "sysctl", 0),
	F_STRINGS(T, masked_paths, "maskedPaths", 0),
	F_STRINGS(T, readonly_paths, "readonlyPaths", 0),
	F_STRING(T, mount_label, "mountLabel", 0),
	F_OBJECT(T, intel_rdt, "intelRdt", 0, &oci_intel_rdt_desc, struct oci_intel_rdt),
	F_OBJECT(T, memory_policy, "memoryPolicy", 0, &oci_memory_policy_desc,
		 struct oci_memory_policy),
	F_OBJECT(T, personality, "personality", 0, &oci_personality_desc, struct oci_personality),
	F_NAMED(T, time_offsets, "timeOffsets", 0, &oci_time_offset_desc,
		struct oci_time_offset_list),
	F_END
};
#undef T
static const struct desc oci_linux_desc = { "linux", sizeof(struct oci_linux), oci_linux_fields,
					    NULL };

#define T struct oci_vm_hypervisor
static const struct field oci_vm_hypervisor_fields[] = { F_STRING(T, path, "path", REQUIRED),
							 F_STRINGS(T, parameters, "parameters", 0),
							 F_END };
#undef T
static const struct desc oci_vm_hypervisor_desc = { "vm hypervisor",
						    sizeof(struct oci_vm_hypervisor),
						    oci_vm_hypervisor_fields, NULL };

#define T struct oci_vm_kernel
static const struct field oci_vm_kernel_fields[] = { F_STRING(T, path, "path", REQUIRED),
						     F_STRINGS(T, parameters, "parameters", 0),
						     F_STRING(T, initrd, "initrd", 0), F_END };
#undef T
static const struct desc oci_vm_kernel_desc = { "vm kernel", sizeof(struct oci_vm_kernel),
						oci_vm_kernel_fields, NULL };

#define T struct oci_vm_image
static const struct field oci_vm_image_fields[] = { F_STRING(T, path, "path", REQUIRED),
						    F_STRING(T, format, "format", REQUIRED),
						    F_END };
#undef T
static const struct desc oci_vm_image_desc = { "vm image", sizeof(struct oci_vm_image),
					       oci_vm_image_fields, NULL };

#define T struct oci_vm_iomem
static const struct field oci_vm_iomem_fields[] = {
	F_UINT(T, first_gfn, "firstGFN", 0, UINT64_MAX),
	F_UINT(T, first_mfn, "firstMFN", REQUIRED, UINT64_MAX),
	F_UINT(T, nr_mfns, "nrMFNs", REQUIRED, UINT64_MAX), F_END
};
#undef T
static const struct desc oci_vm_iomem_desc = { "vm iomem", sizeof(struct oci_vm_iomem),
					       oci_vm_iomem_fields, NULL };

#define T struct oci_vm_hw_config
static const struct field oci_vm_hw_config_fields[] = {
	F_STRING(T, device_tree, "deviceTree", 0),
	F_UINT(T, vcpus, "vcpus", 0, UINT32_MAX),
	F_UINT(T, memory, "memory", 0, UINT64_MAX),
	F_STRINGS(T, dtdevs, "dtdevs", 0),
	F_OBJECTS(T, iomems, "iomems", 0, &oci_vm_iomem_desc, struct oci_vm_iomem_list),
	F_UINTS(T, irqs, "irqs", 0, UINT32_MAX),
	F_END
};
#undef T
static const struct desc oci_vm_hw_config_desc = { "vm hw config", sizeof(struct oci_vm_hw_config),
						   oci_vm_hw_config_fields, NULL };

#define T struct oci_vm
static const struct field oci_vm_fields[] = {
	F_OBJECT(T, hypervisor, "hypervisor", 0, &oci_vm_hypervisor_desc, struct oci_vm_hypervisor),
	F_OBJECT(T, kernel, "kernel", REQUIRED, &oci_vm_kernel_desc, struct oci_vm_kernel),
	F_OBJECT(T, image, "image", 0, &oci_vm_image_desc, struct oci_vm_image),
	F_OBJECT(T, hw_config, "hwConfig", 0, &oci_vm_hw_config_desc, struct oci_vm_hw_config),
	F_END
};
#undef T
static const struct desc oci_vm_desc = { "vm", sizeof(struct oci_vm), oci_vm_fields, NULL };

#define T struct oci_config
static const struct field oci_config_fields[] = {
	F_STRING(T, oci_version, "ociVersion", REQUIRED),
	F_OBJECT(T, hooks, "hooks", 0, &oci_hooks_desc, struct oci_hooks),
	F_PAIRS(T, annotations, "annotations", 0),
	F_STRING(T, hostname, "hostname", 0),
	F_STRING(T, domainname, "domainname", 0),
	F_OBJECTS(T, mounts, "mounts", 0, &oci_mount_desc, struct oci_mount_list),
	F_OBJECT(T, root, "root", 0, &oci_root_desc, struct oci_root),
	F_OBJECT(T, process, "process", 0, &oci_process_desc, struct oci_process),
	F_OBJECT(T, linux_, "linux", 0, &oci_linux_desc, struct oci_linux),
	F_OBJECT(T, vm, "vm", 0, &oci_vm_desc, struct oci_vm),
	F_END
};
#undef T
const struct desc oci_config_desc = { "config", sizeof(struct oci_config), oci_config_fields,
				      NULL };
