/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pause and resume: the cgroup freezer (R244). */
#include <errno.h>

#include "host/cgroup.h"
#include "run/container.h"
#include "run/run.h"

static int freeze(const struct container *container, bool frozen, struct err *err)
{
	struct cgroup cgroup = CGROUP_NONE;
	int result = container_cgroup(container, &cgroup, err);

	if (result == 0)
		result = cgroup_freeze(&cgroup, frozen, err);
	cgroup_close(&cgroup);
	return result;
}

int run_pause(const struct run_context *ctx, const char *id, struct err *err)
{
	struct container container;
	int result = container_open(ctx, id, STORE_EXCLUSIVE, &container, err);

	if (result == 0 && container.status == STATUS_PAUSED)
		result = err_set(err, "container already paused");
	else if (result == 0 && container.status != STATUS_RUNNING &&
		 container.status != STATUS_CREATED)
		result = err_set(err, "container not running or created: %s",
				 container_status_name[container.status]);
	if (result == 0)
		result = freeze(&container, true, err);
	container_close(&container);
	return result;
}

int run_resume(const struct run_context *ctx, const char *id, struct err *err)
{
	struct container container;
	int result = container_open(ctx, id, STORE_EXCLUSIVE, &container, err);

	if (result == 0 && container.status != STATUS_PAUSED)
		result = err_set(err, "container not paused");
	if (result == 0)
		result = freeze(&container, false, err);
	container_close(&container);
	return result;
}
