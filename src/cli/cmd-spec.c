/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spec: writes a configuration to start from. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/str.h"
#include "cli/command.h"
#include "run/spec-template.h"

static FILE *open_new(const char *path, bool overwrite, struct err *err)
{
	int fd = open(path,
		      O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (overwrite ? O_TRUNC : O_EXCL),
		      0666);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd < 0 && errno == EEXIST)
		(void)err_set(err, "spec: file %s exists; remove it first", path);
	else if (!out)
		(void)err_errno(err, errno, "spec: write %s", path);
	return out;
}

/* Where it goes: --file names a file in the directory that --bundle names. */
static char *target(const struct arguments *args)
{
	const char *name = args->config ? args->config : "config.json";

	if (name[0] == '/' || !args->bundle)
		return strdup(name);
	return str_printf("%s/%s", args->bundle, name);
}

int cmd_spec(const struct run_context *ctx, struct arguments *args, int *ret_status,
	     struct err *err)
{
	const struct spec_owner owner = { geteuid(), getegid() };
	autofree char *path = target(args);
	FILE *out;
	bool failed;

	(void)ctx;
	(void)ret_status;
	if (!path)
		return err_errno(err, ENOMEM, "spec");
	out = open_new(path, args->config, err); /* a file that was named may be replaced */
	if (!out)
		return -1;
	spec_template_write(out, args->rootless ? &owner : NULL);
	failed = ferror(out);
	if (fclose(out) != 0 || failed)
		return err_errno(err, errno, "spec: write %s", path);
	return 0;
}
