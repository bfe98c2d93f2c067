/* A filled-in table, ready to be written: headings and cells, in Markdown, LaTeX, CSV or HTML. */
#ifndef COPRA_REPORT_SHEET_H
#define COPRA_REPORT_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"
#include "harness/report/text.h"

struct sheet_cell {
	char *shown;         /* "12.9 s"; "" where there is nothing */
	char *exact;         /* for CSV: "12.934551"; NULL = as shown */
	char *hint;          /* for HTML, on hovering; may be NULL */
	const char *mark;    /* HTML class, static; may be NULL */
	char *link, *anchor; /* within a report: where it leads (link.h), its own name; or NULL */
};

struct sheet {
	char *title;
	size_t columns, rows;
	char **heading;          /* columns */
	bool *left;              /* columns: text, aligned to the left */
	struct sheet_cell *cell; /* rows x columns */
};

int sheet_create(struct sheet *s, const char *title, size_t columns, size_t rows, struct err *e);
void sheet_free(struct sheet *s);
int sheet_heading(struct sheet *s, size_t column, const char *text, bool left, struct err *e);
struct sheet_cell *sheet_at(struct sheet *s, size_t row, size_t column);
int sheet_put(struct sheet *s, size_t row, size_t column, const char *shown, struct err *e);

/* The table alone, without its title; TEXT_LATEX gives a tabular with booktabs rules. */
void sheet_write(const struct sheet *s, struct text *out, enum text_kind kind);

#endif
