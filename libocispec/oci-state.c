/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oci-state.h"

#include <string.h>

static const char *check_pid(const void *object)
{
	const struct oci_state *state = object;
	bool alive = strcmp(state->status, "created") == 0 || strcmp(state->status, "running") == 0;

	return alive && !state->pid.set ? "pid: required in this status" : NULL;
}

/* The order is the one in which runc prints them: its suite and some scripts compare text. */
#define T struct oci_state
static const struct field state_fields[] = { F_STRING(T, oci_version, "ociVersion", REQUIRED),
					     F_STRING(T, id, "id", REQUIRED),
					     F_INT(T, pid, "pid", 0, 0, INT32_MAX),
					     F_STRING(T, status, "status", REQUIRED),
					     F_STRING(T, bundle, "bundle", REQUIRED),
					     F_STRING(T, root, "root", 0),
					     F_STRING(T, rootfs, "rootfs", 0),
					     F_STRING(T, created, "created", 0),
					     F_STRING(T, systemd_scope, "systemd-scope", 0),
					     F_PAIRS(T, annotations, "annotations", 0),
					     F_STRING(T, owner, "owner", 0),
					     F_END };
#undef T
const struct desc oci_state_desc = { "state", sizeof(struct oci_state), state_fields, check_pid };
