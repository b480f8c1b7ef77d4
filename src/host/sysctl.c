/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host/sysctl.h"

#include "host/proc.h"

int sysctl_write_all(const struct sysctl_plan *plan, int proc_fd, struct err *err)
{
	for (size_t i = 0; i < plan->len; i++) {
		const struct sysctl_setting *s = &plan->at[i];
		int code = proc_write(proc_fd, s->path, s->value);

		if (code < 0)
			return err_errno(err, code, "linux.sysctl: write \"%s\" to %s", s->value,
					 s->name);
	}
	return 0;
}
