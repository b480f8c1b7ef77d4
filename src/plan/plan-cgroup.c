/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/plan-cgroup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"
#include "plan/cgroup-values.h"

enum { TYPED_WRITES_MAX = 16, DEFAULT_PERIOD_US = 100000 };

#define R "linux.resources."

/* Adds a write; @value is formatted into the arena. */
static int add(struct plan *plan, const char *json_path, const char *file, const char *value,
	       struct err *err)
{
	struct cgroup_plan *out = &plan->cgroup;

	if (!value || !file)
		return -1;
	if (!value[0])
		return err_set(err, "%s: empty value", json_path);
	out->writes[out->writes_len++] = (struct cgroup_write){
		.file = file,
		.value = value,
		.json_path = json_path,
		.may_be_missing =
			str_eq(value, "max"), /* without the controller there is no limit */
	};
	return 0;
}

static const char *limit_text(struct plan *plan, int64_t value, struct err *err)
{
	return value < 0 ? "max" : plan_printf(plan, err, "%" PRId64, value);
}

/* R280; the OCI counts memory and swap together, v2 swap alone. */
static int add_swap(struct plan *plan, const struct oci_memory *m, struct err *err)
{
	int64_t limit = m->limit.set ? m->limit.value : 0, swap = m->swap.set ? m->swap.value : 0;
	const char *value;

	if (swap == 0 && limit != -1)
		return 0;
	if (swap > 0 && limit == 0)
		return err_set(err, R "memory.swap: needs a memory limit");
	if (swap > 0 && limit > 0 && swap < limit)
		return err_set(err,
			       R "memory.swap: %" PRId64
				 " is below the memory limit, which it includes",
			       swap);
	value = swap <= 0 ? "max" : limit_text(plan, limit == -1 ? swap : swap - limit, err);
	if (add(plan, R "memory.swap", "memory.swap.max", value, err) < 0)
		return -1;
	if (str_eq(value, "0")) /* no swap accounting: no swap for it either */
		plan->cgroup.writes[plan->cgroup.writes_len - 1].may_be_missing = true;
	return 0;
}

static void warn_v1(const char *member)
{
	log_warn("config.json: " R "%s: cgroup v1 only, ignored", member);
}

static int plan_memory(struct plan *plan, const struct oci_memory *m, struct err *err)
{
	if (!m)
		return 0;
	if (m->kernel.set && m->kernel.value > 0)
		warn_v1("memory.kernel");
	if (m->kernel_tcp.set && m->kernel_tcp.value > 0)
		warn_v1("memory.kernelTCP");
	if (m->swappiness.set)
		warn_v1("memory.swappiness");
	if (m->disable_oom_killer.value)
		warn_v1("memory.disableOOMKiller");
	if (m->check_before_update.value && m->limit.value > 0)
		plan->cgroup.check_memory = m->limit.value;
	if (add_swap(plan, m, err) < 0)
		return -1;
	if (m->limit.set && m->limit.value &&
	    add(plan, R "memory.limit", "memory.max", limit_text(plan, m->limit.value, err), err) <
		    0)
		return -1;
	if (m->reservation.set && m->reservation.value)
		return add(plan, R "memory.reservation", "memory.low",
			   limit_text(plan, m->reservation.value, err), err);
	return 0;
}

/* R273 */
static int add_quota(struct plan *plan, const struct oci_cpu *cpu, struct err *err)
{
	uint64_t period = cpu->period.set && cpu->period.value ? cpu->period.value :
								 DEFAULT_PERIOD_US;
	const char *value;

	if (!(cpu->quota.set && cpu->quota.value) && !(cpu->period.set && cpu->period.value))
		return 0;
	value = cpu->quota.value > 0 ?
			plan_printf(plan, err, "%" PRId64 " %" PRIu64, cpu->quota.value, period) :
			plan_printf(plan, err, "max %" PRIu64, period);
	return add(plan, R "cpu.quota", "cpu.max", value, err);
}

static int plan_cpu(struct plan *plan, const struct oci_cpu *cpu, struct err *err)
{
	if (!cpu)
		return 0;
	if ((cpu->realtime_period.set && cpu->realtime_period.value) ||
	    (cpu->realtime_runtime.set && cpu->realtime_runtime.value))
		warn_v1("cpu.realtimeRuntime");
	if (cpu->idle.set && cpu->idle.value != 0 && cpu->idle.value != 1)
		return err_set(err, R "cpu.idle: %" PRId64 " is neither 0 nor 1", cpu->idle.value);
	if (cpu->idle.set && add(plan, R "cpu.idle", "cpu.idle",
				 plan_printf(plan, err, "%" PRId64, cpu->idle.value), err) < 0)
		return -1;
	if (cpu->shares.set && cpu->shares.value &&
	    add(plan, R "cpu.shares", "cpu.weight",
		plan_printf(plan, err, "%" PRIu64, cpu_weight(cpu->shares.value)), err) < 0)
		return -1;
	if (add_quota(plan, cpu, err) < 0)
		return -1;
	if (cpu->burst.set && add(plan, R "cpu.burst", "cpu.max.burst",
				  plan_printf(plan, err, "%" PRIu64, cpu->burst.value), err) < 0)
		return -1;
	if (cpu->cpus && *cpu->cpus && add(plan, R "cpu.cpus", "cpuset.cpus", cpu->cpus, err) < 0)
		return -1;
	if (cpu->mems && *cpu->mems)
		return add(plan, R "cpu.mems", "cpuset.mems", cpu->mems, err);
	return 0;
}

