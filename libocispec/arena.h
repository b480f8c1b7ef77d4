/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* arena.h - memory of one document, released as one. */
#ifndef OCISPEC_ARENA_H
#define OCISPEC_ARENA_H
#include <stddef.h>

struct arena {
	struct arena_block *head;
};

/* Zeroed, suitably aligned, owned by @arena.  NULL: out of memory. */
void *arena_alloc(struct arena *arena, size_t size);
char *arena_copy(struct arena *arena, const char *text, size_t len);
/* Moves all that @from owns to @arena; @from is empty then. */
void arena_merge(struct arena *arena, struct arena *from);
void arena_free(struct arena *arena);
#endif
