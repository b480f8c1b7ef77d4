/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* process: program, ids, capabilities, limits, labels (R58-R87). */
#include "plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/log.h"
#include "base/scope.h"
#include "base/str.h"
#include "host/caps.h"
#include "host/lsm.h"
#include "plan/plan-environment.h"
#include "plan/plan-sched.h"

static const struct {
	const char *name;
	int resource;
} rlimit_names[] = {
	{ "RLIMIT_AS", RLIMIT_AS },
	{ "RLIMIT_CORE", RLIMIT_CORE },
	{ "RLIMIT_CPU", RLIMIT_CPU },
	{ "RLIMIT_DATA", RLIMIT_DATA },
	{ "RLIMIT_FSIZE", RLIMIT_FSIZE },
	{ "RLIMIT_LOCKS", RLIMIT_LOCKS },
	{ "RLIMIT_MEMLOCK", RLIMIT_MEMLOCK },
	{ "RLIMIT_MSGQUEUE", RLIMIT_MSGQUEUE },
	{ "RLIMIT_NICE", RLIMIT_NICE },
	{ "RLIMIT_NOFILE", RLIMIT_NOFILE },
	{ "RLIMIT_NPROC", RLIMIT_NPROC },
	{ "RLIMIT_RSS", RLIMIT_RSS },
	{ "RLIMIT_RTPRIO", RLIMIT_RTPRIO },
	{ "RLIMIT_RTTIME", RLIMIT_RTTIME },
	{ "RLIMIT_SIGPENDING", RLIMIT_SIGPENDING },
	{ "RLIMIT_STACK", RLIMIT_STACK },
};

static int plan_program(struct plan *plan, const struct oci_process *process, struct err *err)
{
	struct process_plan *out = &plan->process;

	if (!process->args.len)
		return err_set(err, "process.args: at least one is required");
	if (!*process->args.at[0])
		return err_set(err, "process.args[0]: empty");
	if (!process->cwd || *process->cwd != '/')
		return err_set(err, "process.cwd: \"%s\" is not an absolute path",
			       process->cwd ? process->cwd : "");
	for (size_t i = 0; i < process->args.len; i++)
		if (strlen(process->args.at[i]) >= PLAN_STRING_MAX)
			return err_set(
				err,
				"process.args[%zu]: longer than %d bytes, which no program can get",
				i, PLAN_STRING_MAX - 1);
	out->cwd = process->cwd;
	out->argv = plan_alloc(plan, (process->args.len + 1) * sizeof(char *), err);
	if (!out->argv)
		return -1;
	memcpy(out->argv, process->args.at, process->args.len * sizeof(char *));
	return 0;
}

static int check_ids(const struct plan *plan, struct err *err)
{
	const struct process_plan *out = &plan->process;
	const struct idmap_plan *map = &plan->idmap;

	if (!idmap_has(&map->uid, out->uid))
		return err_set(err, "process.user.uid: %u is not mapped in the user namespace",
			       out->uid);
	if (!idmap_has(&map->gid, out->gid))
		return err_set(err, "process.user.gid: %u is not mapped in the user namespace",
			       out->gid);
	for (size_t i = 0; i < out->groups_len; i++)
		if (!idmap_has(&map->gid, out->groups[i]))
			return err_set(
				err,
				"process.user.additionalGids[%zu]: %u is not mapped in the user namespace",
				i, (unsigned)out->groups[i]);
	if (map->deny_setgroups && out->groups_len)
		return err_set(
			err,
			"process.user.additionalGids: setgroups(2) is denied in this user namespace");
	return 0;
}

static int plan_user(struct plan *plan, const struct plan_input *in, struct err *err)
{
	static const struct oci_user root = { .uid = { true, 0 } };
	const struct oci_user *user = in->config->process->user ? in->config->process->user : &root;
	struct process_plan *out = &plan->process;

	out->uid = (uint32_t)user->uid.value;
	out->gid = (uint32_t)user->gid.value;
	out->umask = user->umask.set ? (mode_t)user->umask.value & 0777 : 0022;
	out->keep_groups = plan_is_annotated(in->config, "run.oci.keep_original_groups");
	out->groups_denied = plan->idmap.deny_setgroups;
	out->groups_len = user->additional_gids.len;
	out->groups = plan_alloc(plan, (out->groups_len + 1) * sizeof(gid_t), err);
	if (!out->groups)
		return -1;
	for (size_t i = 0; i < out->groups_len; i++)
		out->groups[i] = (gid_t)user->additional_gids.at[i];
	return check_ids(plan, err);
}

/* What isn't known is warned of, and not granted (R82). */
static uint64_t cap_mask(const struct str_list *names, const char *set)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < names->len; i++) {
		int cap = caps_number(names->at[i]);

		if (cap >= 0)
			mask |= 1ULL << cap;
		else
			log_warn(
				"config.json: process.capabilities.%s: unknown capability %s ignored",
				set, names->at[i]);
	}
	return mask;
}

static void warn_ambient(uint64_t refused)
{
	char name[CAPS_NAME_SIZE];

	for (int cap = 0; cap < 64; cap++)
		if (refused >> cap & 1)
			log_warn(
				"can't raise ambient capability %s: not both permitted and inheritable, ignored",
				caps_name(cap, name));
}

