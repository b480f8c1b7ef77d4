/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * oci-config - config.json as C structs: runtime-spec 1.3, config.md, config-linux.md
 * and config-vm.md.  Each mirrors the JSON object of its name.
 */
#ifndef OCISPEC_OCI_CONFIG_H
#define OCISPEC_OCI_CONFIG_H
#include "desc.h"

/* Values of members that are words, in the order of their names in oci-config.c. */
enum oci_io_class {
	OCI_IO_RT,
	OCI_IO_BE,
	OCI_IO_IDLE,
};
enum oci_scheduler_policy {
	OCI_SCHED_OTHER,
	OCI_SCHED_FIFO,
	OCI_SCHED_RR,
	OCI_SCHED_BATCH,
	OCI_SCHED_ISO,
	OCI_SCHED_IDLE,
	OCI_SCHED_DEADLINE,
};
enum oci_namespace_type {
	OCI_NS_MOUNT,
	OCI_NS_PID,
	OCI_NS_NETWORK,
	OCI_NS_UTS,
	OCI_NS_IPC,
	OCI_NS_USER,
	OCI_NS_CGROUP,
	OCI_NS_TIME,
};
enum oci_propagation {
	OCI_PRIVATE,
	OCI_SHARED,
	OCI_SLAVE,
	OCI_UNBINDABLE,
	OCI_RPRIVATE,
	OCI_RSHARED,
	OCI_RSLAVE,
	OCI_RUNBINDABLE,
};
enum oci_seccomp_action {
	OCI_ACT_KILL,
	OCI_ACT_KILL_PROCESS,
	OCI_ACT_KILL_THREAD,
	OCI_ACT_TRAP,
	OCI_ACT_ERRNO,
	OCI_ACT_TRACE,
	OCI_ACT_ALLOW,
	OCI_ACT_LOG,
	OCI_ACT_NOTIFY,
};
enum oci_seccomp_operator {
	OCI_CMP_NE,
	OCI_CMP_LT,
	OCI_CMP_LE,
	OCI_CMP_EQ,
	OCI_CMP_GE,
	OCI_CMP_GT,
	OCI_CMP_MASKED_EQ,
};
enum oci_memory_policy_mode {
	OCI_MPOL_DEFAULT,
	OCI_MPOL_BIND,
	OCI_MPOL_INTERLEAVE,
	OCI_MPOL_WEIGHTED_INTERLEAVE,
	OCI_MPOL_PREFERRED,
	OCI_MPOL_PREFERRED_MANY,
	OCI_MPOL_LOCAL,
};
enum oci_personality_domain {
	OCI_LINUX,
	OCI_LINUX32,
};

struct oci_hook {
	char *path;
	struct str_list args;
	struct str_list env;
	struct opt_int timeout; /* seconds */
};

struct oci_hook_list {
	struct oci_hook *at;
	size_t len;
};
struct oci_hooks {
	struct oci_hook_list prestart;
	struct oci_hook_list create_runtime;
	struct oci_hook_list create_container;
	struct oci_hook_list start_container;
	struct oci_hook_list poststart;
	struct oci_hook_list poststop;
};

struct oci_id_mapping {
	struct opt_uint container_id;
	struct opt_uint host_id;
	struct opt_uint size;
};

struct oci_id_mapping_list {
	struct oci_id_mapping *at;
	size_t len;
};
struct oci_mount {
	char *source;
	char *destination;
	struct str_list options;
	char *type;
	struct oci_id_mapping_list uid_mappings;
	struct oci_id_mapping_list gid_mappings;
};

struct oci_root {
	char *path;
	struct opt_bool readonly;
};

struct oci_console_size {
	struct opt_uint height;
	struct opt_uint width;
};

struct oci_user {
	struct opt_uint uid;
	struct opt_uint gid;
	struct opt_uint umask;
	struct uint_list additional_gids;
	char *username;
};

struct oci_capabilities {
	struct str_list bounding;
	struct str_list permitted;
	struct str_list effective;
	struct str_list inheritable;
	struct str_list ambient;
};

struct oci_io_priority {
	struct opt_int class;
	struct opt_int priority;
};

