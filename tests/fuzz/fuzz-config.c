/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading a document and writing it: what is read can be written, what is written can be read,
 * and then writing it again changes nothing, on one line or on many.
 */
#include <string.h>

#include <ocispec.h>

#include "base/scope.h"
#include "base/str.h"
#include "fuzz.h"
#include "store/record.h"

typedef void writer(FILE *out, const struct desc *desc, const void *object);

static char *write_text(writer *write, const struct desc *desc, const void *object)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	must(out);
	write(out, desc, object);
	must(fclose(out) == 0);
	return text;
}

static void check_error(const struct read_error *error, size_t size)
{
	must(error->text[0] && memchr(error->text, 0, sizeof(error->text)));
	must(error->offset <= size && error->line >= 1 && error->column >= 1);
}

static void round_trip(const struct desc *desc, const char *json, size_t size)
{
	struct arena arena = { 0 };
	struct read_error error = { 0 };
	void *object = ocispec_read(desc, json, size, &arena, &error);
	autofree char *first = NULL;
	autofree char *pretty = NULL;
	autofree char *second = NULL;

	if (!object) {
		check_error(&error, size);
		arena_free(&arena);
		return;
	}
	first = write_text(ocispec_write, desc, object);
	pretty = write_text(ocispec_write_pretty, desc, object);
	object = ocispec_read(desc, pretty, strlen(pretty), &arena, &error);
	must(object);
	second = write_text(ocispec_write, desc, object);
	must(str_eq(first, second));
	must(ocispec_read(desc, first, strlen(first), &arena, &error));
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct desc *const documents[] = { &oci_config_desc,   &oci_process_desc,
							&oci_seccomp_desc,  &oci_resources_desc,
							&oci_features_desc, &record_desc };

	for (size_t i = 0; i < ARRAY_LEN(documents); i++)
		round_trip(documents[i], (const char *)data, size);
	return 0;
}
