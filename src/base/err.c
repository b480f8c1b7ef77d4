/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

static void append(struct err *err, const char *separator, const char *text)
{
	size_t used = strlen(err->text);

	(void)snprintf(err->text + used, sizeof(err->text) - used, "%s%s", separator, text);
}

int err_set(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	err->code = 0;
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -1;
}

int err_errno(struct err *err, int code, const char *fmt, ...)
{
	char reason[128];
	va_list ap;

	if (!err)
		return -1;
	err->code = code < 0 ? -code : code;
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	str_sentence_part(strerror(err->code), reason, sizeof(reason));
	append(err, ": ", reason);
	return -1;
}

int err_as(struct err *err, int code)
{
	if (err)
		err->code = code;
	return -1;
}

int err_pass(struct err *err, const struct err *why)
{
	if (err)
		*err = *why;
	return -1;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	char old[sizeof(err->text)];
	va_list ap;

	if (!err)
		return -1;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	append(err, ": ", old);
	return -1;
}