struct oci_scheduler {
	struct opt_int policy;
	struct opt_int nice;
	struct opt_int priority;
	struct str_list flags;
	struct opt_uint runtime;
	struct opt_uint deadline;
	struct opt_uint period;
};

struct oci_rlimit {
	struct opt_uint hard;
	struct opt_uint soft;
	char *type;
};

struct oci_cpu_affinity {
	char *initial;
	char *final;
};

struct oci_rlimit_list {
	struct oci_rlimit *at;
	size_t len;
};
struct oci_process {
	struct str_list args;
	char *command_line;
	struct oci_console_size *console_size;
	char *cwd;
	struct str_list env;
	struct opt_bool terminal;
	struct oci_user *user;
	struct oci_capabilities *capabilities;
	char *apparmor_profile;
	struct opt_int oom_score_adj;
	char *selinux_label;
	struct oci_io_priority *io_priority;
	struct opt_bool no_new_privileges;
	struct oci_scheduler *scheduler;
	struct oci_rlimit_list rlimits;
	struct oci_cpu_affinity *exec_cpu_affinity;
};

struct oci_device {
	char *type;
	char *path;
	struct opt_uint file_mode;
	struct opt_int major;
	struct opt_int minor;
	struct opt_uint uid;
	struct opt_uint gid;
};

struct oci_net_device {
	char *key; /* its JSON member name */
	char *name;
};

struct oci_namespace {
	struct opt_int type;
	char *path;
};

struct oci_device_rule {
	struct opt_bool allow;
	char *type;
	struct opt_int major;
	struct opt_int minor;
	char *access;
};

struct oci_pids {
	struct opt_int limit;
};

struct oci_throttle_device {
	struct opt_int major;
	struct opt_int minor;
	struct opt_uint rate;
};

struct oci_weight_device {
	struct opt_int major;
	struct opt_int minor;
	struct opt_uint weight;
	struct opt_uint leaf_weight;
};

struct oci_throttle_device_list {
	struct oci_throttle_device *at;
	size_t len;
};
struct oci_weight_device_list {
	struct oci_weight_device *at;
	size_t len;
};
struct oci_block_io {
	struct opt_uint weight;
	struct opt_uint leaf_weight;
	struct oci_throttle_device_list throttle_read_bps_device;
	struct oci_throttle_device_list throttle_write_bps_device;
	struct oci_throttle_device_list throttle_read_iops_device;
	struct oci_throttle_device_list throttle_write_iops_device;
	struct oci_weight_device_list weight_device;
};

struct oci_cpu {
	char *cpus;
	char *mems;
	struct opt_uint period;
	struct opt_int quota;
	struct opt_uint burst;
	struct opt_uint realtime_period;
	struct opt_int realtime_runtime;
	struct opt_uint shares;
	struct opt_int idle;
};

struct oci_hugepage_limit {
	char *page_size;
	struct opt_uint limit;
};

struct oci_memory {
	struct opt_int kernel;
	struct opt_int kernel_tcp;
	struct opt_int limit;
	struct opt_int reservation;
	struct opt_int swap;
	struct opt_uint swappiness;
	struct opt_bool disable_oom_killer;
	struct opt_bool use_hierarchy;
	struct opt_bool check_before_update;
};

struct oci_network_priority {
	char *name;
	struct opt_uint priority;
};

struct oci_network_priority_list {
	struct oci_network_priority *at;
	size_t len;
};
struct oci_network {
	struct opt_uint class_id;
	struct oci_network_priority_list priorities;
};

struct oci_rdma {
	char *key; /* its JSON member name */
	struct opt_uint hca_handles;
	struct opt_uint hca_objects;
};

struct oci_device_rule_list {
	struct oci_device_rule *at;
	size_t len;
};
struct oci_hugepage_limit_list {
	struct oci_hugepage_limit *at;
	size_t len;
};
struct oci_rdma_list {
	struct oci_rdma *at;
	size_t len;
};
struct oci_resources {
	struct pair_list unified;
	struct oci_device_rule_list devices;
	struct oci_pids *pids;
	struct oci_block_io *block_io;
	struct oci_cpu *cpu;
	struct oci_hugepage_limit_list hugepage_limits;
	struct oci_memory *memory;
	struct oci_network *network;
	struct oci_rdma_list rdma;
};

