/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A strict CSV reader (RFC 4180) for the papers' tables, claims and table definitions.
 *
 * The first line that is not a comment names the columns; every row has the same number of fields.
 * A field that contains a comma, a quote or a line break is quoted, and a quote inside it is
 * doubled. Lines that begin with '#' are comments. Errors name the file and the line of the first
 * error. */
#ifndef COPRA_REPORT_DATA_CSV_H
#define COPRA_REPORT_DATA_CSV_H

#include <stddef.h>

#include "harness/base/error.h"

struct csv {
	char *path;
	size_t columns, rows; /* rows without the heading */
	char **cells;         /* (rows + 1) x columns, the heading first */
	size_t count;         /* number of cells */
	int *lines;           /* rows + 1: the line on which each row begins */
};

/* Reads a whole file. ERR_INPUT names the file and the line of the first error. */
int csv_read(struct csv *c, const char *path, struct err *e);
void csv_free(struct csv *c);

/* The index of the named column, or -1. */
int csv_column(const struct csv *c, const char *name);
/* The cell of a row, counted from 0 without the heading. The string belongs to `c`. */
static inline const char *csv_cell(const struct csv *c, size_t row, int column)
{
	return c->cells[(row + 1) * c->columns + (size_t)column];
}

/* Reads a file with one entry per row: calls `row` for each, with the cells of the named columns.
 * `names` ends with NULL and has at most CSV_NAMED names; a name that begins with '?' is an
 * optional column, whose cells are "" if the file lacks it. An error returned by `row` ends the
 * reading and gets file and line as a prefix. A missing file has no rows. */
enum { CSV_NAMED = 8 };
typedef int csv_row(void *ctx, const char *const *cell, struct err *e);
int csv_read_rows(const char *path, const char *const *names, csv_row *row, void *ctx,
		  struct err *e);

#endif
