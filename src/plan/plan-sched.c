/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/plan-sched.h"

#include <inttypes.h>
#include <linux/ioprio.h>
#include <linux/mempolicy.h>
#include <sys/personality.h>

#include "base/scope.h"
#include "base/str.h"
#include "host/cpulist.h"

#ifndef MPOL_F_NUMA_BALANCING
#define MPOL_F_NUMA_BALANCING (1 << 13)
#endif

enum {
	NICE_MIN = -20,
	NICE_MAX = 19,
	POLICY_FIFO = 1,
	POLICY_RR = 2,
	POLICY_DEADLINE = 6,
	DEADLINE_MIN = 1024 /* ns */
};

/* The kernel's number of each enum oci_scheduler_policy. */
static const uint32_t policy_number[] = {
	[OCI_SCHED_OTHER] = 0,
	[OCI_SCHED_FIFO] = POLICY_FIFO,
	[OCI_SCHED_RR] = POLICY_RR,
	[OCI_SCHED_BATCH] = 3,
	[OCI_SCHED_ISO] = 4,
	[OCI_SCHED_IDLE] = 5,
	[OCI_SCHED_DEADLINE] = POLICY_DEADLINE,
};

const char *const schedule_flag_names[] = {
	"SCHED_FLAG_RESET_ON_FORK",  "SCHED_FLAG_RECLAIM",
	"SCHED_FLAG_DL_OVERRUN",     "SCHED_FLAG_KEEP_POLICY",
	"SCHED_FLAG_KEEP_PARAMS",    "SCHED_FLAG_UTIL_CLAMP_MIN",
	"SCHED_FLAG_UTIL_CLAMP_MAX", NULL,
};

static int check_schedule(const struct oci_scheduler *in, uint32_t policy, struct err *err)
{
	bool real_time = policy == POLICY_FIFO || policy == POLICY_RR;

	if ((policy == 0 || policy == 3) &&
	    (in->nice.value < NICE_MIN || in->nice.value > NICE_MAX))
		return err_set(err, "process.scheduler.nice: %" PRId64 " is not in -20..19",
			       in->nice.value);
	if (in->priority.value < 0 || (in->priority.value && !real_time))
		return err_set(err,
			       "process.scheduler.priority: is for SCHED_FIFO and SCHED_RR alone");
	if ((in->runtime.value || in->deadline.value || in->period.value) &&
	    policy != POLICY_DEADLINE)
		return err_set(
			err,
			"process.scheduler: runtime, deadline and period are for SCHED_DEADLINE alone");
	if (policy != POLICY_DEADLINE)
		return 0;
	if (in->runtime.value < DEADLINE_MIN || in->runtime.value > in->deadline.value ||
	    (in->period.value && in->deadline.value > in->period.value))
		return err_set(
			err,
			"process.scheduler: SCHED_DEADLINE needs 1024 <= runtime <= deadline <= period");
	if (in->deadline.value >> 63 || in->period.value >> 63)
		return err_set(err, "process.scheduler: deadline and period must be below 2^63");
	return 0;
}

static int plan_scheduler(struct process_schedule *out, const struct oci_scheduler *in,
			  struct err *err)
{
	if (!in)
		return 0;
	*out = (struct process_schedule){
		.set = true,
		.policy = policy_number[in->policy.value],
		.nice = (int32_t)in->nice.value,
		.priority = (uint32_t)in->priority.value,
		.runtime_ns = in->runtime.value,
		.deadline_ns = in->deadline.value,
		.period_ns = in->period.value,
	};
	for (size_t i = 0; i < in->flags.len; i++) {
		int bit = plan_word(schedule_flag_names, "process.scheduler.flags", i,
				    in->flags.at[i], err);

		if (bit < 0)
			return -1;
		out->flags |= 1ULL << bit;
	}
	return check_schedule(in, out->policy, err);
}

static int plan_io_priority(struct process_plan *out, const struct oci_io_priority *in,
			    struct err *err)
{
	static const int class_number[] = {
		[OCI_IO_RT] = IOPRIO_CLASS_RT,
		[OCI_IO_BE] = IOPRIO_CLASS_BE,
		[OCI_IO_IDLE] = IOPRIO_CLASS_IDLE,
	};

	if (!in)
		return 0;
	if (in->priority.value < 0 || in->priority.value > 7)
		return err_set(err, "process.ioPriority.priority: %" PRId64 " is not in 0..7",
			       in->priority.value);
	out->io_priority.set = true;
	out->io_priority.value = class_number[in->class.value] << 13 | (int)in->priority.value;
	return 0;
}

static int check_cpus(const char *list, const char *member, struct err *err)
{
	unsigned long bits[CPULIST_WORDS];

	if (list && *list && !cpulist_parse(list, bits, CPULIST_MAX))
		return err_set(err, "process.execCPUAffinity.%s: \"%s\" is no list of CPUs", member,
			       list);
	return 0;
}

