/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/dump.h"

#include <inttypes.h>
#include <stdarg.h>
#include <sys/sysmacros.h>

#include "base/scope.h"

/* A name and its value, of which control characters are written as \xHH; NULL: no line. */
__attribute__((format(printf, 3, 4))) static void line(FILE *out, const char *text, const char *fmt,
						       ...)
{
	va_list ap;

	if (!text)
		return;
	va_start(ap, fmt);
	(void)vfprintf(out, fmt, ap);
	va_end(ap);
	(void)putc(' ', out);
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == '\\')
			(void)fprintf(out, "\\x%02x", (unsigned char)*text);
		else
			(void)putc(*text, out);
	(void)putc('\n', out);
}

static void flag(FILE *out, const char *name, bool value)
{
	if (value)
		(void)fprintf(out, "%s yes\n", name);
}

static void bits(FILE *out, const char *name, uint64_t value)
{
	if (value)
		(void)fprintf(out, "%s 0x%" PRIx64 "\n", name, value);
}

static void texts(FILE *out, const char *name, const char *const *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		line(out, at[i], "%s[%zu]", name, i);
}

static void vector(FILE *out, const char *name, char *const *at)
{
	for (size_t i = 0; at && at[i]; i++)
		line(out, at[i], "%s[%zu]", name, i);
}

static void id_map(FILE *out, const char *name, const struct id_map *map)
{
	for (size_t i = 0; i < map->len; i++)
		(void)fprintf(out, "%s[%zu] %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", name, i,
			      map->at[i].inside, map->at[i].outside, map->at[i].count);
}

static void dump_namespaces(FILE *out, const struct plan *plan)
{
	static const char *const how[] = {
		[NS_INHERIT] = NULL, [NS_NEW] = "new", [NS_JOIN] = "join"
	};

	for (size_t i = 0; i < NS_KINDS; i++) {
		const struct ns_request *request = &plan->ns.of[i];

		line(out, how[request->how], "ns.%s", ns_info[i].oci);
		line(out, request->path, "ns.%s.path", ns_info[i].oci);
	}
	line(out, plan->ns.time_offsets, "ns.time_offsets");
	id_map(out, "idmap.uid", &plan->idmap.uid);
	id_map(out, "idmap.gid", &plan->idmap.gid);
	flag(out, "idmap.deny_setgroups", plan->idmap.deny_setgroups);
	flag(out, "idmap.use_helpers", plan->idmap.use_helpers);
}

static void dump_net_devices(FILE *out, const struct plan *plan)
{
	for (size_t i = 0; i < plan->netdevs_len; i++)
		line(out, plan->netdevs[i].new_name, "netdevs.%s", plan->netdevs[i].name);
}

static void dump_mount_attributes(FILE *out, const char *name, const struct mount_plan *mount)
{
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = {
		{ "attr_set", mount->attr_set },
		{ "attr_clr", mount->attr_clr },
		{ "recursive_set", mount->recursive_set },
		{ "recursive_clr", mount->recursive_clr },
		{ "recursive", mount->recursive },
		{ "read_only_late", mount->read_only_late },
		{ "copy_up", mount->copy_up },
		{ "plain_destination", mount->plain_destination },
		{ "source_no_follow", mount->source_no_follow },
		{ "copy_symlink", mount->copy_symlink },
		{ "destination_no_follow", mount->destination_no_follow },
		{ "idmap", mount->idmap },
		{ "idmap_recursive", mount->idmap_recursive },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].value)
			(void)fprintf(out, "%s.%s 0x%" PRIx64 "\n", name, rows[i].name,
				      rows[i].value);
	for (size_t i = 0; i < ARRAY_LEN(mount->propagation) && mount->propagation[i]; i++)
		(void)fprintf(out, "%s.propagation[%zu] 0x%lx\n", name, i, mount->propagation[i]);
}

