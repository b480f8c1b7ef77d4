/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/plan.h"

int plan_net(struct plan *plan, const struct plan_input *in, struct err *err)
{
	(void)plan;
	if (in->config->linux_ && in->config->linux_->net_devices.len)
		return err_set(err, "linux.netDevices: not supported yet: moving network devices");
	return 0;
}