/*
 * R284: 1 where 0 is asked for: systemd knows no 0, and the program itself is the
 * one.  Engines have meant "no limit" by 0, so a missing controller is no failure then.
 */
static int plan_pids(struct plan *plan, const struct oci_pids *pids, struct err *err)
{
	int64_t limit;

	if (!pids || !pids->limit.set)
		return 0;
	limit = pids->limit.value ? pids->limit.value : 1;
	if (add(plan, R "pids.limit", "pids.max", limit_text(plan, limit, err), err) < 0)
		return -1;
	plan->cgroup.writes[plan->cgroup.writes_len - 1].may_be_missing |= !pids->limit.value;
	return 0;
}

static int plan_throttle(struct plan *plan, const struct oci_throttle_device_list *list,
			 const char *key, struct err *err)
{
	for (size_t i = 0; i < list->len; i++) {
		const struct oci_throttle_device *d = &list->at[i];
		const char *value =
			d->rate.value ?
				plan_printf(plan, err, "%" PRId64 ":%" PRId64 " %s=%" PRIu64,
					    d->major.value, d->minor.value, key, d->rate.value) :
				plan_printf(plan, err, "%" PRId64 ":%" PRId64 " %s=max",
					    d->major.value, d->minor.value, key);

		if (add(plan, R "blockIO", "io.max", value, err) < 0)
			return -1;
	}
	return 0;
}

static int check_weight(const struct opt_uint *weight, const char *member, struct err *err)
{
	if (weight->set && weight->value && (weight->value < 10 || weight->value > 1000))
		return err_set(err, R "blockIO.%s: %" PRIu64 " is not in 10..1000", member,
			       weight->value);
	return 0;
}

static int plan_weights(struct plan *plan, const struct oci_block_io *io, struct err *err)
{
	if (check_weight(&io->weight, "weight", err) < 0)
		return -1;
	if ((io->leaf_weight.set && io->leaf_weight.value))
		warn_v1("blockIO.leafWeight");
	if (io->weight.set && io->weight.value &&
	    add(plan, R "blockIO.weight", "io.weight",
		plan_printf(plan, err, "%" PRIu64, io_weight(io->weight.value)), err) < 0)
		return -1;
	for (size_t i = 0; i < io->weight_device.len; i++) {
		const struct oci_weight_device *d = &io->weight_device.at[i];

		if (check_weight(&d->weight, "weightDevice", err) < 0)
			return -1;
		if (d->weight.set && d->weight.value &&
		    add(plan, R "blockIO.weightDevice", "io.weight",
			plan_printf(plan, err, "%" PRId64 ":%" PRId64 " %" PRIu64, d->major.value,
				    d->minor.value, io_weight(d->weight.value)),
			err) < 0)
			return -1;
	}
	return 0;
}

static int plan_block_io(struct plan *plan, const struct oci_block_io *io, struct err *err)
{
	if (!io)
		return 0;
	if (plan_weights(plan, io, err) < 0 ||
	    plan_throttle(plan, &io->throttle_read_bps_device, "rbps", err) < 0 ||
	    plan_throttle(plan, &io->throttle_write_bps_device, "wbps", err) < 0 ||
	    plan_throttle(plan, &io->throttle_read_iops_device, "riops", err) < 0)
		return -1;
	return plan_throttle(plan, &io->throttle_write_iops_device, "wiops", err);
}

static bool is_page_size(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && *text != '0' && digits < 8 && strchr("KMG", text[digits]) &&
	       text[digits] && str_eq(text + digits + 1, "B");
}

