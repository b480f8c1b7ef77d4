/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linux.seccomp (R168-R181): listener and flags; seccomp-compile.h makes the program. */
#include "plan/plan.h"

#include <linux/seccomp.h>

#include "base/str.h"
#include "plan/seccomp-cache.h"
#include "plan/seccomp-compile.h"
#include "plan/seccomp-names.h"

static int plan_flags(struct seccomp_plan *out, const struct oci_seccomp *in, struct err *err)
{
	if (!in->flags.at) { /* absent: as runc and crun have it (R175) */
		out->flags = SECCOMP_FILTER_FLAG_SPEC_ALLOW;
		return 0;
	}
	for (size_t i = 0; i < in->flags.len; i++) {
		int k = plan_word(seccomp_flag_names, "linux.seccomp.flags", i, in->flags.at[i],
				  err);

		if (k < 0)
			return -1;
		if (!seccomp_has_flag(seccomp_flag_bits[k]))
			return err_set(err, "linux.seccomp.flags[%zu]: the kernel has no %s", i,
				       in->flags.at[i]);
		out->flags |= seccomp_flag_bits[k];
	}
	/* the filter has one thread to be loaded for, and the kernel takes no listener with it */
	out->flags &= ~(unsigned)SECCOMP_FILTER_FLAG_TSYNC;
	if (out->flags & SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV && !out->notify)
		out->flags &= ~(unsigned)SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	return 0;
}

static bool uses_notify(const struct oci_seccomp *in)
{
	for (size_t i = 0; i < in->syscalls.len; i++)
		if (in->syscalls.at[i].action.value == OCI_ACT_NOTIFY)
			return true;
	return false;
}

static int plan_listener(struct seccomp_plan *out, const struct oci_seccomp *in, struct err *err)
{
	bool has_path = in->listener_path && *in->listener_path;

	if (in->default_action.value == OCI_ACT_NOTIFY)
		return err_set(
			err,
			"linux.seccomp.defaultAction: SCMP_ACT_NOTIFY cannot be used as default action");
	out->notify = uses_notify(in);
	if (in->listener_metadata && *in->listener_metadata && !has_path)
		return err_set(err, "linux.seccomp.listenerMetadata: given without listenerPath");
	if (out->notify && !has_path)
		return err_set(err, "linux.seccomp.listenerPath: required with SCMP_ACT_NOTIFY");
	out->listener_path = in->listener_path;
	out->listener_metadata = in->listener_metadata;
	return 0;
}
int plan_seccomp(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct oci_seccomp *seccomp = in->config->linux_ ? in->config->linux_->seccomp : NULL;
	struct seccomp_plan *out = &plan->seccomp;

	if (!seccomp)
		return 0;
	if (plan_listener(out, seccomp, err) < 0 || plan_flags(out, seccomp, err) < 0)
		return -1;
	if (plan_is_annotated(in->config, "run.oci.seccomp_fail_unknown_syscall") &&
	    seccomp_check_names(seccomp, err) < 0)
		return -1;
	if (seccomp_cache_find(plan, in->seccomp_cache, seccomp))
		return 0;
	if (seccomp_compile(plan, seccomp, err) < 0)
		return -1;
	seccomp_cache_add(&plan->seccomp, in->seccomp_cache, seccomp);
	return 0;
}
