/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/str.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

const char *str_after(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) ? NULL : text + len;
}

bool str_ends(const char *text, const char *suffix)
{
	size_t len = strlen(text), end = strlen(suffix);

	return len >= end && str_eq(text + len - end, suffix);
}

bool str_to_uint(const char *text, uint64_t max, uint64_t *ret)
{
	uint64_t n = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		unsigned digit = (unsigned char)*text - '0';

		if (digit > 9 || n > (UINT64_MAX - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	if (n > max)
		return false;
	*ret = n;
	return true;
}

bool str_to_int(const char *text, int64_t min, int64_t max, int64_t *ret)
{
	bool negative = *text == '-';
	uint64_t n, most = negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
	int64_t value;

	if (!str_to_uint(text + negative, most, &n))
		return false;
	value = negative ? -(int64_t)(n - (n > 0)) - (n > 0) : (int64_t)n;
	if (value < min || value > max)
		return false;
	*ret = value;
	return true;
}

char *str_printf(const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	return n < 0 ? NULL : text;
}

uint64_t str_hash(const char *text, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
	return hash;
}

int str_index(const char *const *names, const char *text)
{
	for (int i = 0; names[i]; i++)
		if (str_eq(names[i], text))
			return i;
	return -1;
}

void str_sentence_part(const char *text, char *ret, size_t room)
{
	(void)snprintf(ret, room, "%s", text);
	if (*ret && islower((unsigned char)ret[1]))
		*ret = (char)tolower((unsigned char)*ret);
}