static int plan_hugetlb(struct plan *plan, const struct oci_hugepage_limit_list *list,
			struct err *err)
{
	for (size_t i = 0; i < list->len; i++) {
		const struct oci_hugepage_limit *l = &list->at[i];
		const char *value = plan_printf(plan, err, "%" PRIu64, l->limit.value);

		if (!is_page_size(l->page_size))
			return err_set(err,
				       R "hugepageLimits[%zu].pageSize: \"%.40s\" is no page size",
				       i, l->page_size);
		if (add(plan, R "hugepageLimits",
			plan_printf(plan, err, "hugetlb.%s.max", l->page_size), value, err) < 0 ||
		    add(plan, R "hugepageLimits",
			plan_printf(plan, err, "hugetlb.%s.rsvd.max", l->page_size), value,
			err) < 0)
			return -1;
		plan->cgroup.writes[plan->cgroup.writes_len - 1].may_be_missing = true;
	}
	return 0;
}

static int plan_rdma(struct plan *plan, const struct oci_rdma_list *list, struct err *err)
{
	for (size_t i = 0; i < list->len; i++) {
		const struct oci_rdma *r = &list->at[i];
		const char *handles = "", *objects = "";

		if (r->hca_handles.set)
			handles = plan_printf(plan, err, " hca_handle=%" PRIu64,
					      r->hca_handles.value);
		if (r->hca_objects.set)
			objects = plan_printf(plan, err, " hca_object=%" PRIu64,
					      r->hca_objects.value);
		if (!handles || !objects)
			return -1;
		if (!*handles && !*objects)
			return err_set(err, R "rdma[\"%s\"]: needs hcaHandles or hcaObjects",
				       r->key);
		if (add(plan, R "rdma", "rdma.max",
			plan_printf(plan, err, "%s%s%s", r->key, handles, objects), err) < 0)
			return -1;
	}
	return 0;
}

/* Last, so that they override the typed ones (R154, R292). */
static int plan_unified(struct plan *plan, const struct pair_list *list, struct err *err)
{
	static const char *const reserved[] = { "cgroup.procs",
						"cgroup.threads",
						"cgroup.subtree_control",
						"cgroup.type",
						"cgroup.freeze",
						"cgroup.kill",
						NULL };

	for (size_t i = 0; i < list->len; i++) {
		const char *file = list->at[i].key, *dot = strchr(file, '.');
		const char *path = plan_printf(plan, err, R "unified[\"%.100s\"]", file);

		if (!path)
			return -1;
		if (!dot || dot == file || !dot[1] || strchr(file, '/') || strpbrk(file, " \n\t") ||
		    strlen(file) > NAME_MAX)
			return err_set(err, "%s: not of the form CONTROLLER.PARAMETER", path);
		if (str_index(reserved, file) >= 0)
			return err_set(err, "%s: rung's own to write", path);
		if (*list->at[i].value && add(plan, path, file, list->at[i].value, err) < 0)
			return -1;
	}
	return 0;
}

static size_t count_writes(const struct oci_resources *r)
{
	size_t n = TYPED_WRITES_MAX + 2 * r->hugepage_limits.len + r->rdma.len + r->unified.len;
	const struct oci_block_io *io = r->block_io;

	if (io)
		n += io->throttle_read_bps_device.len + io->throttle_write_bps_device.len +
		     io->throttle_read_iops_device.len + io->throttle_write_iops_device.len +
		     io->weight_device.len;
	return n;
}

static int plan_resources(struct plan *plan, const struct oci_resources *r, struct err *err)
{
	plan->cgroup.writes = plan_alloc(plan, count_writes(r) * sizeof(*plan->cgroup.writes), err);
	if (!plan->cgroup.writes)
		return -1;
	if (r->network && (r->network->class_id.value || r->network->priorities.len))
		warn_v1("network");
	if (plan_pids(plan, r->pids, err) < 0 || plan_memory(plan, r->memory, err) < 0 ||
	    plan_block_io(plan, r->block_io, err) < 0 || plan_cpu(plan, r->cpu, err) < 0 ||
	    plan_hugetlb(plan, &r->hugepage_limits, err) < 0 || plan_rdma(plan, &r->rdma, err) < 0)
		return -1;
	return plan_unified(plan, &r->unified, err);
}

int plan_cgroup_update(struct plan *plan, const struct oci_resources *resources, struct err *err)
{
	return plan_resources(plan, resources, err);
}

static int read_rule(const struct oci_device_rule *in, size_t i, struct device_rule *out,
		     struct err *err)
{
	const char *type = in->type && *in->type ? in->type : "a";
	const char *access = in->access && *in->access ? in->access : "rwm";

	if (strlen(type) != 1 || !strchr("abcu", *type))
		return err_set(err, R "devices[%zu].type: unknown value \"%s\"; known: a, b, c", i,
			       type);
	*out = (struct device_rule){
		.allow = in->allow.value,
		.type = *type == 'u' ? 'c' : *type,
		.major = in->major.set ? in->major.value : -1,
		.minor = in->minor.set ? in->minor.value : -1,
	};
	if (out->major < -1 || out->minor < -1 || out->major > UINT32_MAX ||
	    out->minor > UINT32_MAX)
		return err_set(err, R "devices[%zu]: there is no device %" PRId64 ":%" PRId64, i,
			       out->major, out->minor);
	for (; *access; access++) {
		const char *letter = strchr("rwm", *access);

		if (!letter)
			return err_set(
				err,
				R "devices[%zu].access: unknown letter in \"%s\"; known: r, w, m",
				i, in->access);
		out->access |= 1U << (letter - "rwm");
	}
	return 0;
}

