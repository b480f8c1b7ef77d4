/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* str - small text helpers: strict numbers, prefixes, formatting onto the heap. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool str_eq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* What follows @prefix in @text, or NULL when @text starts otherwise. */
const char *str_after(const char *text, const char *prefix);

/* True when @text ends in @suffix. */
bool str_ends(const char *text, const char *suffix);

/*
 * The number that is the whole of @text in decimal digits, no sign, no space, at
 * most @max.  Returns false, *@ret untouched, for anything else.
 */
bool str_to_uint(const char *text, uint64_t max, uint64_t *ret);

/* The same with an optional leading '-' and a range. */
bool str_to_int(const char *text, int64_t min, int64_t max, int64_t *ret);

/* As asprintf(3), but NULL when out of memory.  Owned by the caller. */
char *str_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * A 64-bit hash of @len bytes (FNV-1a): it tells a torn text from a whole one and
 * spreads names; it keeps nobody out.
 */
uint64_t str_hash(const char *text, size_t len);

/* The system's @text as the end of a sentence, cut to @room: "No such file" as "no such file". */
void str_sentence_part(const char *text, char *ret, size_t room);

/* The index of @text in the NULL-terminated @names, or -1. */
int str_index(const char *const *names, const char *text);

#endif