static void plan_caps(struct process_plan *out, const struct oci_capabilities *caps)
{
	uint64_t can;

	if (!caps)
		return; /* all sets empty (R83) */
	out->caps[CAPS_BOUNDING] = cap_mask(&caps->bounding, "bounding");
	out->caps[CAPS_EFFECTIVE] = cap_mask(&caps->effective, "effective");
	out->caps[CAPS_PERMITTED] = cap_mask(&caps->permitted, "permitted");
	out->caps[CAPS_INHERITABLE] = cap_mask(&caps->inheritable, "inheritable");
	out->caps[CAPS_AMBIENT] = cap_mask(&caps->ambient, "ambient");
	can = out->caps[CAPS_PERMITTED] & out->caps[CAPS_INHERITABLE];
	warn_ambient(out->caps[CAPS_AMBIENT] & ~can);
	out->caps[CAPS_AMBIENT] &= can;
}

static int plan_rlimit(const struct oci_rlimit *limit, size_t i, struct process_rlimit *ret,
		       struct err *err)
{
	size_t k = 0;

	while (k < ARRAY_LEN(rlimit_names) && !str_eq(rlimit_names[k].name, limit->type))
		k++;
	if (k == ARRAY_LEN(rlimit_names))
		return err_set(err, "process.rlimits[%zu].type: unknown value \"%s\"", i,
			       limit->type);
	if (limit->soft.value > limit->hard.value)
		return err_set(err,
			       "process.rlimits[%zu]: soft limit %" PRIu64
			       " is above the hard limit %" PRIu64,
			       i, limit->soft.value, limit->hard.value);
	*ret = (struct process_rlimit){ rlimit_names[k].resource, rlimit_names[k].name,
					limit->soft.value, limit->hard.value };
	return 0;
}

static bool is_raised(const struct process_rlimit *limit)
{
	struct rlimit now;

	return getrlimit((enum __rlimit_resource)limit->resource, &now) == 0 &&
	       limit->hard > now.rlim_max;
}

static int plan_rlimits(struct plan *plan, const struct oci_rlimit_list *list, struct err *err)
{
	struct process_plan *out = &plan->process;

	out->rlimits = plan_alloc(plan, (list->len + 1) * sizeof(*out->rlimits), err);
	if (!out->rlimits)
		return -1;
	for (size_t i = 0; i < list->len; i++) {
		if (plan_rlimit(&list->at[i], i, &out->rlimits[i], err) < 0)
			return -1;
		out->rlimits_raised |= is_raised(&out->rlimits[i]);
		for (size_t k = 0; k < i; k++)
			if (out->rlimits[k].resource == out->rlimits[i].resource)
				return err_set(err, "process.rlimits[%zu].type: %s is there twice",
					       i, out->rlimits[i].name);
	}
	out->rlimits_len = list->len;
	return 0;
}

static int plan_labels(struct process_plan *out, const struct oci_process *process, struct err *err)
{
	const char *selinux = process->selinux_label, *profile = process->apparmor_profile;

	if (selinux && *selinux) {
		if (!lsm_has_selinux())
			return err_set(err,
				       "process.selinuxLabel: SELinux is not enabled on this host");
		if (lsm_check_selinux(selinux, err) < 0)
			return err_prefix(err, "process.selinuxLabel");
		out->selinux_label = selinux;
	}
	if (profile && *profile) {
		if (!lsm_has_apparmor())
			return err_set(
				err,
				"process.apparmorProfile: AppArmor is not enabled on this host");
		out->apparmor_profile = profile;
	}
	return 0;
}

static int plan_terminal(struct process_plan *out, const struct oci_process *process,
			 struct err *err)
{
	const struct oci_console_size *size = process->console_size;

	out->terminal = process->terminal.value;
	if (!out->terminal || !size)
		return 0;
	if (size->height.value > UINT16_MAX || size->width.value > UINT16_MAX)
		return err_set(err, "process.consoleSize: more than %u", UINT16_MAX);
	out->console_size_set = true;
	out->console_height = (unsigned short)size->height.value;
	out->console_width = (unsigned short)size->width.value;
	return 0;
}

static int plan_oom_score(struct process_plan *out, const struct oci_process *process,
			  struct err *err)
{
	const struct opt_int *score = &process->oom_score_adj;

	if (score->set && (score->value < -1000 || score->value > 1000))
		return err_set(err, "process.oomScoreAdj: %" PRId64 " is not in -1000..1000",
			       score->value);
	out->oom_score_adj.set = score->set;
	out->oom_score_adj.value = (int)score->value;
	return 0;
}

int plan_process(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct oci_process *process = in->config->process;
	struct process_plan *out = &plan->process;

	if (!process)
		return err_set(err, "process: required, but absent");
	if (plan_program(plan, process, err) < 0 || plan_environment(plan, in, err) < 0 ||
	    plan_user(plan, in, err) < 0 || plan_rlimits(plan, &process->rlimits, err) < 0 ||
	    plan_terminal(out, process, err) < 0 || plan_oom_score(out, process, err) < 0 ||
	    plan_labels(out, process, err) < 0)
		return -1;
	plan_caps(out, process->capabilities);
	out->no_new_privs = process->no_new_privileges.value;
	return plan_schedule(plan, in->config, err);
}
