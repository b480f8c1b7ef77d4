/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* limits - the options of update as linux.resources. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include "cli/options.h"

/* The objects that the resources point to. */
struct limits {
	struct oci_resources resources;
	struct oci_memory memory;
	struct oci_cpu cpu;
	struct oci_pids pids;
	struct oci_block_io block_io;
};

/*
 * Fills *@ret with what @args give; the rest is absent.  Memory is in bytes, or with
 * one of the suffixes k, m, g, t (and "b" or "ib" after it) in powers of 1024; -1:
 * unlimited.  Strings stay those of @args.  Returns 0, or -1 with @err
 * "--memory: "x" is no number of bytes".
 */
int limits_read(const struct arguments *args, struct limits *ret, struct err *err);

#endif
