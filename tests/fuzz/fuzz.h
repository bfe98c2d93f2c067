/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The framework of the fuzz tests. Each reader has one file, which passes arbitrary bytes to it and
 * checks what must always hold.
 *
 *     FUZZ_READER(atsp)
 *     {
 *         struct err e;
 *         int status = atsp_load(&a, fuzz_file(data, size), &e);
 *         fuzz_status(status, &e);
 *         ...
 *     }
 *
 * Two programs are made of each file: one with libFuzzer (`make fuzz`), which generates the bytes,
 * and a unit test, which replays the corpus of the reader, tests/fuzz/corpus/<reader>/. */
#ifndef COPRA_TESTS_FUZZ_FUZZ_H
#define COPRA_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

typedef void fuzz_function(const uint8_t *data, size_t size);

struct fuzz_reader {
	const char *name;
	fuzz_function *read;
	struct fuzz_reader *next;
};

void fuzz_register(struct fuzz_reader *r);
/* All readers of this program. */
const struct fuzz_reader *fuzz_readers(void);

#define FUZZ_READER(name_)                                                                         \
	static fuzz_function fuzz_##name_;                                                         \
	static struct fuzz_reader reader_##name_ = { #name_, fuzz_##name_, NULL };                 \
	__attribute__((constructor)) static void register_##name_(void)                            \
	{                                                                                          \
		fuzz_register(&reader_##name_);                                                    \
	}                                                                                          \
	static void fuzz_##name_(const uint8_t *data, size_t size)

/* Returns the path of a file with these bytes, valid until the next call. Every call rewrites the
 * file, because a reader may change it. */
const char *fuzz_file(const uint8_t *data, size_t size);
/* The same bytes as a NUL-terminated text; the caller frees it. A NUL among them ends it earlier.
 */
char *fuzz_text(const uint8_t *data, size_t size);
/* A path in a folder of this process, for files that are written back. */
const char *fuzz_scratch(void);

/* Ends the program if the condition is false, which both programs report as a finding. */
#define FUZZ_CHECK(condition) fuzz_check((condition), #condition, __FILE__, __LINE__)
void fuzz_check(bool holds, const char *condition, const char *file, int line);

/* Checks the outcome of reading: 0, or bad input with a message of one line. Returns whether it was
 * 0. */
bool fuzz_status(int status, const struct err *e);
/* The number of inputs that were accepted. A corpus without any tests little. */
int fuzz_accepted(void);

#endif
