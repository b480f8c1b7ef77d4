/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay - main() of a fuzz target without libFuzzer: gives it files.
 * usage: fuzz-NAME [FILE...]   without FILE all of TOP_SRCDIR/tests/fuzz/corpus-NAME
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"
#include "fuzz.h"

enum { FILE_MAX = 1 << 20 };

/* From a heap block of the exact size, so that a sanitizer sees a read behind it. */
static int replay(const char *path)
{
	autofree char *text = NULL;
	autofree uint8_t *exact = NULL;
	ssize_t n = fd_read_file(AT_FDCWD, path, FILE_MAX, &text);

	if (n < 0) {
		(void)fprintf(stderr, "%s: %s\n", path, strerror((int)-n));
		return -1;
	}
	exact = malloc(n ? (size_t)n : 1);
	if (!exact)
		return -1;
	memcpy(exact, text, (size_t)n);
	(void)printf("# %s\n", path);
	(void)fflush(stdout); /* the last one named is the one that crashed */
	(void)LLVMFuzzerTestOneInput(exact, (size_t)n);
	return 0;
}

static int replay_directory(const char *directory)
{
	struct dirent **entries = NULL;
	int count = scandir(directory, &entries, NULL, alphasort), done = 0, result = 0;

	for (int i = 0; i < count; i++) {
		autofree char *path = str_printf("%s/%s", directory, entries[i]->d_name);

		if (entries[i]->d_name[0] != '.' && (!path || replay(path) < 0))
			result = -1;
		done += entries[i]->d_name[0] != '.';
		free(entries[i]);
	}
	free(entries);
	if (!done)
		(void)fprintf(stderr, "%s: no inputs\n", directory);
	return done ? result : -1;
}

int main(int argc, char **argv)
{
	const char *top = getenv("TOP_SRCDIR"), *slash = strrchr(argv[0], '/'), *name;
	autofree char *corpus = NULL;
	int result = 0;

	for (int i = 1; i < argc; i++)
		if (replay(argv[i]) < 0)
			result = -1;
	if (argc > 1)
		return result < 0;
	name = str_after(slash ? slash + 1 : argv[0], "fuzz-");
	if (!top || !name) {
		(void)fprintf(stderr, "TOP_SRCDIR is not set, or this is no fuzz-NAME\n");
		return 1;
	}
	corpus = str_printf("%s/tests/fuzz/corpus-%s", top, name);
	return !corpus || replay_directory(corpus) < 0;
}
