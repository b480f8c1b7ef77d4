/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/plan.h"

int plan_rdt(struct plan *plan, const struct plan_input *in, struct err *err)
{
	(void)plan;
	if (in->config->linux_ && in->config->linux_->intel_rdt)
		return err_set(err, "linux.intelRdt: not supported yet: Intel RDT");
	return 0;
}