static int plan_affinity(struct process_plan *out, const struct oci_cpu_affinity *in,
			 struct err *err)
{
	if (!in)
		return 0;
	if (check_cpus(in->initial, "initial", err) < 0 || check_cpus(in->final, "final", err) < 0)
		return -1;
	out->exec_affinity_initial = in->initial && *in->initial ? in->initial : NULL;
	out->exec_affinity_final = in->final && *in->final ? in->final : NULL;
	return 0;
}

static const int mode_number[] = {
	[OCI_MPOL_DEFAULT] = 0,
	[OCI_MPOL_PREFERRED] = 1,
	[OCI_MPOL_BIND] = 2,
	[OCI_MPOL_INTERLEAVE] = 3,
	[OCI_MPOL_LOCAL] = 4,
	[OCI_MPOL_PREFERRED_MANY] = 5,
	[OCI_MPOL_WEIGHTED_INTERLEAVE] = 6,
};

const char *const memory_policy_flag_names[] = { "MPOL_F_STATIC_NODES", "MPOL_F_RELATIVE_NODES",
						 "MPOL_F_NUMA_BALANCING", NULL };
static const int memory_policy_flags[] = { 1 << 15, 1 << 14, MPOL_F_NUMA_BALANCING };

static int plan_nodes(struct plan *plan, const char *nodes, struct err *err)
{
	struct process_memory_policy *out = &plan->process.memory_policy;
	unsigned long *bits = plan_alloc(plan, CPULIST_WORDS * sizeof(*bits), err);

	if (!bits)
		return -1;
	if (!cpulist_parse(nodes, bits, 1024))
		return err_set(err, "linux.memoryPolicy.nodes: invalid memory policy nodes \"%s\"",
			       nodes);
	out->nodes = bits;
	out->max_node = 1024 + 1; /* the kernel counts one less than it is told */
	return 0;
}

static size_t count_nodes(const unsigned long *bits)
{
	size_t count = 0;

	for (size_t i = 0; i < CPULIST_WORDS; i++)
		count += (size_t)__builtin_popcountl(bits[i]);
	return count;
}

static int plan_memory_policy(struct plan *plan, const struct oci_memory_policy *in,
			      struct err *err)
{
	struct process_memory_policy *out = &plan->process.memory_policy;
	bool has_nodes, wants_none;

	if (!in)
		return 0;
	if (!in->mode.set)
		return err_set(
			err,
			"linux.memoryPolicy.mode: invalid memory policy mode: required, but absent");
	has_nodes = in->nodes && *in->nodes;
	wants_none = in->mode.value == OCI_MPOL_DEFAULT || in->mode.value == OCI_MPOL_LOCAL;
	if (has_nodes && plan_nodes(plan, in->nodes, err) < 0)
		return -1;
	if (wants_none && has_nodes)
		return err_set(
			err,
			"linux.memoryPolicy.nodes: invalid memory policy: mode requires 0 nodes but got %zu",
			count_nodes(out->nodes));
	if (!wants_none && !has_nodes && in->mode.value != OCI_MPOL_PREFERRED)
		return err_set(
			err,
			"linux.memoryPolicy.nodes: invalid memory policy: mode requires at least one node");
	out->set = true;
	out->mode = mode_number[in->mode.value];
	for (size_t i = 0; i < in->flags.len; i++) {
		int flag = str_index(memory_policy_flag_names, in->flags.at[i]);

		if (flag < 0)
			return err_set(
				err,
				"linux.memoryPolicy.flags[%zu]: invalid memory policy flag \"%s\"",
				i, in->flags.at[i]);
		out->mode |= memory_policy_flags[flag];
	}
	return 0;
}

static int plan_personality(struct process_plan *out, const struct oci_personality *in,
			    struct err *err)
{
	static const char *const no_flags[] = { NULL }; /* R188 */

	if (!in)
		return 0;
	if (!in->domain.set)
		return err_set(err, "linux.personality.domain: required, but absent");
	for (size_t i = 0; i < in->flags.len; i++)
		if (plan_word(no_flags, "linux.personality.flags", i, in->flags.at[i], err) < 0)
			return -1;
	out->personality.set = true;
	out->personality.value = in->domain.value == OCI_LINUX32 ? PER_LINUX32 : PER_LINUX;
	return 0;
}

int plan_schedule(struct plan *plan, const struct oci_config *config, struct err *err)
{
	const struct oci_process *process = config->process;
	const struct oci_linux *linux_ = config->linux_;
	struct process_plan *out = &plan->process;

	if (plan_scheduler(&out->schedule, process->scheduler, err) < 0 ||
	    plan_io_priority(out, process->io_priority, err) < 0 ||
	    plan_affinity(out, process->exec_cpu_affinity, err) < 0)
		return -1;
	if (!linux_)
		return 0;
	return plan_memory_policy(plan, linux_->memory_policy, err) < 0 ?
		       -1 :
		       plan_personality(out, linux_->personality, err);
}
