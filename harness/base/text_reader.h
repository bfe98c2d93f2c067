/* How the readers of instance files and checkpoints take lines and numbers apart.
 *
 * Errors are ERR_INPUT and name file and line. Nothing a file says makes a reader allocate or read
 * beyond the buffer that its caller gave it. */
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
	bool ended;   /* there was no other line */
};

/* Opens path; the caller keeps `buffer` until text_close. */
int text_open(struct text_reader *r, const char *path, char *buffer, size_t size, struct err *e);
void text_close(struct text_reader *r);

/* The next line that is not blank; `ended` is set at the end of the file. A line with a NUL byte is
 * refused. */
int text_next_line(struct text_reader *r, struct err *e);

/* One decimal number >= 0 from *s, which is moved behind it; `name` is what messages call it. */
int text_number(const struct text_reader *r, const char **s, int64_t *value, const char *name,
		struct err *e);

/* Only blanks are left of the line. */
bool text_at_end(const char *s);

/* "path:line: what". */
int text_bad(const struct text_reader *r, struct err *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The last part of a path: what an instance from a file is called. */
const char *text_base_name(const char *path);
#endif
