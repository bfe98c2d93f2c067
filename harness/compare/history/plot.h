/* One benchmark over its runs, as a drawing: a point a run with the quartiles of its samples, the
 * median of each stretch between two changes, and the changes with their size. */
#ifndef COPRA_COMPARE_HISTORY_PLOT_H
#define COPRA_COMPARE_HISTORY_PLOT_H

#include "harness/report/text.h"
#include "harness/compare/history/series.h"

/* Appends one <svg> element. It has its own style, for light and dark, so that it stands alone in a
 * file as well as inside a page. */
void plot_add(struct text *t, const struct series *s);

/* "9f3c2ab1", followed by "+" where files differed from the commit; "unknown". */
void plot_commit(char *out, size_t size, const struct entry *x);
/* "+5.2 %" of a ratio 1.052. */
void plot_change(char *out, size_t size, double ratio);

#endif
