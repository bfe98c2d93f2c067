/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Reads files of blocks, the format of claims.txt:
 *
 *     # a comment
 *     claim  H4c
 *     where  4.4, Table 5
 *     test   speedup("15Q", 4) >= 3.5
 *            and speedup("16Q", 4) >= 3.5
 *
 * A line that begins in its first column holds a field: a key, blanks, and a value. A line that
 * begins with a blank or tab continues the value above it; the parts are joined by one blank. Lines
 * that begin with '#' and empty lines mean nothing. The first key of a format begins a block. The
 * others follow in any order, each at most once. Errors name file, line and column. */
#ifndef COPRA_REPORT_DATA_BLOCKS_H
#define COPRA_REPORT_DATA_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/report/text.h"

enum { BLOCK_FIELDS = 16 };

/* A part of a value that was written on one line. */
struct block_part {
	size_t offset; /* in the joined value */
	int line, column;
};

struct block_field {
	struct text value;
	size_t parts;
	struct block_part *part;
};

struct block {
	const char *path;
	const char *const *keys;
	struct block_field field[BLOCK_FIELDS]; /* one per key */
};

/* Calls `entry` for each block. `keys` ends with NULL and has at most BLOCK_FIELDS keys; a key that
 * begins with '?' may be missing from a block, and one that is given has a value that is not empty.
 * An error that `entry` returns ends the reading. A missing file has no blocks. */
typedef int block_entry(void *ctx, const struct block *b, struct err *e);
int blocks_read(const char *path, const char *const *keys, block_entry *entry, void *ctx,
		struct err *e);

/* The value of a field, "" if it is missing. */
static inline const char *block_get(const struct block *b, size_t field)
{
	return text_get(&b->field[field].value);
}

/* Sets an error with the place of the character `offset` of the field's value, or of the block if
 * the field is missing: "claims.txt:7:9: <message>". Returns ERR_INPUT. */
int block_fail(const struct block *b, size_t field, size_t offset, struct err *e,
	       const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Adds the place to the error of expr_parse (expression/expression.h), "column 12: ...", for an
 * expression that begins at the character `offset` of the field's value. Returns the error's code.
 */
int block_fail_expression(const struct block *b, size_t field, size_t offset, struct err *e);

#endif
