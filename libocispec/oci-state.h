/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * oci-state - the state of a container, as `state` prints it and hooks are given it:
 * runtime-spec 1.3, runtime.md "State".  Mirrors the JSON object of its name.
 */
#ifndef OCISPEC_OCI_STATE_H
#define OCISPEC_OCI_STATE_H
#include "desc.h"

struct oci_state {
	char *oci_version;
	char *id;
	struct opt_int pid; /* reading: must be set when status is created or running */
	char *status;	    /* a word, for runtimes may have their own: "paused" */
	char *bundle;
	struct pair_list annotations;

	/* additional properties, which the specification allows; NULL: left out */
	char *root;	     /* hooks of vendors look for it: the root file system */
	char *rootfs;	     /* the same under the name that runc prints */
	char *created;	     /* RFC 3339 */
	char *systemd_scope; /* the cgroup's unit */
	char *owner;	     /* name of the user who created it */
};

extern const struct desc oci_state_desc;
#endif
