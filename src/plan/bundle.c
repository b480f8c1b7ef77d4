/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/scope.h"
#include "base/str.h"

enum { DOCUMENT_SIZE_MAX = 16 << 20 };

/* Non-blocking and checked, so that a FIFO or a device in its place stops nobody. */
static ssize_t read_text(const char *path, char **ret_text)
{
	autoclose int fd = -1;
	struct stat st;

	if (str_eq(path, "-"))
		return fd_read_all(STDIN_FILENO, DOCUMENT_SIZE_MAX, ret_text);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
		return -EINVAL;
	return fd_read_all(fd, DOCUMENT_SIZE_MAX, ret_text);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void *parse(const struct desc *desc, const char *name, const char *text, struct arena *arena,
		   struct err *err)
{
	struct read_error why;
	void *document = ocispec_read(desc, text, strlen(text), arena, &why);

	if (!document)
		(void)err_set(err, "%s:%u:%u: %s", name, why.line, why.column, why.text);
	return document;
}

void *document_read(const struct desc *desc, const char *path, struct arena *arena, struct err *err)
{
	autofree char *text = NULL;
	ssize_t n = read_text(path, &text);

	if (n < 0) {
		(void)err_errno(err, (int)n, "read %s", path);
		return NULL;
	}
	if (strlen(text) != (size_t)n) {
		(void)err_set(err, "%s: holds a NUL byte", base_name(path));
		return NULL;
	}
	return parse(desc, str_eq(path, "-") ? "standard input" : base_name(path), text, arena,
		     err);
}

static int read_config(struct bundle *bundle, const char *path, struct err *err)
{
	ssize_t n = read_text(path, &bundle->text);

	if (n == -ENOENT)
		return err_set(err, "JSON specification file config.json not found: %s", path);
	if (n < 0)
		return err_errno(err, (int)n, "read %s", path);
	if (strlen(bundle->text) != (size_t)n)
		return err_set(err, "%s: holds a NUL byte", base_name(path));
	bundle->config =
		parse(&oci_config_desc, base_name(path), bundle->text, &bundle->arena, err);
	return bundle->config ? 0 : -1;
}

int bundle_read(const char *path, const char *config, struct bundle *ret, struct err *err)
{
	autofree char *in_bundle = NULL;

	*ret = (struct bundle){ 0 };
	ret->path = realpath(path, NULL);
	if (!ret->path)
		return err_errno(err, errno, "bundle %s", path);
	in_bundle = str_printf("%s/config.json", ret->path);
	if (!in_bundle)
		return err_errno(err, ENOMEM, "bundle %s", path);
	return read_config(ret, config ? config : in_bundle, err);
}

void bundle_release(struct bundle *bundle)
{
	free(bundle->path);
	free(bundle->text);
	arena_free(&bundle->arena);
}
