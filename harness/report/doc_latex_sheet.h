/* Tables and code of the LaTeX twin, which must fit a page. */
#ifndef COPRA_REPORT_DOC_LATEX_SHEET_H
#define COPRA_REPORT_DOC_LATEX_SHEET_H

#include "harness/report/sheet.h"

/* A table that fits is shrunk to the page's width and cut into parts of a page's height; one with
 * long texts gets columns that break lines. */
void latex_sheet(struct text *out, const struct sheet *s);
/* Typewriter text that may break at its punctuation. */
void latex_code(struct text *out, const char *s);

#endif
