/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scope - things that end with their scope, and leave it by name.
 *
 * A scoped variable is declared with its "none" value on its own line
 * (`autoclose int fd = -1;`, `autofree char *text = NULL;`); cleanup keeps errno.
 * Ownership leaves with take_fd() and take_ptr().
 */
#ifndef BASE_SCOPE_H
#define BASE_SCOPE_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void scope_free(void *at)
{
	int saved = errno;

	free(*(void **)at);
	errno = saved;
}

static inline void scope_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		(void)close(*fd);
	errno = saved;
}

static inline void scope_fclose(FILE **stream)
{
	int saved = errno;

	if (*stream)
		(void)fclose(*stream);
	errno = saved;
}

static inline void scope_closedir(DIR **dir)
{
	int saved = errno;

	if (*dir)
		(void)closedir(*dir);
	errno = saved;
}

#define autofree     __attribute__((cleanup(scope_free)))
#define autoclose    __attribute__((cleanup(scope_close)))
#define autofclose   __attribute__((cleanup(scope_fclose)))
#define autoclosedir __attribute__((cleanup(scope_closedir)))

/* Closes *@fd if it is open; it is then -1.  Keeps errno. */
static inline void drop_fd(int *fd)
{
	scope_close(fd);
	*fd = -1;
}

/* The descriptor in *@fd, which is then -1. */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* The pointer in variable @p, which is then NULL. */
#define take_ptr(p)                         \
	({                                  \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
