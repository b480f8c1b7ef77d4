/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fuzz - what a target promises.  Each tests/fuzz/fuzz-NAME.c has the entry point that libFuzzer
 * calls; with --enable-fuzz it is linked with that, else with replay.c, which gives it the files
 * of corpus-NAME.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns 0; aborts on a broken promise, crashes on worse. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* assert(3) that no build leaves out. */
#define must(condition)                                                                \
	do {                                                                           \
		if (!(condition)) {                                                    \
			(void)fprintf(stderr, "%s:%d: must(%s)\n", __FILE__, __LINE__, \
				      #condition);                                     \
			abort();                                                       \
		}                                                                      \
	} while (0)

#endif
