/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mount-options - the words of mounts[].options (R23-R32), one table. */
#ifndef PLAN_MOUNT_OPTIONS_H
#define PLAN_MOUNT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* What a list of options adds up to; later words override earlier ones. */
struct mount_options {
	bool bind, recursive;
	uint64_t set, clear; /* MOUNT_ATTR_... */
	bool chooses_atime;  /* a way of access times was set, not only one taken back */
	uint64_t recursive_set, recursive_clear;
	unsigned long propagation[4];
	size_t propagation_len;
	bool copy_up, idmap, idmap_recursive;
	bool copy_symlink, source_no_follow, destination_no_follow;
};

enum mount_word { MOUNT_WORD_KNOWN, MOUNT_WORD_SUPERBLOCK, MOUNT_WORD_DATA };

/*
 * Adds @word to @options.  MOUNT_WORD_SUPERBLOCK: it is a flag of the file system
 * (sync, lazytime...), *@ret_key what fsconfig(2) calls it, NULL: nothing to set.
 * MOUNT_WORD_DATA: unknown here, for the file system to understand.
 * -1 with @err set for too many propagation words.
 */
int mount_options_add(struct mount_options *options, const char *word, const char **ret_key,
		      struct err *err);

/* All words but file systems' own, in byte order, NULL-terminated: for `features`. */
extern const char *const mount_option_names[];

#endif
