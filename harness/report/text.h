/* Growing text, escaped for the formats that the report writes.
 *
 * A failed allocation is remembered and reported once, by text_save or text_ok, so code that
 * builds a page does not have to check every line. */
#ifndef COPRA_REPORT_TEXT_H
#define COPRA_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

struct text {
	char *data; /* NUL-terminated; NULL while empty */
	size_t length, capacity;
	bool failed;
};

enum text_kind { TEXT_PLAIN, TEXT_HTML, TEXT_MARKDOWN, TEXT_LATEX, TEXT_CSV };

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_n(struct text *t, const char *s, size_t length);
/* Escapes `s` so that it appears literally in a cell or paragraph of the format. */
void text_add_escaped(struct text *t, const char *s, enum text_kind kind);
int text_ok(const struct text *t, struct err *e);
const char *text_get(const struct text *t); /* "" while empty */
void text_free(struct text *t);

/* The start and end of a link in HTML or Markdown. `link` is "page#anchor" or "page", a place in
 * the same document (document/document.h), or a URL if it contains "://". */
void text_link_open(struct text *t, const char *link, enum text_kind kind);
void text_link_close(struct text *t, const char *link, enum text_kind kind);

/* Writes the whole text to `path`, or leaves the old file unchanged (harness/base/outfile.h). */
int text_save(const struct text *t, const char *path, struct err *e);
/* Reads a whole file. ERR_INPUT if it cannot be read, contains a NUL byte or exceeds 256 MiB. */
int text_load(struct text *t, const char *path, struct err *e);

/* strdup that sets an error. */
int text_copy(char **out, const char *s, struct err *e);
/* Builds a path in a buffer of PATH_MAX characters; ERR_IO if it does not fit. */
int text_path(char *out, struct err *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A growing array: makes room for one more element of `size` bytes after the first `count`. */
int array_grow(void **array, size_t count, size_t size, struct err *e);

/* Warnings about input that could not be read. They are collected, so that the rest is still used,
 * and printed at the end. */
struct problems {
	char **line;
	size_t count;
};
int problems_add(struct problems *p, const char *line, struct err *e);
void problems_free(struct problems *p);
/* Prints each line to stderr, after the program's name. Returns ERR_INPUT, with the message
 * "3 lines left out" (`what` is "line"), if there is any. */
int problems_print(const struct problems *p, const char *program, const char *what, struct err *e);

#endif
