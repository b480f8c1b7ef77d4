/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* start - what runs before the C library does, in a static program. */
#ifndef HOST_START_H
#define HOST_START_H

/*
 * When @stack, the kernel's initial stack (argument count, arguments, NULL, environment),
 * names a command that enters a container, replaces the process by one whose program lies on
 * a read-only detached mount, as selfexe_protect() does.  Returns when that isn't needed or
 * doesn't work.
 */
void start_protected(long *stack);

#endif