/* What every container may do (R144). */
static const struct device_rule always[] = {
	{ true, 'c', -1, -1, DEVICE_MKNOD },
	{ true, 'b', -1, -1, DEVICE_MKNOD },
	{ true, 'c', 1, 3, 7 },
	{ true, 'c', 1, 5, 7 },
	{ true, 'c', 1, 7, 7 },
	{ true, 'c', 1, 8, 7 },
	{ true, 'c', 1, 9, 7 },
	{ true, 'c', 5, 0, 7 },
	{ true, 'c', 5, 1, 7 },
	{ true, 'c', 5, 2, 7 },
	{ true, 'c', 136, -1, 7 },
	{ true, 'c', 10, 200, 7 },
};

static int plan_device_rules(struct plan *plan, const struct oci_resources *r, struct err *err)
{
	size_t given = r ? r->devices.len : 0;
	struct device_rule *rules =
		plan_alloc(plan, (given + ARRAY_LEN(always)) * sizeof(*rules), err);

	if (!rules)
		return -1;
	for (size_t i = 0; i < given; i++)
		if (read_rule(&r->devices.at[i], i, &rules[i], err) < 0)
			return -1;
	memcpy(rules + given, always, sizeof(always));
	plan->cgroup.device_rules = rules;
	plan->cgroup.device_rules_len = given + ARRAY_LEN(always);
	plan->cgroup.restrict_devices = true;
	return 0;
}

/* A relative path is a sibling of the caller's cgroup, as is the default (R134). */
static int plan_path(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const char *given = in->config->linux_ ? in->config->linux_->cgroups_path : NULL;
	autofree char *own = NULL;
	char *slash;

	plan->cgroup.path_given = given && *given;
	if (plan->cgroup.path_given && strpbrk(given, "\n"))
		return err_set(err, "linux.cgroupsPath: holds a newline");
	if (plan->cgroup.path_given && *given == '/') {
		plan->cgroup.path = path_clean(plan_copy(plan, given, err));
	} else {
		const char *name = plan->cgroup.path_given ? given : in->id;
		char *clean = path_clean(plan_printf(plan, err, "/%s", name));

		if (!clean || cgroup_of_process(0, &own, err) < 0)
			return -1;
		slash = strrchr(own, '/');
		if (slash)
			*slash = '\0';
		plan->cgroup.path = plan_printf(plan, err, "%s%s", own, clean);
	}
	if (plan->cgroup.path && str_eq(plan->cgroup.path, "/"))
		return err_set(err,
			       "linux.cgroupsPath: the root of the hierarchy is no container's");
	return plan->cgroup.path ? 0 : -1;
}

/* R141 */
static bool is_delegated(const struct plan *plan, const struct oci_config *config)
{
	if (plan->ns.of[NS_CGROUP].how != NS_NEW)
		return false;
	for (size_t i = 0; i < config->mounts.len; i++) {
		const struct oci_mount *m = &config->mounts.at[i];

		if (m->source && str_eq(m->source, "cgroup") &&
		    str_eq(m->destination, "/sys/fs/cgroup"))
			return !(plan->rootfs.mounts[i].attr_set & MOUNT_ATTR_RDONLY);
	}
	return false;
}

int plan_cgroup(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct oci_linux *linux_ = in->config->linux_;
	const struct oci_resources *resources = linux_ ? linux_->resources : NULL;
	struct cgroup_plan *out = &plan->cgroup;

	out->manager = in->manager;
	if (in->manager == CGROUP_SYSTEMD)
		return err_set(err, "not supported yet: the systemd cgroup manager");
	if (resources && plan_resources(plan, resources, err) < 0)
		return -1;
	if (in->manager == CGROUP_DISABLED)
		return out->writes_len ?
			       err_set(err,
				       "linux.resources: limits need a cgroup, which --cgroup-manager=disabled leaves out") :
			       0;
	if (plan_path(plan, in, err) < 0 || plan_device_rules(plan, resources, err) < 0)
		return -1;
	out->devices_may_fail = !in->privileged;
	out->may_be_without = !in->privileged && !out->writes_len && !out->path_given;
	out->delegate = plan->rootfs.mounts && is_delegated(plan, in->config);
	out->owner = idmap_outside(&plan->idmap.uid, plan->process.uid);
	plan->rootfs.cgroup_source = cgroup_mountpoint();
	return 0;
}
