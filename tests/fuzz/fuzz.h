/* Frame of the fuzzed readers: one file a reader, which gives it arbitrary bytes and says what must
 * hold whatever they are.
 *
 *     FUZZ_READER(atsp)
 *     {
 *         struct err e;
 *         int status = atsp_load(&a, fuzz_file(data, size), &e);
 *         fuzz_status(status, &e);
 *         ...
 *     }
 *
 * Two programs are made of each: one with libFuzzer (`make fuzz`), which makes up the bytes, and a
 * unit test, which replays the corpus of the reader's name, tests/fuzz/corpus/<reader>/. */
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

/* A file in memory with these bytes; the path is good until the next call. Written anew each time,
 * a reader may change it. */
const char *fuzz_file(const uint8_t *data, size_t size);
/* The same bytes as text that ends with NUL, to be freed. NULs among them end it earlier. */
char *fuzz_text(const uint8_t *data, size_t size);
/* A path in a folder of this process, for what is written back. */
const char *fuzz_scratch(void);

/* Ends the program, which both kinds of run count as a finding, where the condition is false. */
#define FUZZ_CHECK(condition) fuzz_check((condition), #condition, __FILE__, __LINE__)
void fuzz_check(bool holds, const char *condition, const char *file, int line);

/* An outcome of reading: 0, or bad input with a message of one line. Whether it was 0. */
bool fuzz_status(int status, const struct err *e);
/* How often it was 0: a corpus that is refused altogether tests little. */
int fuzz_accepted(void);

#endif
