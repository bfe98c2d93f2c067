/* A drawing of gnuplot's svg terminal, made fit to stand inside a page. */
#ifndef COPRA_REPORT_SVG_H
#define COPRA_REPORT_SVG_H

#include "harness/report/text.h"

/* Appends the <svg> element of the file: without prolog, its ids and references made unique by the
 * prefix, so that several drawings can stand in one page. ERR_INPUT where there is none. */
int svg_inline(const char *path, const char *prefix, struct text *out, struct err *e);

#endif
