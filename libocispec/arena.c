/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32768 - 64 };

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	alignas(max_align_t) char bytes[];
};

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *b = arena->head;

	size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (!b || b->size - b->used < size) {
		size_t room = size > BLOCK ? size : BLOCK;

		b = calloc(1, sizeof(*b) + room);
		if (!b)
			return NULL;
		b->size = room;
		b->next = arena->head;
		arena->head = b;
	}
	b->used += size;
	return b->bytes + b->used - size;
}

char *arena_copy(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	return copy ? memcpy(copy, text, len) : NULL;
}

void arena_merge(struct arena *arena, struct arena *from)
{
	struct arena_block **end = &arena->head;

	while (*end)
		end = &(*end)->next;
	*end = from->head;
	from->head = NULL;
}

void arena_free(struct arena *arena)
{
	for (struct arena_block *next, *b = arena->head; b; b = next) {
		next = b->next;
		free(b);
	}
	arena->head = NULL;
}
