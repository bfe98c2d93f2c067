/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Strings that grow, with escaping for the formats that the report writes; arrays and paths.
 *
 * A failed allocation is remembered, and returned by text_save or text_ok. So code that builds a
 * page need not check every call. */
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

/* TEXT_GNUPLOT: the contents of a gnuplot string in double quotes. A script may evaluate it twice,
 * so line breaks, '"', '\\' and '`' are left out instead of escaped. */
enum text_kind { TEXT_PLAIN, TEXT_HTML, TEXT_MARKDOWN, TEXT_LATEX, TEXT_CSV, TEXT_GNUPLOT };

/* Append formatted text, or `length` bytes of `s`. */
void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_n(struct text *t, const char *s, size_t length);
/* Appends `s`, escaped so that a cell or paragraph of the format shows it unchanged. */
void text_add_escaped(struct text *t, const char *s, enum text_kind kind);
/* ERR_MEMORY if an earlier allocation failed, otherwise 0. */
int text_ok(const struct text *t, struct err *e);
static inline const char *text_get(const struct text *t) /* "" while empty */
{
	return t->data ? t->data : "";
}
void text_free(struct text *t);

/* Appends `s`, escaped, as a link in HTML or Markdown; in other formats without the link. `link` is
 * a URL if it contains "://"; otherwise it is "page#anchor" or "page", in the same document
 * (document/document.h). */
void text_add_link(struct text *t, const char *link, const char *s, enum text_kind kind);

/* Writes the whole text to `path`. On an error the old file is unchanged
 * (harness/base/outfile.h). */
int text_save(const struct text *t, const char *path, struct err *e);
/* Reads a whole file. ERR_INPUT if it cannot be read, contains a NUL byte or exceeds 256 MiB. */
int text_load(struct text *t, const char *path, struct err *e);

/* Sets *out to a copy of `s`, which the caller frees. ERR_MEMORY. */
int text_copy(char **out, const char *s, struct err *e);
/* Builds a path in a buffer of PATH_MAX characters; ERR_IO if it does not fit. */
int text_path(char *out, struct err *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Makes room for one more element of `size` bytes after the first `count` elements of an array that
 * starts as NULL. Call it for every element. ERR_MEMORY. */
int array_grow(void **array, size_t count, size_t size, struct err *e);

/* Appends one line that says why a piece of input is left out. Line breaks in it become spaces. */
void text_add_problem(struct text *problems, const char *message);
/* Prints the lines of `problems` to stderr, each prefixed by the program's name. If there are any,
 * returns ERR_INPUT with the message "3 lines left out", where `what` is "line". */
int text_print_problems(const struct text *problems, const char *program, const char *what,
			struct err *e);

#endif
