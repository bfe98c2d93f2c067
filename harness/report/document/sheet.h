/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A table of texts, written for the terminal or as Markdown, HTML, LaTeX or CSV. Functions that can
 * fail return ERR_MEMORY. */
#ifndef COPRA_REPORT_DOCUMENT_SHEET_H
#define COPRA_REPORT_DOCUMENT_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"
#include "harness/report/text.h"

struct sheet_cell {
	char *shown;         /* as shown: "12.9 s"; NULL or "" if empty */
	char *exact;         /* for CSV: "12.934551"; NULL: the same as `shown` */
	char *hint;          /* for HTML, shown on hovering; may be NULL */
	const char *mark;    /* CSS class, static; may be NULL */
	char *link, *anchor; /* in a report: target of its link (text.h), own anchor; or NULL */
};

struct sheet {
	char *title;
	size_t columns, rows;
	char **heading;          /* columns */
	bool *left;              /* columns: left-aligned text */
	struct sheet_cell *cell; /* rows x columns */
};

/* Creates an empty table; release it with sheet_free. */
int sheet_create(struct sheet *s, const char *title, size_t columns, size_t rows, struct err *e);
void sheet_free(struct sheet *s);
/* Sets one heading, and whether its column is left-aligned. */
int sheet_heading(struct sheet *s, size_t column, const char *text, bool left, struct err *e);
/* Sets all headings. The first `left` columns are left-aligned. */
int sheet_headings(struct sheet *s, const char *const *names, size_t left, struct err *e);
/* A cell, to set its other members. Rows and columns count from 0, without the heading. */
static inline struct sheet_cell *sheet_at(struct sheet *s, size_t row, size_t column)
{
	return &s->cell[row * s->columns + column];
}
/* Sets the text of a cell to a copy of `shown`. */
int sheet_put(struct sheet *s, size_t row, size_t column, const char *shown, struct err *e);
/* As sheet_put, with a format. The text is cut after 1023 bytes. */
int sheet_print(struct sheet *s, size_t row, size_t column, struct err *e, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* Sets the cell's link to a copy of `link`, and empties `link` so that it can be used again. */
int sheet_link(struct sheet *s, size_t row, size_t column, struct text *link, struct err *e);

/* Appends the table without its title. TEXT_PLAIN: columns aligned with spaces; TEXT_LATEX: a
 * tabular with booktabs rules. */
void sheet_write(const struct sheet *s, struct text *out, enum text_kind kind);

#endif