struct oci_syscall_arg {
	struct opt_uint index;
	struct opt_uint value;
	struct opt_uint value_two;
	struct opt_int op;
};

struct oci_syscall_arg_list {
	struct oci_syscall_arg *at;
	size_t len;
};
struct oci_syscall_rule {
	struct str_list names;
	struct opt_int action;
	struct opt_uint errno_ret;
	struct oci_syscall_arg_list args;
};

struct oci_syscall_rule_list {
	struct oci_syscall_rule *at;
	size_t len;
};
struct oci_seccomp {
	struct opt_int default_action;
	struct opt_uint default_errno_ret;
	struct str_list flags;
	char *listener_path;
	char *listener_metadata;
	struct str_list architectures;
	struct oci_syscall_rule_list syscalls;
};

struct oci_intel_rdt {
	char *clos_id;
	struct str_list schemata;
	char *l3_cache_schema;
	char *mem_bw_schema;
	struct opt_bool enable_monitoring;
};

struct oci_memory_policy {
	struct opt_int mode;
	char *nodes;
	struct str_list flags;
};

struct oci_personality {
	struct opt_int domain;
	struct str_list flags;
};

struct oci_time_offset {
	char *key; /* the clock: its JSON member name */
	struct opt_int secs;
	struct opt_uint nanosecs;
};

struct oci_time_offset_list {
	struct oci_time_offset *at;
	size_t len;
};

struct oci_device_list {
	struct oci_device *at;
	size_t len;
};
struct oci_net_device_list {
	struct oci_net_device *at;
	size_t len;
};
struct oci_namespace_list {
	struct oci_namespace *at;
	size_t len;
};
struct oci_linux {
	struct oci_device_list devices;
	struct oci_net_device_list net_devices;
	struct oci_id_mapping_list uid_mappings;
	struct oci_id_mapping_list gid_mappings;
	struct oci_namespace_list namespaces;
	struct oci_resources *resources;
	char *cgroups_path;
	struct opt_int rootfs_propagation;
	struct oci_seccomp *seccomp;
	struct pair_list sysctl;
	struct str_list masked_paths;
	struct str_list readonly_paths;
	char *mount_label;
	struct oci_intel_rdt *intel_rdt;
	struct oci_memory_policy *memory_policy;
	struct oci_personality *personality;
	struct oci_time_offset_list time_offsets;
};

struct oci_mount_list {
	struct oci_mount *at;
	size_t len;
};

struct oci_vm_hypervisor {
	char *path;
	struct str_list parameters;
};

struct oci_vm_kernel {
	char *path;
	struct str_list parameters;
	char *initrd;
};

struct oci_vm_image {
	char *path;
	char *format;
};

struct oci_vm_iomem {
	struct opt_uint first_gfn;
	struct opt_uint first_mfn;
	struct opt_uint nr_mfns;
};
struct oci_vm_iomem_list {
	struct oci_vm_iomem *at;
	size_t len;
};

struct oci_vm_hw_config {
	char *device_tree;
	struct opt_uint vcpus;
	struct opt_uint memory; /* bytes */
	struct str_list dtdevs;
	struct oci_vm_iomem_list iomems;
	struct uint_list irqs;
};

struct oci_vm {
	struct oci_vm_hypervisor *hypervisor;
	struct oci_vm_kernel *kernel;
	struct oci_vm_image *image;
	struct oci_vm_hw_config *hw_config;
};

struct oci_config {
	char *oci_version;
	struct oci_hooks *hooks;
	struct pair_list annotations;
	char *hostname;
	char *domainname;
	struct oci_mount_list mounts;
	struct oci_root *root;
	struct oci_process *process;
	struct oci_linux *linux_; /* "linux" is a macro in GNU C */
	struct oci_vm *vm;
};

extern const struct desc oci_config_desc;
extern const struct desc oci_process_desc;   /* exec --process */
extern const struct desc oci_resources_desc; /* update --resources */
extern const struct desc oci_seccomp_desc;   /* the key of the filter cache */
#endif
