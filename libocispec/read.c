/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A stack of open objects, each walking its type's rows.  Lists grow in the
 * arena by doubling; what a list has outgrown stays there until the end.
 */
#include "read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event.h"

enum { DEPTH_MAX = 16, SKIP_DEPTH_MAX = 128, LIST_MIN = 4, SHOWN_MAX = 40 };

/* One open JSON object: the row being filled and the rows seen so far. */
struct frame {
	const struct desc *desc;
	char *object;
	const struct field *field; /* of the key just read; NULL: unknown member */
	uint64_t seen;		   /* bit i: fields[i] was present */
	size_t index;		   /* elements so far of the list being read */
	bool in_list;
	char *name; /* the key just read inside a KIND_PAIRS or KIND_NAMED member */
	bool in_map;
};

struct reader {
	struct arena *arena;
	struct read_error *error;
	void *root;
	const struct desc *root_desc;
	struct frame stack[DEPTH_MAX];
	unsigned depth;
	unsigned skip; /* open brackets inside an unknown member */
	size_t token;  /* length of the token just read, for the error's place */
};

static struct frame *top(struct reader *r)
{
	return r->depth ? &r->stack[r->depth - 1] : NULL;
}

static void add_text(struct read_error *error, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add_text(struct read_error *error, const char *fmt, ...)
{
	size_t used = strlen(error->text);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(error->text + used, sizeof(error->text) - used, fmt, ap);
	va_end(ap);
}

/* The path of what is being read: linux.namespaces[3].type */
static void add_path(struct reader *r)
{
	for (unsigned i = 0; i < r->depth && r->stack[i].field; i++) {
		const struct frame *f = &r->stack[i];

		add_text(r->error, "%s%s", i ? "." : "", f->field->name);
		if (f->in_list)
			add_text(r->error, "[%zu]", f->index);
		if (f->in_map && f->name)
			add_text(r->error, "[\"%s\"]", f->name);
	}
}

static bool fail(struct reader *r, const char *what)
{
	add_path(r);
	add_text(r->error, "%s%s", r->error->text[0] ? ": " : "", what);
	return false;
}

static const char *expected_kind(const struct field *field, bool in_list, bool in_map)
{
	static const char *const names[] = {
		[KIND_STRING] = "a string", [KIND_BOOL] = "a boolean",	[KIND_INT] = "an integer",
		[KIND_UINT] = "an integer", [KIND_ENUM] = "a string",	[KIND_OBJECT] = "an object",
		[KIND_PAIRS] = "an object", [KIND_NAMED] = "an object",
	};

	if (field->flags & LIST && !in_list)
		return "an array";
	if (in_map && field->kind == KIND_PAIRS)
		return "a string";
	return names[field->kind];
}

/* "expected an integer, got \"1G\""; @got describes the value. */
static bool mismatch(struct reader *r, const char *got)
{
	const struct frame *f = top(r);
	char what[160];

	if (!f || !f->field)
		return fail(r, "expected an object");
	(void)snprintf(what, sizeof(what), "expected %s, got %s",
		       expected_kind(f->field, f->in_list, f->in_map), got);
	return fail(r, what);
}

static bool mismatch_text(struct reader *r, const char *quote, const char *text, size_t len)
{
	char got[SHOWN_MAX + 16];

	(void)snprintf(got, sizeof(got), "%s%.*s%s%s", quote,
		       (int)(len < SHOWN_MAX ? len : SHOWN_MAX), text, len > SHOWN_MAX ? "..." : "",
		       quote);
	return mismatch(r, got);
}

/* Room for one more element in the list at @list, grown by doubling. */
static void *list_add(struct reader *r, void *list, size_t size)
{
	struct {
		char *at;
		size_t len;
	} l;
	char *bigger;

	memcpy(&l, list, sizeof(l));
	if (l.len == 0 || (l.len >= LIST_MIN && (l.len & (l.len - 1)) == 0)) {
		bigger = arena_alloc(r->arena, (l.len ? 2 * l.len : LIST_MIN) * size);
		if (!bigger) {
			(void)fail(r, "out of memory");
			return NULL;
		}
		if (l.len)
			memcpy(bigger, l.at, l.len * size);
		l.at = bigger;
	}
	l.len++;
	memcpy(list, &l, sizeof(l));
	return l.at + (l.len - 1) * size;
}

size_t ocispec_element_size(const struct field *f)
{
	switch (f->kind) {
	case KIND_STRING:
		return sizeof(char *);
	case KIND_OBJECT:
		return f->type->size;
	case KIND_UINT:
		return sizeof(uint64_t);
	default:
		return sizeof(struct opt_int);
	}
}

/* True when a value is to be ignored: it belongs to an unknown member. */
static bool is_ignored(struct reader *r)
{
	return r->skip || (top(r) && !top(r)->field);
}

/* True when a value of @kind may stand here. */
static bool fits(struct reader *r, enum kind kind)
{
	const struct frame *f = top(r);

	return f && f->field && f->field->kind == kind && !f->in_map &&
	       !!(f->field->flags & LIST) == f->in_list;
}

/* Where the value that has just begun goes; NULL: out of memory, failed. */
static void *slot(struct reader *r)
{
	struct frame *f = top(r);
	char *member = f->object + f->field->offset;

	return f->in_list ? list_add(r, member, ocispec_element_size(f->field)) : member;
}

static bool element_done(struct reader *r)
{
	if (top(r) && top(r)->in_list)
		top(r)->index++;
	return true;
}

static bool on_null(void *ctx)
{
	struct reader *r = ctx;
	struct frame *f = top(r);

	r->token = 4;
	if (is_ignored(r))
		return true;
	if (!f || f->in_list || f->in_map)
		return mismatch(r, "null");
	f->seen &= ~(1ULL << (f->field - f->desc->fields)); /* as good as absent */
	return true;
}

static bool on_boolean(void *ctx, bool value)
{
	struct reader *r = ctx;
	struct opt_bool *at;

	r->token = value ? 4 : 5;
	if (is_ignored(r))
		return true;
	if (!fits(r, KIND_BOOL))
		return mismatch(r, value ? "true" : "false");
	at = slot(r);
	if (!at)
		return false;
	*at = (struct opt_bool){ true, value };
	return element_done(r);
}

static bool store_uint(struct reader *r, const char *digits)
{
	const struct frame *f = top(r);
	uint64_t value;
	void *at;

	errno = 0;
	value = strtoull(digits, NULL, 10);
	if (errno || *digits == '-' || value > f->field->max)
		return fail(r, "number out of range");
	at = slot(r);
	if (!at)
		return false;
	if (f->in_list)
		*(uint64_t *)at = value;
	else
		*(struct opt_uint *)at = (struct opt_uint){ true, value };
	return element_done(r);
}

static bool store_int(struct reader *r, const char *digits)
{
	const struct frame *f = top(r);
	int64_t value;
	struct opt_int *at;

	errno = 0;
	value = strtoll(digits, NULL, 10);
	if (errno || value < f->field->min || (value > 0 && (uint64_t)value > f->field->max))
		return fail(r, "number out of range");
	at = slot(r);
	if (!at)
		return false;
	*at = (struct opt_int){ true, value };
	return element_done(r);
}

static bool on_number(void *ctx, const char *text, size_t len)
{
	struct reader *r = ctx;
	char digits[24];
	bool is_uint = fits(r, KIND_UINT);

	r->token = len;
	if (is_ignored(r))
		return true;
	if (!is_uint && !fits(r, KIND_INT))
		return mismatch_text(r, "", text, len);
	if (memchr(text, '.', len) || memchr(text, 'e', len) || memchr(text, 'E', len))
		return mismatch_text(r, "", text, len);
	if (len >= sizeof(digits))
		return fail(r, "number out of range");
	memcpy(digits, text, len);
	digits[len] = '\0';
	return is_uint ? store_uint(r, digits) : store_int(r, digits);
}

static bool store_enum(struct reader *r, const char *text, size_t len)
{
	const char *const *names = top(r)->field->names;
	struct opt_int *at;
	char what[SHOWN_MAX + 32];

	for (int i = 0; names[i]; i++) {
		if (strlen(names[i]) != len || memcmp(names[i], text, len) != 0)
			continue;
		at = slot(r);
		if (!at)
			return false;
		*at = (struct opt_int){ true, i };
		return element_done(r);
	}
	(void)snprintf(what, sizeof(what),
		       "unknown value \"%.*s\"; known:", (int)(len < SHOWN_MAX ? len : SHOWN_MAX),
		       text);
	(void)fail(r, what);
	for (int i = 0; names[i]; i++)
		add_text(r->error, "%s %s", i ? "," : "", names[i]);
	return false;
}

static bool store_pair(struct reader *r, char *value)
{
	struct frame *f = top(r);
	struct pair *p = list_add(r, f->object + f->field->offset, sizeof(*p));

	if (!p)
		return false;
	*p = (struct pair){ f->name, value };
	return true;
}

static bool on_string(void *ctx, const char *text, size_t len)
{
	struct reader *r = ctx;
	const struct frame *f = top(r);
	bool is_pair = f && f->field && f->in_map && f->field->kind == KIND_PAIRS;
	char **at, *copy;

	r->token = len + 2;
	if (is_ignored(r))
		return true;
	if (fits(r, KIND_ENUM))
		return store_enum(r, text, len);
	if (!is_pair && !fits(r, KIND_STRING))
		return mismatch_text(r, "\"", text, len);
	if (memchr(text, '\0', len))
		return fail(r, "holds a NUL character");
	copy = arena_copy(r->arena, text, len);
	if (!copy)
		return fail(r, "out of memory");
	if (is_pair)
		return store_pair(r, copy);
	at = slot(r);
	if (!at)
		return false;
	*at = copy;
	return element_done(r);
}

static bool push(struct reader *r, const struct desc *desc, void *object)
{
	if (!object)
		return fail(r, "out of memory");
	if (r->depth == DEPTH_MAX)
		return fail(r, "nested too deeply");
	r->stack[r->depth++] = (struct frame){ .desc = desc, .object = object };
	return true;
}

static bool skip_deeper(struct reader *r)
{
	return ++r->skip <= SKIP_DEPTH_MAX || fail(r, "nested too deeply");
}

static bool open_map(struct reader *r)
{
	struct frame *f = top(r);
	struct {
		void *at;
		size_t len;
	} *list = (void *)(f->object + f->field->offset);

	if (!list->at) /* an empty map is not an absent one */
		list->at = arena_alloc(r->arena, sizeof(struct pair));
	f->name = NULL;
	return f->in_map = true;
}

static bool open_named(struct reader *r)
{
	struct frame *f = top(r);
	void *at = list_add(r, f->object + f->field->offset, f->field->type->size);

	if (!at)
		return false;
	*(char **)at = f->name;
	return push(r, f->field->type, at);
}

static bool on_object(void *ctx)
{
	struct reader *r = ctx;
	struct frame *f = top(r);
	void *at;

	r->token = 1;
	if (!f)
		return push(r, r->root_desc, r->root = arena_alloc(r->arena, r->root_desc->size));
	if (is_ignored(r))
		return skip_deeper(r);
	if ((f->field->kind == KIND_PAIRS || f->field->kind == KIND_NAMED) && !f->in_map)
		return open_map(r);
	if (f->in_map && f->field->kind == KIND_NAMED)
		return open_named(r);
	if (!fits(r, KIND_OBJECT))
		return mismatch(r, "an object");
	at = slot(r);
	if (!at)
		return false;
	if (f->field->flags & BOXED)
		at = *(void **)at = arena_alloc(r->arena, f->field->type->size);
	return push(r, f->field->type, at);
}

static const struct field *find_field(const struct desc *desc, const char *text, size_t len)
{
	for (const struct field *row = desc->fields; row->name; row++)
		if (strlen(row->name) == len && !memcmp(row->name, text, len))
			return row;
	for (const struct field *row = desc->fields; row->name; row++)
		if (strlen(row->name) == len && !strncasecmp(row->name, text, len))
			return row;
	return NULL;
}

static bool map_key(struct reader *r, const char *text, size_t len)
{
	struct frame *f = top(r);

	if (memchr(text, '\0', len))
		return fail(r, "a name holds a NUL character");
	f->name = arena_copy(r->arena, text, len);
	return f->name || fail(r, "out of memory");
}

static bool on_key(void *ctx, const char *text, size_t len)
{
	struct reader *r = ctx;
	struct frame *f = top(r);
	uint64_t bit;

	r->token = len + 2;
	if (r->skip)
		return true;
	if (f->in_map)
		return map_key(r, text, len);
	f->field = find_field(f->desc, text, len);
	if (!f->field)
		return true;
	bit = 1ULL << (f->field - f->desc->fields);
	if (f->seen & bit)
		return fail(r, "given twice");
	f->seen |= bit;
	return true;
}

static bool on_object_end(void *ctx)
{
	struct reader *r = ctx;
	struct frame *f = top(r);
	const char *wrong;

	r->token = 1;
	if (r->skip) {
		r->skip--;
		return true;
	}
	if (f->in_map) {
		f->in_map = false;
		return true;
	}
	for (const struct field *row = f->desc->fields; row->name; row++)
		if ((row->flags & REQUIRED) && !(f->seen & 1ULL << (row - f->desc->fields))) {
			f->field = row;
			return fail(r, "required, but absent");
		}
	f->field = NULL;
	wrong = f->desc->check ? f->desc->check(f->object) : NULL;
	if (wrong)
		return fail(r, wrong);
	r->depth--;
	return element_done(r);
}

static bool on_array(void *ctx)
{
	struct reader *r = ctx;
	struct frame *f = top(r);
	struct {
		void *at;
		size_t len;
	} * list;

	r->token = 1;
	if (!f)
		return fail(r, "expected an object, got an array");
	if (is_ignored(r))
		return skip_deeper(r);
	if (!(f->field->flags & LIST) || f->in_list)
		return mismatch(r, "an array");
	list = (void *)(f->object + f->field->offset);
	if (!list->at) /* an empty list is not an absent one */
		list->at = arena_alloc(r->arena, sizeof(uint64_t));
	f->index = 0;
	return f->in_list = true;
}

static bool on_array_end(void *ctx)
{
	struct reader *r = ctx;

	r->token = 1;
	if (r->skip)
		r->skip--;
	else
		top(r)->in_list = false;
	return true;
}

static const struct json_events events = {
	on_null, on_boolean,	on_number, on_string,	 on_object,
	on_key,	 on_object_end, on_array,  on_array_end,
};

static void place(struct read_error *error, const char *json, size_t len)
{
	const char *line = json, *end = json + (error->offset < len ? error->offset : len),
		   *newline;

	error->line = 1;
	while ((newline = memchr(line, '\n', (size_t)(end - line)))) {
		error->line++;
		line = newline + 1;
	}
	error->column = (unsigned)(end - line) + 1;
}

void *ocispec_read(const struct desc *desc, const char *json, size_t len, struct arena *arena,
		   struct read_error *error)
{
	struct reader r = { .arena = arena, .error = error, .root_desc = desc };
	const char *wrong = "document too large";

	*error = (struct read_error){ 0 };
	if (len <= OCISPEC_SIZE_MAX)
		wrong = json_scan(json, len, &events, &r, &error->offset);
	if (!wrong && r.root)
		return r.root;
	if (error->text[0])
		error->offset -= r.token < error->offset ? r.token : error->offset;
	else if (wrong && *wrong)
		add_text(error, "%s", wrong);
	else
		add_text(error, "%s", len ? "expected an object" : "empty document");
	place(error, json, len);
	return NULL;
}
