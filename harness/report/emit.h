/* The report's files beside the page: tables and claims in Markdown, LaTeX and CSV, data and
 * scripts of the plots.
 *
 *   <out>/<target>/<table>.<origin>-<machine>.{md,tex,csv}
 *   <out>/<target>/<table>.paper.{md,tex,csv}   a place that no machine has measured
 *   <out>/<target>/claims.{md,tex,csv}
 *   <out>/<target>/plots/<table>.<origin>-<machine>.{dat,gp}, and .svg once gnuplot drew it
 *   <out>/<target>/plots/roofline.<origin>-<machine>.{dat,gp}, likewise */
#ifndef COPRA_REPORT_EMIT_H
#define COPRA_REPORT_EMIT_H

#include "harness/report/study.h"

/* `plots`: the folder of the figures' scripts. Drawings of an earlier report are removed. */
int emit_files(const struct study *s, const char *out, const char *plots, struct err *e);

/* One row a claim: id, section, claim, class, and the verdict on every machine. */
int emit_claims_sheet(const struct study *s, struct sheet *sheet, struct err *e);

/* Where the drawing of a figure lies, below <out> and without its extension. */
void emit_plot_path(struct text *path, const struct study *s, const char *figure,
		    const struct result_set *set);

#endif
