/* A table ready to be written: headings and cells, for the terminal and in Markdown, LaTeX, CSV or
 * HTML. */
#ifndef COPRA_REPORT_DOCUMENT_SHEET_H
#define COPRA_REPORT_DOCUMENT_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"
#include "harness/report/text.h"

struct sheet_cell {
	char *shown;         /* "12.9 s"; NULL or "" if empty */
	char *exact;         /* for CSV: "12.934551"; NULL = as shown */
	char *hint;          /* for HTML, shown on hovering; may be NULL */
	const char *mark;    /* CSS class, static; may be NULL */
	char *link, *anchor; /* inside a report: its target (text.h), its own name; or NULL */
};

struct sheet {
	char *title;
	size_t columns, rows;
	char **heading;          /* columns */
	bool *left;              /* columns: left-aligned text */
	struct sheet_cell *cell; /* rows x columns */
};

int sheet_create(struct sheet *s, const char *title, size_t columns, size_t rows, struct err *e);
void sheet_free(struct sheet *s);
int sheet_heading(struct sheet *s, size_t column, const char *text, bool left, struct err *e);
/* All headings; the first `left` columns are left-aligned. */
int sheet_headings(struct sheet *s, const char *const *names, size_t left, struct err *e);
struct sheet_cell *sheet_at(struct sheet *s, size_t row, size_t column);
int sheet_put(struct sheet *s, size_t row, size_t column, const char *shown, struct err *e);
/* The text may have at most 1023 characters. */
int sheet_print(struct sheet *s, size_t row, size_t column, struct err *e, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* Sets the cell's link, and empties `link` for its next use. */
int sheet_link(struct sheet *s, size_t row, size_t column, struct text *link, struct err *e);

/* The table without its title. TEXT_PLAIN: columns aligned with spaces; TEXT_LATEX: a tabular with
 * booktabs rules. */
void sheet_write(const struct sheet *s, struct text *out, enum text_kind kind);

#endif
