/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values stay where argv has them; lists of them are the arena's. */
#include "cli/options.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"

struct parser {
	const struct option_row *rows;
	char **argv; /* the next word */
	struct arguments *out;
	struct err *err;
};

static const struct option_row *by_name(const struct option_row *rows, const char *name, size_t len)
{
	for (; rows->name; rows++)
		if (strlen(rows->name) == len && !strncmp(rows->name, name, len))
			return rows;
	return NULL;
}

static const struct option_row *by_letter(const struct option_row *rows, char letter)
{
	for (; rows->name; rows++)
		if (rows->letter && rows->letter == letter)
			return rows;
	return NULL;
}

static int set_flag(struct parser *p, const struct option_row *row, const char *value)
{
	bool *at = (bool *)((char *)p->out + row->offset);

	if (!value || str_eq(value, "true") || str_eq(value, "1"))
		*at = true;
	else if (str_eq(value, "false") || str_eq(value, "0"))
		*at = false;
	else
		return err_set(p->err, "option --%s: \"%s\" is neither true nor false", row->name,
			       value);
	return 0;
}

static int add_text(struct parser *p, const struct option_row *row, const char *value)
{
	struct str_list *list = (struct str_list *)((char *)p->out + row->offset);
	char **bigger = arena_alloc(&p->out->arena, (list->len + 2) * sizeof(*bigger));

	if (!bigger)
		return err_errno(p->err, ENOMEM, "options");
	if (list->len)
		memcpy(bigger, list->at, list->len * sizeof(*bigger));
	bigger[list->len++] = (char *)value;
	list->at = bigger;
	return 0;
}

static int set_value(struct parser *p, const struct option_row *row, const char *value)
{
	void *at = (char *)p->out + row->offset;
	uint64_t n;

	switch (row->kind) {
	case OPTION_TEXT:
		*(const char **)at = value;
		return 0;
	case OPTION_TEXTS:
		return add_text(p, row, value);
	case OPTION_COUNT:
		if (!str_to_uint(value, 1 << 20, &n))
			return err_set(p->err, "option --%s: \"%s\" is no number", row->name,
				       value);
		*(unsigned *)at = (unsigned)n;
		return 0;
	case OPTION_V1_TEXT:
		log_warn("option --%s ignored: it is for cgroup v1 alone", row->name);
		return 0;
	default:
		return 0;
	}
}

bool option_is_flag(const struct option_row *row)
{
	return row->kind == OPTION_FLAG || row->kind == OPTION_IGNORED;
}

static int take_option(struct parser *p, const struct option_row *row, const char *value)
{
	if (row->kind == OPTION_FLAG)
		return set_flag(p, row, value);
	if (row->kind == OPTION_IGNORED)
		return 0;
	if (!value) {
		value = *p->argv;
		if (!value) /* two wordings that callers look for (peers.md 2.2) */
			return err_set(p->err,
				       "flag needs an argument: option --%s requires an argument",
				       row->name);
		p->argv++;
	}
	return set_value(p, row, value);
}

static int long_option(struct parser *p, const char *word, const char *name)
{
	const char *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	const struct option_row *row = by_name(p->rows, name, len);

	if (!row)
		return err_set(p->err, "unknown option %s", word);
	return take_option(p, row, equals ? equals + 1 : NULL);
}

/* One dash: a long name in Go's fashion, else letters. */
static int short_option(struct parser *p, const char *word)
{
	const char *name = word + 1;

	if (by_name(p->rows, name, strcspn(name, "=")))
		return long_option(p, word, name);
	for (; *name; name++) {
		const struct option_row *row = by_letter(p->rows, *name);

		if (!row)
			return err_set(p->err, "unknown option %s", word);
		if (name[1] == '=' || (name[1] && !option_is_flag(row)))
			return take_option(p, row, name + 1 + (name[1] == '='));
		if (take_option(p, row, NULL) < 0)
			return -1;
	}
	return 0;
}

static bool is_number(const char *word)
{
	return word[1] >= '0' && word[1] <= '9'; /* kill ID -9 */
}

int options_parse(const struct option_row *rows, char **argv, bool stop_early,
		  struct arguments *ret, struct err *err)
{
	struct parser p = { rows, argv + 1, ret, err };
	size_t words = 0;

	while (argv[words])
		words++;
	ret->positional = arena_alloc(&ret->arena, (words + 1) * sizeof(char *));
	if (!ret->positional)
		return err_errno(err, ENOMEM, "options");
	ret->positional_len = 0;
	while (*p.argv) {
		char *word = *p.argv++;
		int result = 0;

		if (str_eq(word, "--")) {
			while (*p.argv)
				ret->positional[ret->positional_len++] = *p.argv++;
		} else if (word[0] != '-' || !word[1] || is_number(word)) {
			ret->positional[ret->positional_len++] = word;
			while (stop_early && *p.argv)
				ret->positional[ret->positional_len++] = *p.argv++;
		} else {
			result = word[1] == '-' ? long_option(&p, word, word + 2) :
						  short_option(&p, word);
		}
		if (result < 0)
			return -1;
	}
	return 0;
}
