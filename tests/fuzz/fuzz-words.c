/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every line of the input is given to each parser of a single word. */
#include <limits.h>
#include <string.h>
#include <sys/mount.h>

#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/sys.h"
#include "fuzz.h"
#include "host/caps.h"
#include "host/cpulist.h"
#include "host/signals.h"
#include "plan/cgroup-values.h"
#include "plan/mount-options.h"
#include "store/id.h"

static void check_mount_option(struct mount_options *options, const char *word)
{
	struct err err = { 0 };
	const char *key = word;
	int kind = mount_options_add(options, word, &key, &err);

	must((kind == MOUNT_WORD_DATA) == (str_index(mount_option_names, word) < 0));
	must(key == NULL || kind == MOUNT_WORD_SUPERBLOCK);
	must(!(options->set & options->clear & ~(uint64_t)MOUNT_ATTR__ATIME));
	must(!(options->recursive_set & options->recursive_clear & ~(uint64_t)MOUNT_ATTR__ATIME));
	must(options->propagation_len <= ARRAY_LEN(options->propagation));
	must((kind < 0) == (err.text[0] != '\0'));
}

static void check_capability(const char *word)
{
	char name[CAPS_NAME_SIZE];
	int cap = caps_number(word);

	must(cap >= -1 && cap < 64);
	must(cap < 0 || str_eq(caps_name(cap, name), word));
}

static void check_cpulist(const char *word)
{
	unsigned long bits[CPULIST_WORDS];
	const unsigned per_word = CHAR_BIT * sizeof(*bits), max = 100;

	if (!cpulist_parse(word, bits, max))
		return;
	for (unsigned i = max; i < CPULIST_MAX; i++)
		must(!(bits[i / per_word] >> i % per_word & 1));
}

static void check_id(const char *word)
{
	struct err err = { 0 };

	if (id_check(word, &err) == 0)
		must(*word && strlen(word) <= ID_MAX && *word != '.' && !strchr(word, '/'));
	else
		must(err.text[0]);
}

static void check_path(const char *word)
{
	autofree char *path = str_printf("/%s", word);
	autofree char *again = NULL;

	must(path);
	(void)path_clean(path);
	must(path[0] == '/' && !strstr(path, "//") && !strstr(path, "/./") &&
	     !strstr(path, "/../"));
	must(!path[1] || (!str_ends(path, "/") && !str_ends(path, "/.") && !str_ends(path, "/..")));
	again = strdup(path);
	must(again && str_eq(path_clean(again), path));
}

static void check_number(const char *word)
{
	uint64_t positive;
	int64_t number;

	if (str_to_uint(word, UINT64_MAX, &positive)) {
		must(strspn(word, "0123456789") == strlen(word));
		must(strtoull(word, NULL, 10) == positive);
		must(cpu_weight(positive) <= 10000 && (!positive || cpu_weight(positive) >= 1));
		must(positive == UINT64_MAX || cpu_weight(positive) <= cpu_weight(positive + 1));
	}
	if (str_to_uint(word, 1000, &positive)) {
		must(positive <= 1000 && io_weight(positive) <= 10000);
		must(positive < 10 || io_weight(positive) >= 1);
	}
	if (str_to_int(word, INT64_MIN, INT64_MAX, &number))
		must(strtoll(word, NULL, 10) == number);
	if (str_to_int(word, -1, 5, &number))
		must(number >= -1 && number <= 5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mount_options options = { 0 };
	autofree char *text = str_printf("%.*s", (int)size, (const char *)data);
	char *rest = text, *word;

	must(text);
	while ((word = strsep(&rest, "\n"))) {
		check_mount_option(&options, word);
		check_capability(word);
		check_cpulist(word);
		check_id(word);
		check_path(word);
		check_number(word);
		must(signal_number(word) >= -1 && signal_number(word) <= 64);
	}
	return 0;
}
