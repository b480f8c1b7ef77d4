/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/scope.h"
#include "host/cgroup.h"
#include "plan/merge-resources.h"
#include "plan/plan-cgroup.h"
#include "run/container.h"
#include "run/run.h"

static int apply(const struct container *container, const struct oci_resources *resources,
		 struct err *err)
{
	struct cgroup cgroup = CGROUP_NONE;
	struct plan plan = { 0 };
	int result = -1;

	if (plan_cgroup_update(&plan, resources, err) == 0 &&
	    container_cgroup(container, &cgroup, err) == 0)
		result = cgroup_limit(&plan.cgroup, &cgroup, err);
	cgroup_close(&cgroup);
	plan_free(&plan);
	return result;
}

/* The next update starts from what this one has made of it. */
static int save(struct container *container, const struct oci_config *config, struct err *err)
{
	autofree char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return err_errno(err, ENOMEM, "update");
	ocispec_write(out, &oci_config_desc, config);
	if (fclose(out) != 0)
		return err_errno(err, ENOMEM, "update");
	return store_write(&container->store, "config.json", text, err);
}

static int update_opened(struct container *container, const struct oci_resources *wanted,
			 struct err *err)
{
	struct oci_config *config = container_config(container, err);
	struct oci_resources merged = *wanted;

	if (!config)
		return -1;
	if (container->status == STATUS_STOPPED || container->status == STATUS_CREATING)
		return err_set(err, "container not running");
	if (!config->linux_) {
		config->linux_ = arena_alloc(&container->arena, sizeof(*config->linux_));
		if (!config->linux_)
			return err_errno(err, ENOMEM, "update");
	}
	merge_resources(&merged, config->linux_->resources);
	if (apply(container, &merged, err) < 0)
		return -1;
	config->linux_->resources = &merged;
	return save(container, config, err);
}

int run_update(const struct run_context *ctx, const char *id, const struct oci_resources *resources,
	       struct err *err)
{
	struct container container;
	int result = container_open(ctx, id, STORE_EXCLUSIVE, &container, err);

	if (result == 0)
		result = update_opened(&container, resources, err);
	container_close(&container);
	return result;
}
