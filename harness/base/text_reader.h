/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Parsing of lines and numbers, for the readers of instance files and checkpoints.
 *
 * Errors are ERR_INPUT and name file and line. No file content can make a
 * reader allocate memory, or access memory beyond the caller's buffer. */
#ifndef COPRA_BASE_TEXT_READER_H
#define COPRA_BASE_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"

struct text_reader {
	FILE *file;
	const char *path;
	char *text;   /* the line, NUL-terminated */
	size_t size;  /* bytes at `text`: longer lines are refused */
	int64_t line; /* its number, from 1 */
	bool ended;   /* the end of the file was reached */
};

/* Opens path; `buffer` belongs to the caller and must stay valid until text_close. */
int text_open(struct text_reader *r, const char *path, char *buffer, size_t size, struct err *e);
void text_close(struct text_reader *r);

/* Reads the next line that is not blank, or sets `ended` at the end of the file. A line with a NUL
 * byte is refused. */
int text_next_line(struct text_reader *r, struct err *e);

/* Parses a decimal number >= 0 at *s and advances *s past it; `name` describes it in messages. */
int text_number(const struct text_reader *r, const char **s, int64_t *value, const char *name,
		struct err *e);

/* Whether only spaces are left on the line. */
bool text_at_end(const char *s);

/* Sets ERR_INPUT "path:line: text". */
int text_bad(const struct text_reader *r, struct err *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The last component of a path: the name of an instance from a file. */
const char *text_base_name(const char *path);
#endif
