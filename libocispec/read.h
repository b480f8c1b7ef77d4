/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* read - JSON text to a described C struct. */
#ifndef OCISPEC_READ_H
#define OCISPEC_READ_H

#include "arena.h"
#include "desc.h"

enum { OCISPEC_SIZE_MAX = 16 << 20 }; /* bytes of a document */

struct read_error {
	size_t offset;	       /* byte where the document stopped making sense */
	unsigned line, column; /* the same for people, from 1 */
	char text[400];	       /* "process.user.uid: expected an integer, got \"0\"" */
};

/*
 * Reads @json, a @desc object, of @len bytes.  The result and all it points to
 * are owned by @arena, also when reading failed.  Returns NULL with @error filled
 * in when the text is no JSON or isn't a valid @desc: a value of another type or
 * out of range, a required member that is absent, a member given twice.  null is
 * as good as absent; unknown members are skipped, as the runtime specification
 * asks (config.md "Extensibility").  Names are matched exactly first, then
 * without regard to ASCII case.
 */
void *ocispec_read(const struct desc *desc, const char *json, size_t len, struct arena *arena,
		   struct read_error *error);

#endif
