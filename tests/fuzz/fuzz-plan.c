/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a configuration to a plan, for root and for a user, to be run and to be joined: it is
 * refused in words that name the file, or planned, and the same twice.
 */
#include <string.h>

#include <ocispec.h>

#include "base/scope.h"
#include "base/str.h"
#include "fuzz.h"
#include "plan/dump.h"
#include "plan/plan.h"

typedef int maker(struct plan *plan, const struct plan_input *in, struct err *err);

/* The plan as text, or the refusal. */
static char *outcome(maker *make, const struct plan_input *in)
{
	struct plan plan = { 0 };
	struct err err = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out;

	if (make(&plan, in, &err) < 0) {
		must(str_after(err.text, "config.json: "));
		plan_free(&plan);
		text = strdup(err.text);
		must(text);
		return text;
	}
	must(!err.text[0]);
	out = open_memstream(&text, &size);
	must(out);
	plan_dump(out, &plan);
	must(fclose(out) == 0);
	plan_free(&plan);
	return text;
}

static void same_twice(maker *make, const struct oci_config *config, bool privileged)
{
	const struct plan_input in = {
		.config = config,
		.id = "fuzz",
		.bundle = "/bundle",
		.privileged = privileged,
	};
	autofree char *first = outcome(make, &in);
	autofree char *second = outcome(make, &in);

	must(str_eq(first, second));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct read_error error;
	const struct oci_config *config =
		ocispec_read(&oci_config_desc, (const char *)data, size, &arena, &error);

	for (int privileged = 0; config && privileged < 2; privileged++) {
		same_twice(plan_make, config, privileged);
		same_twice(plan_make_exec, config, privileged);
	}
	arena_free(&arena);
	return 0;
}
