/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fd - whole reads and writes, descriptors over sockets, descriptor ranges. */
#ifndef BASE_FD_H
#define BASE_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* All of @len bytes; returns 0 or -errno.  EINTR is retried. */
int fd_write_all(int fd, const void *data, size_t len);

/*
 * The text of the regular or kernel file @path under @dir_fd (AT_FDCWD: as a
 * plain path), at most @limit bytes, NUL-terminated, owned by the caller.
 * Returns its length or -errno; -EFBIG when it is longer.
 */
ssize_t fd_read_file(int dir_fd, const char *path, size_t limit, char **ret_text);

/* The same from an open descriptor, from where it stands. */
ssize_t fd_read_all(int fd, size_t limit, char **ret_text);

enum { FD_SMALL = 4096 };

/*
 * The start of the file @path under @dir_fd in @text, with a NUL: all of what the kernel tells in
 * one go.  One read(2), and no heap: init uses this, too.  The length or -errno.
 */
ssize_t fd_read_small(int dir_fd, const char *path, char text[FD_SMALL]);

/*
 * Writes @text to the existing file @path under @dir_fd with one write(2), as
 * kernel files need it.  Returns 0 or -errno; a short write is -EIO.
 */
int fd_write_file(int dir_fd, const char *path, const char *text);

/* Sends @len bytes (at least 1) with the @count descriptors at @fds; 0 or -errno. */
int fd_send(int socket_fd, const void *data, size_t len, const int *fds, size_t count);

/* True when @fd is open. */
bool fd_is_open(int fd);

/* Marks every descriptor from @first on close-on-exec.  Returns 0 or -errno. */
int fd_cloexec_from(unsigned first);

/* Closes every descriptor from @first on but the @count at @keep, of which -1 is none; 0 or -errno. */
int fd_close_others(unsigned first, const int *keep, size_t count);

/*
 * Connects to the unix socket of @type (SOCK_STREAM, SOCK_DGRAM) at @path (any length);
 * a descriptor or -errno.
 */
int fd_connect_unix(const char *path, int type);

#endif
