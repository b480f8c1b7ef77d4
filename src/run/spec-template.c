/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/spec-template.h"

#include <ocispec.h>

#include "base/scope.h"
#include "base/str.h"

/* Constant text where the documents' structs, which are filled by a reader, hold none. */
#define WORD(text) ((char *)(text))
#define WORDS(...)                                                                    \
	{                                                                             \
		(char **)(const char *const[]){ __VA_ARGS__ },                        \
			sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *) \
	}

static const struct str_list args = WORDS("sh");
static const struct str_list env =
	WORDS("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TERM=xterm");
static const struct str_list capabilities =
	WORDS("CAP_AUDIT_WRITE", "CAP_KILL", "CAP_NET_BIND_SERVICE");
static const struct str_list masked_paths =
	WORDS("/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats",
	      "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug", "/sys/firmware",
	      "/sys/devices/virtual/powercap", "/proc/scsi");
static const struct str_list readonly_paths =
	WORDS("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

#define MOUNT(to, kind, from, ...)                                                 \
	{                                                                          \
		.destination = WORD(to), .type = WORD(kind), .source = WORD(from), \
		.options = __VA_ARGS__                                             \
	}

static const struct oci_mount mount_table[] = {
	MOUNT("/proc", "proc", "proc", { 0 }),
	MOUNT("/dev", "tmpfs", "tmpfs", WORDS("nosuid", "strictatime", "mode=755", "size=65536k")),
	/* gid= comes last: it goes where group tty is not mapped */
	MOUNT("/dev/pts", "devpts", "devpts",
	      WORDS("nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5")),
	MOUNT("/dev/shm", "tmpfs", "shm",
	      WORDS("nosuid", "noexec", "nodev", "mode=1777", "size=65536k")),
	MOUNT("/dev/mqueue", "mqueue", "mqueue", WORDS("nosuid", "noexec", "nodev")),
	MOUNT("/sys", "sysfs", "sysfs", WORDS("nosuid", "noexec", "nodev", "ro")),
	MOUNT("/sys/fs/cgroup", "cgroup", "cgroup",
	      WORDS("nosuid", "noexec", "nodev", "relatime", "ro")),
};

/* sysfs belongs to the owner of the network namespace, here: the host */
static const struct oci_mount host_sys =
	MOUNT("/sys", "none", "/sys", WORDS("rbind", "nosuid", "noexec", "nodev", "ro"));

static const enum oci_namespace_type namespaces[] = { OCI_NS_PID, OCI_NS_NETWORK, OCI_NS_IPC,
						      OCI_NS_UTS, OCI_NS_MOUNT,	  OCI_NS_CGROUP };
static const enum oci_namespace_type rootless_namespaces[] = { OCI_NS_PID,    OCI_NS_IPC,
							       OCI_NS_UTS,    OCI_NS_MOUNT,
							       OCI_NS_CGROUP, OCI_NS_USER };

static struct opt_uint number(uint64_t value)
{
	return (struct opt_uint){ true, value };
}

static void fill_mounts(struct oci_mount mounts[ARRAY_LEN(mount_table)], bool rootless)
{
	for (size_t i = 0; i < ARRAY_LEN(mount_table); i++) {
		struct oci_mount *mount = &mounts[i];
		struct str_list *options = &mount->options;

		*mount = mount_table[i];
		if (!rootless)
			continue;
		if (str_eq(mount->destination, host_sys.destination))
			*mount = host_sys;
		else if (options->len && str_after(options->at[options->len - 1], "gid="))
			options->len--;
	}
}

static void fill_namespaces(struct oci_namespace *at, const enum oci_namespace_type *types)
{
	for (size_t i = 0; i < ARRAY_LEN(namespaces); i++)
		at[i] = (struct oci_namespace){ .type = { true, types[i] } };
}

static void write_config(FILE *out, struct oci_linux *linux_part, struct oci_mount *mounts)
{
	struct oci_user user = { .uid = number(0), .gid = number(0) };
	struct oci_capabilities caps = { .bounding = capabilities,
					 .effective = capabilities,
					 .permitted = capabilities };
	struct oci_rlimit rlimit = { .type = WORD("RLIMIT_NOFILE"),
				     .hard = number(1024),
				     .soft = number(1024) };
	struct oci_process process = { .terminal = { true, true },
				       .user = &user,
				       .args = args,
				       .env = env,
				       .cwd = WORD("/"),
				       .capabilities = &caps,
				       .rlimits = { &rlimit, 1 },
				       .no_new_privileges = { true, true } };
	struct oci_root root = { .path = WORD("rootfs"), .readonly = { true, true } };
	const struct oci_config config = { .oci_version = WORD(OCISPEC_VERSION),
					   .process = &process,
					   .root = &root,
					   .hostname = WORD("rung"),
					   .mounts = { mounts, ARRAY_LEN(mount_table) },
					   .linux_ = linux_part };

	ocispec_write_pretty(out, &oci_config_desc, &config);
	(void)fputc('\n', out);
}

void spec_template_write(FILE *out, const struct spec_owner *rootless)
{
	struct oci_device_rule deny = { .allow = { true, false }, .access = WORD("rwm") };
	struct oci_resources resources = { .devices = { &deny, 1 } };
	struct oci_id_mapping uid = { .container_id = number(0), .size = number(1) }, gid = uid;
	struct oci_namespace at[ARRAY_LEN(namespaces)];
	struct oci_mount mounts[ARRAY_LEN(mount_table)];
	struct oci_linux linux_part = { .namespaces = { at, ARRAY_LEN(namespaces) },
					.masked_paths = masked_paths,
					.readonly_paths = readonly_paths };

	_Static_assert(ARRAY_LEN(namespaces) == ARRAY_LEN(rootless_namespaces), "one array");
	fill_mounts(mounts, rootless);
	fill_namespaces(at, rootless ? rootless_namespaces : namespaces);
	if (rootless) {
		uid.host_id = number(rootless->uid);
		gid.host_id = number(rootless->gid);
		linux_part.uid_mappings = (struct oci_id_mapping_list){ &uid, 1 };
		linux_part.gid_mappings = (struct oci_id_mapping_list){ &gid, 1 };
	} else {
		linux_part.resources = &resources;
	}
	write_config(out, &linux_part, mounts);
}
