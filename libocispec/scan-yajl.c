/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scan-yajl - the tokenizer seam, over yajl: the only file that knows it. */
#include "event.h"

#include <string.h>
#include <yajl/yajl_parse.h>

struct shim {
	const struct json_events *on;
	void *ctx;
};

static int y_null(void *ctx)
{
	struct shim *s = ctx;

	return s->on->null(s->ctx);
}

static int y_boolean(void *ctx, int value)
{
	struct shim *s = ctx;

	return s->on->boolean(s->ctx, value);
}

static int y_number(void *ctx, const char *text, size_t len)
{
	struct shim *s = ctx;

	return s->on->number(s->ctx, text, len);
}

static int y_string(void *ctx, const unsigned char *text, size_t len)
{
	struct shim *s = ctx;

	return s->on->string(s->ctx, (const char *)text, len);
}

static int y_object(void *ctx)
{
	struct shim *s = ctx;

	return s->on->object(s->ctx);
}

static int y_key(void *ctx, const unsigned char *text, size_t len)
{
	struct shim *s = ctx;

	return s->on->key(s->ctx, (const char *)text, len);
}

static int y_object_end(void *ctx)
{
	struct shim *s = ctx;

	return s->on->object_end(s->ctx);
}

static int y_array(void *ctx)
{
	struct shim *s = ctx;

	return s->on->array(s->ctx);
}

static int y_array_end(void *ctx)
{
	struct shim *s = ctx;

	return s->on->array_end(s->ctx);
}

static const yajl_callbacks callbacks = {
	.yajl_null = y_null,
	.yajl_boolean = y_boolean,
	.yajl_number = y_number,
	.yajl_string = y_string,
	.yajl_start_map = y_object,
	.yajl_map_key = y_key,
	.yajl_end_map = y_object_end,
	.yajl_start_array = y_array,
	.yajl_end_array = y_array_end,
};

/* yajl's own words for what is wrong, without the excerpt that it draws below. */
static const char *describe(yajl_handle handle, const char *json, size_t len)
{
	static const struct {
		const char *theirs, *ours;
	} words[] = {
		{ "premature EOF", "document ends too early" },
		{ "invalid bytes in UTF8", "invalid UTF-8" },
		{ "trailing garbage", "something follows the document" },
	};
	unsigned char *theirs = yajl_get_error(handle, 0, (const unsigned char *)json, len);
	const char *ours = "malformed JSON";

	for (size_t i = 0; theirs && i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr((char *)theirs, words[i].theirs))
			ours = words[i].ours;
	if (theirs)
		yajl_free_error(handle, theirs);
	return ours;
}

const char *json_scan(const char *json, size_t len, const struct json_events *on, void *ctx,
		      size_t *offset)
{
	struct shim shim = { on, ctx };
	yajl_handle handle = yajl_alloc(&callbacks, NULL, &shim);
	const char *wrong = NULL;
	yajl_status status;

	if (!handle)
		return "out of memory";
	status = yajl_parse(handle, (const unsigned char *)json, len);
	*offset = yajl_get_bytes_consumed(handle);
	if (status == yajl_status_ok)
		status = yajl_complete_parse(handle);
	if (status == yajl_status_client_canceled)
		wrong = "";
	else if (status != yajl_status_ok)
		wrong = len ? describe(handle, json, len) : "empty document";
	yajl_free(handle);
	return wrong;
}