static void dump_mount(FILE *out, size_t i, const struct mount_plan *mount)
{
	static const char *const kinds[] = {
		[MOUNT_FS] = "fs", [MOUNT_BIND] = "bind", [MOUNT_CGROUP] = "cgroup"
	};
	char name[64];

	(void)snprintf(name, sizeof(name), "rootfs.mounts[%zu]", i);
	line(out, kinds[mount->kind], "%s.kind", name);
	line(out, mount->source, "%s.source", name);
	line(out, mount->source_inside, "%s.source_inside", name);
	line(out, mount->destination, "%s.destination", name);
	line(out, mount->type, "%s.type", name);
	dump_mount_attributes(out, name, mount);
	for (size_t k = 0; k < mount->data_len; k++) {
		const struct mount_datum *datum = &mount->data[k];

		if (datum->value)
			line(out, datum->value, "%s.data[%zu] %s", name, k, datum->key);
		else
			line(out, datum->key, "%s.data[%zu]", name, k);
	}
	(void)snprintf(name, sizeof(name), "rootfs.mounts[%zu].uid_map", i);
	id_map(out, name, &mount->uid_map);
	(void)snprintf(name, sizeof(name), "rootfs.mounts[%zu].gid_map", i);
	id_map(out, name, &mount->gid_map);
}

static void dump_rootfs(FILE *out, const struct rootfs_plan *rootfs)
{
	line(out, rootfs->path, "rootfs.path");
	flag(out, "rootfs.read_only", rootfs->read_only);
	flag(out, "rootfs.no_pivot", rootfs->no_pivot);
	bits(out, "rootfs.propagation", rootfs->propagation);
	line(out, rootfs->mount_label, "rootfs.mount_label");
	line(out, rootfs->cgroup_source, "rootfs.cgroup_source");
	for (size_t i = 0; i < rootfs->mounts_len; i++)
		dump_mount(out, i, &rootfs->mounts[i]);
	flag(out, "rootfs.make_devices", rootfs->make_devices);
	for (size_t i = 0; i < rootfs->devices_len; i++) {
		const struct device_plan *device = &rootfs->devices[i];

		(void)fprintf(out, "rootfs.devices[%zu] %s 0%o %u:%u %u:%u\n", i, device->path,
			      (unsigned)device->mode, major(device->number), minor(device->number),
			      (unsigned)device->uid, (unsigned)device->gid);
	}
	texts(out, "rootfs.masked", rootfs->masked, rootfs->masked_len);
	texts(out, "rootfs.read_only_paths", rootfs->read_only_paths, rootfs->read_only_paths_len);
}

static void dump_cgroup(FILE *out, const struct cgroup_plan *cgroup)
{
	line(out, cgroup_manager_name[cgroup->manager], "cgroup.manager");
	line(out, cgroup->path, "cgroup.path");
	flag(out, "cgroup.may_be_without", cgroup->may_be_without);
	flag(out, "cgroup.delegate", cgroup->delegate);
	for (size_t i = 0; i < cgroup->writes_len; i++)
		line(out, cgroup->writes[i].value, "cgroup.writes[%zu] %s", i,
		     cgroup->writes[i].file);
	flag(out, "cgroup.restrict_devices", cgroup->restrict_devices);
	for (size_t i = 0; i < cgroup->device_rules_len; i++) {
		const struct device_rule *rule = &cgroup->device_rules[i];

		(void)fprintf(out, "cgroup.device_rules[%zu] %s %c %" PRId64 ":%" PRId64 " 0x%x\n",
			      i, rule->allow ? "allow" : "deny", rule->type, rule->major,
			      rule->minor, rule->access);
	}
}

static void dump_ids(FILE *out, const struct process_plan *process)
{
	static const char *const sets[] = { [CAPS_BOUNDING] = "bounding",
					    [CAPS_EFFECTIVE] = "effective",
					    [CAPS_PERMITTED] = "permitted",
					    [CAPS_INHERITABLE] = "inheritable",
					    [CAPS_AMBIENT] = "ambient" };

	(void)fprintf(out, "process.uid %" PRIu32 "\nprocess.gid %" PRIu32 "\n", process->uid,
		      process->gid);
	for (size_t i = 0; i < process->groups_len; i++)
		(void)fprintf(out, "process.groups[%zu] %u\n", i, (unsigned)process->groups[i]);
	flag(out, "process.keep_groups", process->keep_groups);
	flag(out, "process.groups_denied", process->groups_denied);
	(void)fprintf(out, "process.umask 0%o\n", (unsigned)process->umask);
	for (size_t i = 0; i < CAPS_SETS; i++)
		(void)fprintf(out, "process.caps.%s 0x%" PRIx64 "\n", sets[i], process->caps[i]);
	flag(out, "process.no_new_privs", process->no_new_privs);
}

