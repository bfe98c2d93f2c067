/* Growing text, and its escapes for the formats that the report writes.
 *
 * A failed allocation is remembered and reported once, by text_save or text_ok, so that the code
 * that builds a page need not check each line of it. */
#ifndef COPRA_REPORT_TEXT_H
#define COPRA_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

struct text {
	char *data; /* always ended by NUL; NULL while empty */
	size_t length, capacity;
	bool failed;
};

enum text_kind { TEXT_PLAIN, TEXT_HTML, TEXT_MARKDOWN, TEXT_LATEX, TEXT_CSV };

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_n(struct text *t, const char *s, size_t length);
/* `s` so that it stands for itself in a cell or paragraph of the format. */
void text_add_escaped(struct text *t, const char *s, enum text_kind kind);
int text_ok(const struct text *t, struct err *e);
const char *text_get(const struct text *t); /* "" while empty */
void text_free(struct text *t);

/* Writes the whole text to `path`, or leaves the old file as it was (outfile.h). */
int text_save(const struct text *t, const char *path, struct err *e);

/* Reads a whole file. ERR_INPUT when it cannot be read, holds a NUL byte or exceeds 256 MiB. */
int text_load(struct text *t, const char *path, struct err *e);

/* strdup that reports. */
int text_copy(char **out, const char *s, struct err *e);

/* Builds a path of PATH_MAX characters; ERR_IO when it is longer. */
int text_path(char *out, struct err *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A growing array: makes room for one more element of `size` bytes behind `count` of them. */
int array_grow(void **array, size_t count, size_t size, struct err *e);

#endif
