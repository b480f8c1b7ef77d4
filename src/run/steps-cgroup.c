/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroup and resctrl groups. */
#include "run/steps.h"

#include <errno.h>

#include "base/scope.h"
#include "run/container.h"

bool step_has_cgroup(const struct play *play)
{
	return play->plan->cgroup.manager != CGROUP_DISABLED;
}

int step_create_cgroup(struct play *play, struct err *err)
{
	struct record *record = &play->record;

	if (cgroup_create(&play->plan->cgroup, &play->cgroup, err) < 0)
		return -1;
	if (play->cgroup.fd < 0) {
		record->cgroup_path = NULL; /* none without permission, and none asked for (R140) */
		return record_write(&play->store, record, err);
	}
	record->cgroup_path = play->cgroup.path;
	record->cgroup_inode = (struct opt_uint){ true, play->cgroup.inode };
	record->cgroup_kept = (struct opt_bool){ 0 };
	return record_write(&play->store, record, err);
}

void undo_create_cgroup(struct play *play)
{
	if (play->cgroup.fd < 0)
		return;
	(void)cgroup_kill_all(&play->cgroup, NULL);
	(void)cgroup_remove(&play->cgroup, NULL);
	cgroup_close(&play->cgroup);
}

bool step_limits_early(const struct play *play)
{
	return step_has_cgroup(play) && !play_is_staged(play);
}

bool step_limits_late(const struct play *play)
{
	return step_has_cgroup(play) && play_is_staged(play);
}

/* Staged: after init's birth, or a pids.max of 1 would forbid it. */
int step_limit_cgroup(struct play *play, struct err *err)
{
	if (play->cgroup.fd < 0)
		return 0;
	if (cgroup_limit(&play->plan->cgroup, &play->cgroup, err) < 0 ||
	    cgroup_restrict_devices(&play->plan->cgroup, &play->cgroup, err) < 0)
		return -1;
	return cgroup_delegate(&play->plan->cgroup, &play->cgroup, err);
}
