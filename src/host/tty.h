/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tty - terminals: sizes, raw mode, handing one to an engine (R252-R255). */
#ifndef HOST_TTY_H
#define HOST_TTY_H

#include <stdbool.h>

#include "base/err.h"

/* Sends @master_fd to the stream socket at @path: one message, one descriptor (peers.md 2.7). */
int tty_send_master(const char *path, int master_fd, struct err *err);

/* Rows and columns, in characters. */
int tty_set_size(int fd, unsigned short height, unsigned short width, struct err *err);

/* Copies the size of terminal @from_fd; nothing happens when it is none. */
void tty_copy_size(int from_fd, int to_fd);

/*
 * Lets the terminal of @master_fd pass "\n" as it is: what the program writes is then the same in a
 * pipe as without a terminal, and the caller's terminal makes "\r\n" of it.
 */
void tty_pass_newlines(int master_fd);

/* Puts the caller's terminal into raw mode but for its output; false when @fd is none. */
bool tty_make_raw(int fd);

/* Takes tty_make_raw() back. */
void tty_restore(int fd);

#endif
