/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* desc.h - the vocabulary in which an OCI type is described.
 *
 * A type is a plain C struct plus one `struct desc`: a table with a row for
 * each JSON member.  The reader, the writer and the checks all walk these
 * tables; nothing else knows the shape of an OCI document.
 */
#ifndef OCISPEC_DESC_H
#define OCISPEC_DESC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A member that may be absent.  @value is meaningful only when @set. */
struct opt_int {
	bool set;
	int64_t value;
};
struct opt_uint {
	bool set;
	uint64_t value;
};
struct opt_bool {
	bool set;
	bool value;
};

struct str_list {
	char **at;
	size_t len;
};
struct uint_list {
	uint64_t *at;
	size_t len;
};
struct pair {
	char *key, *value;
};
struct pair_list {
	struct pair *at;
	size_t len;
};

enum kind {
	KIND_STRING,
	KIND_BOOL,
	KIND_INT,
	KIND_UINT,
	KIND_ENUM,
	KIND_OBJECT,
	KIND_PAIRS,
	KIND_NAMED
};

enum {
	REQUIRED = 1 << 0, /* absence is an error */
	LIST = 1 << 1,	   /* the member is a JSON array of `kind` */
	BOXED = 1 << 2,	   /* an object held by pointer, NULL when absent */
};

struct desc;

struct field {
	const char *name; /* JSON member name */
	uint8_t kind;	  /* enum kind */
	uint8_t flags;
	uint16_t offset; /* of the member in the C struct */
	int64_t min;	 /* KIND_INT and KIND_UINT: inclusive range */
	uint64_t max;
	union {
		const struct desc *type;  /* KIND_OBJECT; KIND_NAMED: starts with a `char *key` */
		const char *const *names; /* KIND_ENUM: NULL-terminated */
	};
};

struct desc {
	const char *name;			  /* for messages: "process" */
	size_t size;				  /* of the C struct */
	const struct field *fields;		  /* ends with a row whose name is NULL */
	const char *(*check)(const void *object); /* cross-member rule: NULL, or what is wrong */
};

/* The offset of @member, provided that it has the C type @ctype: a row that
 * disagrees with its struct doesn't compile. */
#define AT(T, member, ctype)                                                                   \
	((uint16_t)(offsetof(T, member) +                                                      \
		    0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((T *)0)->member), \
								 ctype) ?                      \
					    1 :                                                \
					    -1])))

#define F_STRING(T, m, json, fl)                                                           \
	{                                                                                  \
		.name = json, .kind = KIND_STRING, .flags = fl, .offset = AT(T, m, char *) \
	}
#define F_STRINGS(T, m, json, fl)                                        \
	{                                                                \
		.name = json, .kind = KIND_STRING, .flags = LIST | (fl), \
		.offset = AT(T, m, struct str_list)                      \
	}
#define F_UINTS(T, m, json, fl, hi)                                    \
	{                                                              \
		.name = json, .kind = KIND_UINT, .flags = LIST | (fl), \
		.offset = AT(T, m, struct uint_list), .max = hi        \
	}
#define F_BOOL(T, m, json, fl)                                                                    \
	{                                                                                         \
		.name = json, .kind = KIND_BOOL, .flags = fl, .offset = AT(T, m, struct opt_bool) \
	}
#define F_INT(T, m, json, fl, lo, hi)                                                            \
	{                                                                                        \
		.name = json, .kind = KIND_INT, .flags = fl, .offset = AT(T, m, struct opt_int), \
		.min = lo, .max = hi                                                             \
	}
#define F_UINT(T, m, json, fl, hi)                                                                 \
	{                                                                                          \
		.name = json, .kind = KIND_UINT, .flags = fl, .offset = AT(T, m, struct opt_uint), \
		.max = hi                                                                          \
	}
#define F_ENUM(T, m, json, fl, tab)                                                               \
	{                                                                                         \
		.name = json, .kind = KIND_ENUM, .flags = fl, .offset = AT(T, m, struct opt_int), \
		.names = tab                                                                      \
	}
#define F_PAIRS(T, m, json, fl)                                \
	{                                                      \
		.name = json, .kind = KIND_PAIRS, .flags = fl, \
		.offset = AT(T, m, struct pair_list)           \
	}
#define F_OBJECT(T, m, json, fl, d, C)                                                             \
	{                                                                                          \
		.name = json, .kind = KIND_OBJECT, .flags = BOXED | (fl), .offset = AT(T, m, C *), \
		.type = d                                                                          \
	}
#define F_OBJECTS(T, m, json, fl, d, L)                                                         \
	{                                                                                       \
		.name = json, .kind = KIND_OBJECT, .flags = LIST | (fl), .offset = AT(T, m, L), \
		.type = d                                                                       \
	}
#define F_NAMED(T, m, json, fl, d, L)                                                           \
	{                                                                                       \
		.name = json, .kind = KIND_NAMED, .flags = fl, .offset = AT(T, m, L), .type = d \
	}
#define F_END     \
	{         \
		0 \
	}

/* Bytes of one element in a list of @field. */
size_t ocispec_element_size(const struct field *field);

#endif
