/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * container - an existing container: its directory, its record, and what has
 * become of its init.
 *
 * Status is derived from the kernel at each call, never stored (R202): the
 * record's boot, init's start time, whether init still reads its start FIFO, and
 * whether the cgroup is frozen.
 */
#ifndef RUN_CONTAINER_H
#define RUN_CONTAINER_H

#include "run/run.h"
#include "store/record.h"
#include "store/store.h"

struct container {
	struct store store;
	struct arena arena; /* of the record and the configuration */
	struct record record;
	enum container_status status;
	bool unrecorded; /* nothing is known but what its directory tells: being made, or abandoned */
	int pid_fd;	 /* of init; -1 when it has ended */
	const struct run_context *ctx;
};

#define CONTAINER_NONE ((struct container){ .store = STORE_NONE, .pid_fd = -1 })

/*
 * Opens @id under ctx->root.  err->code is ENOENT when there is none, EBADMSG when its record
 * is damaged; @ret is then usable for container_close() and its store is open and locked.
 */
int container_open(const struct run_context *ctx, const char *id, enum store_lock lock,
		   struct container *ret, struct err *err);
void container_close(struct container *container);

/* Looks at init and cgroup again. */
int container_refresh(struct container *container, struct err *err);

/* True while init is there, in whatever state. */
bool container_is_alive(const struct container *container);

/* The configuration kept at create, owned by the container's arena. */
struct oci_config *container_config(struct container *container, struct err *err);

/* The cgroup it was created in; -1 with code ENOENT when it has none or it is gone. */
int container_cgroup(const struct container *container, struct cgroup *ret, struct err *err);

#endif
