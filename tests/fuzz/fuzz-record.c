/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * state.json as a crash, a full disk or a person may leave it: as it is, and with a trailer that
 * matches.  It is called damaged, or read, written and read to the same record.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"
#include "fuzz.h"
#include "store/record.h"

static char directory[] = "/tmp/rung-fuzz-XXXXXX";

static void remove_directory(void)
{
	char path[sizeof(directory) + 16];

	(void)snprintf(path, sizeof(path), "%s/state.json", directory);
	(void)unlink(path);
	(void)rmdir(directory);
}

static int open_directory(void)
{
	int fd;

	must(mkdtemp(directory) && atexit(remove_directory) == 0);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(fd >= 0);
	return fd;
}

static void put(struct store *store, const char *text, size_t size)
{
	autoclose int fd =
		openat(store->dir_fd, "state.json", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must(fd >= 0 && fd_write_all(fd, text, size) == 0);
}

static char *as_text(const struct record *record)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	must(out);
	ocispec_write(out, &record_desc, record);
	must(fclose(out) == 0);
	return text;
}

static void check(struct store *store)
{
	struct arena arena = { 0 };
	struct record record, again;
	struct err err = { 0 };
	autofree char *first = NULL;
	autofree char *second = NULL;

	if (record_read(store, &arena, &record, &err) < 0) {
		must(err.code == EBADMSG && strstr(err.text, "is damaged: "));
		arena_free(&arena);
		return;
	}
	must(record_write(store, &record, &err) == 0);
	must(record_read(store, &arena, &again, &err) == 0);
	first = as_text(&record);
	second = as_text(&again);
	must(str_eq(first, second));
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct store store = { .root_fd = -1, .dir_fd = -1, .lock_fd = -1, .id = "fuzz" };
	const char *text = (const char *)data;
	char trailer[64];
	autofree char *whole = NULL;

	if (store.dir_fd < 0)
		store.dir_fd = open_directory();
	put(&store, text, size);
	check(&store);
	(void)snprintf(trailer, sizeof(trailer), "\n#%zu %016" PRIx64 "\n", size,
		       str_hash(text, size));
	whole = str_printf("%.*s%s", (int)size, text, trailer);
	must(whole);
	put(&store, whole, strlen(whole));
	check(&store);
	return 0;
}
