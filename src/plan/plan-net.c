/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linux.netDevices (runtime-spec config-linux.md "Network Devices"). */
#include "plan/plan.h"

#include <ctype.h>
#include <net/if.h>
#include <string.h>

#include "base/str.h"

/* What the kernel takes for a name; one "%d" may stand for a number where @pattern is true. */
static bool is_name(const char *name, bool pattern)
{
	const char *percent = strchr(name, '%');

	if (!*name || strlen(name) >= IFNAMSIZ || str_eq(name, ".") || str_eq(name, ".."))
		return false;
	if (percent && (!pattern || percent[1] != 'd' || strchr(percent + 1, '%')))
		return false;
	for (; *name; name++)
		if (*name == '/' || *name == ':' || isspace((unsigned char)*name))
			return false;
	return true;
}

static bool is_taken(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->netdevs_len; i++)
		if (!strchr(name, '%') && str_eq(plan->netdevs[i].new_name, name))
			return true;
	return false;
}

static int add(struct plan *plan, const struct oci_net_device *in, struct err *err)
{
	struct netdev_plan *out = &plan->netdevs[plan->netdevs_len];
	const char *name = in->name && *in->name ? in->name : in->key;

	if (!is_name(in->key, false))
		return err_set(err, "linux.netDevices: invalid network device name \"%s\"",
			       in->key);
	out->json_path = plan_printf(plan, err, "linux.netDevices.%s", in->key);
	if (!out->json_path)
		return -1;
	if (!is_name(name, true))
		return err_set(err, "%s.name: invalid network device name \"%s\"", out->json_path,
			       name);
	if (is_taken(plan, name))
		return err_set(err, "%s.name: \"%s\" is the name of another device", out->json_path,
			       name);
	out->name = in->key;
	out->new_name = name;
	plan->netdevs_len++;
	return 0;
}

int plan_net(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct oci_net_device_list *list =
		in->config->linux_ ? &in->config->linux_->net_devices : NULL;

	if (!list || !list->len)
		return 0;
	if (!ns_is_private(&plan->ns, NS_NET))
		return err_set(
			err,
			"linux.netDevices: unable to move network devices without a private NET namespace");
	if (!in->privileged)
		return err_set(
			err,
			"linux.netDevices: not possible for a rootless container: host devices are not the caller's");
	plan->netdevs = plan_alloc(plan, list->len * sizeof(*plan->netdevs), err);
	if (!plan->netdevs)
		return -1;
	for (size_t i = 0; i < list->len; i++)
		if (add(plan, &list->at[i], err) < 0)
			return -1;
	return 0;
}
