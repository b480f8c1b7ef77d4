/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linux.namespaces, uidMappings, gidMappings, timeOffsets (R104-R116, R264). */
#include "plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/scope.h"
#include "base/str.h"

/* By enum oci_namespace_type. */
static const enum ns_kind kind_of_type[] = {
	[OCI_NS_MOUNT] = NS_MOUNT,   [OCI_NS_PID] = NS_PID,   [OCI_NS_NETWORK] = NS_NET,
	[OCI_NS_UTS] = NS_UTS,	     [OCI_NS_IPC] = NS_IPC,   [OCI_NS_USER] = NS_USER,
	[OCI_NS_CGROUP] = NS_CGROUP, [OCI_NS_TIME] = NS_TIME,
};

static int plan_namespace(struct plan *plan, const struct oci_namespace *namespace, size_t i,
			  struct err *err)
{
	enum ns_kind kind = kind_of_type[namespace->type.value];
	struct ns_request *request = &plan->ns.of[kind];

	if (request->how != NS_INHERIT)
		return err_set(err, "linux.namespaces[%zu].type: %s is there twice", i,
			       ns_info[kind].oci);
	if (!namespace->path || !*namespace->path) {
		request->how = NS_NEW;
		return 0;
	}
	if (*namespace->path != '/')
		return err_set(err, "linux.namespaces[%zu].path: \"%s\" is not absolute", i,
			       namespace->path);
	*request = (struct ns_request){ NS_JOIN, namespace->path };
	return 0;
}

static int plan_map(struct plan *plan, const struct oci_id_mapping_list *list, struct id_map *ret,
		    struct err *err)
{
	ret->len = list->len;
	ret->at = plan_alloc(plan, (list->len + 1) * sizeof(*ret->at), err);
	if (!ret->at)
		return -1;
	for (size_t i = 0; i < list->len; i++)
		ret->at[i] = (struct id_range){
			.inside = (uint32_t)list->at[i].container_id.value,
			.outside = (uint32_t)list->at[i].host_id.value,
			.count = (uint32_t)list->at[i].size.value,
		};
	return 0;
}

static bool same_map(const struct id_map *a, const struct id_map *b)
{
	bool same = a->len == b->len;

	for (size_t i = 0; same && i < a->len; i++)
		same = a->at[i].inside == b->at[i].inside && a->at[i].outside == b->at[i].outside &&
		       a->at[i].count == b->at[i].count;
	return same;
}

/* Maps beside a user namespace to join must be the ones that it has (R108). */
static int check_joined_maps(struct plan *plan, struct err *err)
{
	struct id_map uid = { 0 }, gid = { 0 };
	autofree void *uid_owner = NULL;
	autofree void *gid_owner = NULL;
	struct idmap_plan *map = &plan->idmap;

	if (idmap_read_namespace(plan->ns.of[NS_USER].path, &uid, &gid, err) < 0)
		return -1;
	uid_owner = uid.at;
	gid_owner = gid.at;
	if ((map->uid.len && !same_map(&map->uid, &uid)) ||
	    (map->gid.len && !same_map(&map->gid, &gid)))
		return err_set(
			err,
			"linux.uidMappings, linux.gidMappings: differ from those of the user namespace %s",
			plan->ns.of[NS_USER].path);
	if (map->uid.len || map->gid.len)
		log_warn(
			"config.json: linux.uidMappings: ignored, the joined user namespace has them already");
	map->uid.at = plan_alloc(plan, (uid.len + 1) * sizeof(*uid.at), err);
	map->gid.at = plan_alloc(plan, (gid.len + 1) * sizeof(*gid.at), err);
	if (!map->uid.at || !map->gid.at)
		return -1;
	memcpy(map->uid.at, uid.at, uid.len * sizeof(*uid.at));
	memcpy(map->gid.at, gid.at, gid.len * sizeof(*gid.at));
	map->uid.len = uid.len;
	map->gid.len = gid.len;
	return 0;
}

static bool is_own_id(const struct id_map *map, uint32_t id)
{
	return map->len == 1 && map->at[0].count == 1 && map->at[0].outside == id;
}

static int check_new_maps(struct plan *plan, const struct plan_input *in, struct err *err)
{
	struct idmap_plan *map = &plan->idmap;
	bool single = is_own_id(&map->uid, geteuid()) && is_own_id(&map->gid, getegid());

	if (!map->uid.len || !map->gid.len)
		return err_set(err, "linux.%s: a new user namespace needs it",
			       map->uid.len ? "gidMappings" : "uidMappings");
	if (in->privileged || geteuid() == 0)
		return 0;
	map->use_helpers = !single;
	map->deny_setgroups = single;
	return 0;
}

static int plan_user_namespace(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct oci_linux *linux_ = in->config->linux_;
	enum ns_how how = plan->ns.of[NS_USER].how;

	if (linux_ && (plan_map(plan, &linux_->uid_mappings, &plan->idmap.uid, err) < 0 ||
		       plan_map(plan, &linux_->gid_mappings, &plan->idmap.gid, err) < 0))
		return -1;
	if (how == NS_INHERIT && (plan->idmap.uid.len || plan->idmap.gid.len))
		return err_set(
			err,
			"linux.uidMappings: given without a user namespace in linux.namespaces");
	if (how == NS_INHERIT && geteuid() != 0)
		return err_set(err,
			       "linux.namespaces: rootless containers require a user namespace");
	if (how == NS_JOIN)
		return check_joined_maps(plan, err);
	return how == NS_NEW ? check_new_maps(plan, in, err) : 0;
}

/* R115 */
static int plan_time(struct plan *plan, const struct plan_input *in, struct err *err)
{
	static const char *const clocks[] = { "monotonic", "boottime", NULL };
	const struct oci_time_offset_list *list =
		in->config->linux_ ? &in->config->linux_->time_offsets : NULL;
	const char *lines = "";

	if (!list || !list->len)
		return 0;
	if (plan->ns.of[NS_TIME].how != NS_NEW)
		return err_set(err,
			       "linux.timeOffsets: needs a new time namespace in linux.namespaces");
	for (size_t i = 0; lines && i < list->len; i++) {
		const struct oci_time_offset *offset = &list->at[i];

		if (str_index(clocks, offset->key) < 0)
			return err_set(
				err,
				"linux.timeOffsets: unknown clock \"%s\"; known: monotonic, boottime",
				offset->key);
		lines = plan_printf(plan, err, "%s%s %" PRId64 " %" PRIu64 "\n", lines, offset->key,
				    offset->secs.value, offset->nanosecs.value);
	}
	plan->ns.time_offsets = lines;
	return lines ? 0 : -1;
}

int plan_namespaces(struct plan *plan, const struct plan_input *in, struct err *err)
{
	const struct oci_linux *linux_ = in->config->linux_;

	for (size_t i = 0; linux_ && i < linux_->namespaces.len; i++)
		if (plan_namespace(plan, &linux_->namespaces.at[i], i, err) < 0)
			return -1;
	return plan_user_namespace(plan, in, err) < 0 ? -1 : plan_time(plan, in, err);
}
