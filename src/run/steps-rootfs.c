/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rootfs, from the host's sources to the read-only root. */
#include "run/steps.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int step_open_sources(struct play *play, struct err *err)
{
	return rootfs_open_sources(&play->plan->rootfs, &play->rootfs, err);
}

void undo_open_sources(struct play *play)
{
	rootfs_release(&play->rootfs);
}

bool step_has_mount_namespace(const struct play *play)
{
	return ns_is_private(&play->plan->ns, NS_MOUNT);
}

int step_make_private(struct play *play, struct err *err)
{
	return rootfs_make_private(&play->plan->rootfs, &play->rootfs, err);
}

int step_attach_rootfs(struct play *play, struct err *err)
{
	return rootfs_attach(&play->plan->rootfs, &play->rootfs, err);
}

int step_mount_all(struct play *play, struct err *err)
{
	return rootfs_mount_all(&play->plan->rootfs, &play->rootfs, err);
}

int step_make_devices(struct play *play, struct err *err)
{
	return rootfs_make_devices(&play->plan->rootfs, &play->rootfs, err);
}

int step_pivot_root(struct play *play, struct err *err)
{
	return rootfs_pivot(&play->plan->rootfs, &play->rootfs, err);
}

int step_finish_rootfs(struct play *play, struct err *err)
{
	return rootfs_finish(&play->plan->rootfs, &play->rootfs, err);
}

bool step_has_names(const struct play *play)
{
	return play->plan->hostname || play->plan->domainname;
}

int step_set_names(struct play *play, struct err *err)
{
	const char *host = play->plan->hostname, *domain = play->plan->domainname;

	if (host && sethostname(host, strlen(host)) < 0)
		return err_errno(err, errno, "hostname \"%s\"", host);
	if (domain && setdomainname(domain, strlen(domain)) < 0)
		return err_errno(err, errno, "domainname \"%s\"", domain);
	return 0;
}
