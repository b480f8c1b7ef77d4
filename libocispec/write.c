/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "write.h"

#include <inttypes.h>

/* @depth: of indentation; negative: all on one line. */
static void write_object(FILE *out, const struct desc *desc, const void *object, int depth);

void ocispec_write_string(FILE *out, const char *text)
{
	(void)putc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20)
			(void)fprintf(out, "\\u%04x", c);
		else
			(void)fprintf(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
	}
	(void)putc('"', out);
}

static void new_line(FILE *out, int depth)
{
	if (depth >= 0)
		(void)fprintf(out, "\n%*s", 2 * depth, "");
}

static int deeper(int depth)
{
	return depth < 0 ? depth : depth + 1;
}

static void write_value(FILE *out, const struct field *f, const void *at, int depth)
{
	switch (f->kind) {
	case KIND_STRING:
		ocispec_write_string(out, *(char *const *)at);
		break;
	case KIND_BOOL:
		(void)fputs(((const struct opt_bool *)at)->value ? "true" : "false", out);
		break;
	case KIND_INT:
		(void)fprintf(out, "%" PRId64, ((const struct opt_int *)at)->value);
		break;
	case KIND_UINT:
		(void)fprintf(out, "%" PRIu64,
			      f->flags & LIST ? *(const uint64_t *)at :
						((const struct opt_uint *)at)->value);
		break;
	case KIND_ENUM:
		ocispec_write_string(out, f->names[((const struct opt_int *)at)->value]);
		break;
	default:
		write_object(out, f->type, f->flags & BOXED ? *(void *const *)at : at, depth);
	}
}

/* The i-th element of what @f describes, its name in front where it has one. */
static void write_element(FILE *out, const struct field *f, const char *list, size_t i, int depth)
{
	const struct pair *pair = (const struct pair *)list + i;

	if (f->kind == KIND_PAIRS) {
		ocispec_write_string(out, pair->key);
		(void)fputs(depth < 0 ? ":" : ": ", out);
		ocispec_write_string(out, pair->value);
	} else if (f->kind == KIND_NAMED) {
		const char *element = list + i * f->type->size;

		ocispec_write_string(out, *(char *const *)element);
		(void)fputs(depth < 0 ? ":" : ": ", out);
		write_object(out, f->type, element, depth);
	} else {
		write_value(out, f, list + i * ocispec_element_size(f), depth);
	}
}

static void write_elements(FILE *out, const struct field *f, const struct str_list *list, int depth)
{
	bool is_list = f->flags & LIST;

	(void)putc(is_list ? '[' : '{', out);
	for (size_t i = 0; i < list->len; i++) {
		(void)fputs(i ? "," : "", out);
		new_line(out, deeper(depth));
		write_element(out, f, (const char *)list->at, i, deeper(depth));
	}
	if (list->len)
		new_line(out, depth);
	(void)putc(is_list ? ']' : '}', out);
}

static bool is_many(const struct field *f)
{
	return f->flags & LIST || f->kind == KIND_PAIRS || f->kind == KIND_NAMED;
}

static bool is_set(const struct field *f, const void *at)
{
	if (is_many(f))
		return ((const struct str_list *)at)->at;
	if (f->kind == KIND_STRING || f->flags & BOXED)
		return *(void *const *)at;
	return ((const struct opt_bool *)at)->set;
}

static void write_object(FILE *out, const struct desc *desc, const void *object, int depth)
{
	bool any = false;

	(void)putc('{', out);
	for (const struct field *f = desc->fields; f->name; f++) {
		const void *at = (const char *)object + f->offset;

		if (!is_set(f, at))
			continue;
		(void)fputs(any ? "," : "", out);
		any = true;
		new_line(out, deeper(depth));
		ocispec_write_string(out, f->name);
		(void)fputs(depth < 0 ? ":" : ": ", out);
		if (is_many(f))
			write_elements(out, f, at, deeper(depth));
		else
			write_value(out, f, at, deeper(depth));
	}
	if (any)
		new_line(out, depth);
	(void)putc('}', out);
}

void ocispec_write(FILE *out, const struct desc *desc, const void *object)
{
	write_object(out, desc, object, -1);
}

void ocispec_write_pretty(FILE *out, const struct desc *desc, const void *object)
{
	write_object(out, desc, object, 0);
}