static void dump_schedule(FILE *out, const struct process_plan *process)
{
	const struct process_schedule *s = &process->schedule;

	if (process->oom_score_adj.set)
		(void)fprintf(out, "process.oom_score_adj %d\n", process->oom_score_adj.value);
	if (s->set)
		(void)fprintf(out,
			      "process.schedule %" PRIu32 " nice %" PRId32 " priority %" PRIu32
			      " flags 0x%" PRIx64 " ns %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			      s->policy, s->nice, s->priority, s->flags, s->runtime_ns,
			      s->deadline_ns, s->period_ns);
	if (process->io_priority.set)
		(void)fprintf(out, "process.io_priority 0x%x\n",
			      (unsigned)process->io_priority.value);
	if (process->memory_policy.set)
		(void)fprintf(out, "process.memory_policy.mode 0x%x\n",
			      (unsigned)process->memory_policy.mode);
	if (process->personality.set)
		(void)fprintf(out, "process.personality 0x%lx\n", process->personality.value);
	line(out, process->exec_affinity_initial, "process.exec_affinity_initial");
	line(out, process->exec_affinity_final, "process.exec_affinity_final");
}

static void dump_process(FILE *out, const struct process_plan *process)
{
	vector(out, "process.argv", process->argv);
	vector(out, "process.envp", process->envp);
	line(out, process->cwd, "process.cwd");
	dump_ids(out, process);
	for (size_t i = 0; i < process->rlimits_len; i++)
		(void)fprintf(out, "process.rlimits[%zu] %s %" PRIu64 " %" PRIu64 "\n", i,
			      process->rlimits[i].name, process->rlimits[i].soft,
			      process->rlimits[i].hard);
	dump_schedule(out, process);
	line(out, process->selinux_label, "process.selinux_label");
	line(out, process->apparmor_profile, "process.apparmor_profile");
	flag(out, "process.terminal", process->terminal);
	if (process->console_size_set)
		(void)fprintf(out, "process.console_size %hux%hu\n", process->console_width,
			      process->console_height);
}

static void dump_hooks(FILE *out, const struct hooks_plan *hooks)
{
	for (size_t kind = 0; kind < HOOK_KINDS; kind++)
		for (size_t i = 0; i < hooks->of[kind].len; i++) {
			const struct hook *hook = &hooks->of[kind].at[i];
			char name[64];

			(void)snprintf(name, sizeof(name), "hooks.%s[%zu]", hook_kind_name[kind],
				       i);
			line(out, hook->path, "%s.path", name);
			for (size_t k = 0; hook->argv && hook->argv[k]; k++)
				line(out, hook->argv[k], "%s.argv[%zu]", name, k);
			for (size_t k = 0; hook->envp && hook->envp[k]; k++)
				line(out, hook->envp[k], "%s.envp[%zu]", name, k);
			(void)fprintf(out, "%s.timeout_ms %d\n", name, hook->timeout_ms);
		}
	line(out, hooks->stdout_path, "hooks.stdout_path");
	line(out, hooks->stderr_path, "hooks.stderr_path");
}

void plan_dump(FILE *out, const struct plan *plan)
{
	line(out, plan->id, "id");
	line(out, plan->hostname, "hostname");
	line(out, plan->domainname, "domainname");
	flag(out, "no_new_keyring", plan->no_new_keyring);
	dump_namespaces(out, plan);
	dump_net_devices(out, plan);
	dump_rootfs(out, &plan->rootfs);
	dump_cgroup(out, &plan->cgroup);
	dump_process(out, &plan->process);
	for (size_t i = 0; i < plan->sysctl.len; i++)
		line(out, plan->sysctl.at[i].value, "sysctl %s", plan->sysctl.at[i].path);
	flag(out, "seccomp.filter", plan->seccomp.len);
	bits(out, "seccomp.flags", plan->seccomp.flags);
	flag(out, "seccomp.notify", plan->seccomp.notify);
	line(out, plan->seccomp.listener_path, "seccomp.listener_path");
	line(out, plan->seccomp.listener_metadata, "seccomp.listener_metadata");
	dump_hooks(out, &plan->hooks);
}
