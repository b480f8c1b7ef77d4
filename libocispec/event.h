/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* event.h - what a JSON tokenizer tells the reader. The one seam to swap the tokenizer at. */
#ifndef OCISPEC_EVENT_H
#define OCISPEC_EVENT_H
#include <stdbool.h>
#include <stddef.h>

/* Each returns false to stop. */
struct json_events {
	bool (*null)(void *ctx);
	bool (*boolean)(void *ctx, bool value);
	bool (*number)(void *ctx, const char *text, size_t len);
	bool (*string)(void *ctx, const char *text, size_t len);
	bool (*object)(void *ctx);
	bool (*key)(void *ctx, const char *text, size_t len);
	bool (*object_end)(void *ctx);
	bool (*array)(void *ctx);
	bool (*array_end)(void *ctx);
};

/* Returns NULL, or what is wrong with the JSON ("" when an event stopped it);
 * *offset is then the byte where it happened. */
const char *json_scan(const char *json, size_t len, const struct json_events *on, void *ctx,
		      size_t *offset);
#endif
