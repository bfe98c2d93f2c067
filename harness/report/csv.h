/* A strict reader of CSV (RFC 4180), for the papers' figures, claims and table definitions.
 *
 * The first line that is not a comment names the columns; every row has as many fields. A field
 * with a comma, a quote or a line end is quoted, a quote inside it is doubled. Lines that begin
 * with '#' are comments. Errors name the file and the line of the first thing wrong. */
#ifndef COPRA_REPORT_CSV_H
#define COPRA_REPORT_CSV_H

#include <stddef.h>

#include "harness/base/error.h"

struct csv {
	char *path;
	size_t columns, rows; /* rows without the heading */
	char **cells;         /* (rows + 1) x columns, the heading first */
	size_t count;         /* of cells */
	int *lines;           /* rows + 1: where each row begins in the file */
};

int csv_read(struct csv *c, const char *path, struct err *e);
void csv_free(struct csv *c);

/* Column by its name: -1 where there is none. */
int csv_column(const struct csv *c, const char *name);
const char *csv_cell(const struct csv *c, size_t row, int column);
int csv_line(const struct csv *c, size_t row);

/* Reads a file whose rows are entries of a list: calls `row` for each with the cells of the named
 * columns (at most CSV_NAMED, NULL-ended names; a name that begins with '?' may be missing, its
 * cell is then ""). An error of `row` gets file and line in front. A missing file has no rows. */
enum { CSV_NAMED = 8 };
typedef int csv_row(void *ctx, const char *const *cell, struct err *e);
int csv_read_rows(const char *path, const char *const *names, csv_row *row, void *ctx,
		  struct err *e);

#endif
