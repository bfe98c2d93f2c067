/* A drawing of one benchmark over its runs: one point per run with the quartiles of its samples,
 * the median of each segment between changes, and the changes with their size. */
#ifndef COPRA_COMPARE_HISTORY_PLOT_H
#define COPRA_COMPARE_HISTORY_PLOT_H

#include "harness/report/text.h"
#include "harness/compare/history/series.h"

/* Appends one <svg> element. It includes its own style for light and dark pages, so that it can be
 * a file or part of a page. */
void plot_add(struct text *t, const struct series *s);

/* Formats the commit of a run: "9f3c2ab1", or "9f3c2ab1+" if files differed from it, or "unknown".
 */
void plot_commit(char *out, size_t size, const struct entry *x);
/* Formats a ratio as a change: "+5.2 %" for 1.052. */
void plot_change(char *out, size_t size, double ratio);

#endif
