/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* write.h - a described C struct to JSON text. */
#ifndef OCISPEC_WRITE_H
#define OCISPEC_WRITE_H
#include <stdio.h>
#include "desc.h"

/* Writes @object to @out; members that aren't set are left out.
 * Write errors stay in @out (see ferror(3)). */
void ocispec_write(FILE *out, const struct desc *desc, const void *object);

/* The same over several lines, two spaces a level, no newline at the end. */
void ocispec_write_pretty(FILE *out, const struct desc *desc, const void *object);

/* @text as a JSON string, quotes included. */
void ocispec_write_string(FILE *out, const char *text);
#endif
