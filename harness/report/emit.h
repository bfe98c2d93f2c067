/* The report's files beside the page: tables and claims in Markdown, LaTeX and CSV, data and
 * scripts of the plots.
 *
 *   <out>/<target>/<table>.<origin>-<machine>.{md,tex,csv}
 *   <out>/<target>/claims.{md,tex,csv}
 *   <out>/<target>/plots/<table>.<origin>-<machine>.{dat,gp}, and .svg once gnuplot drew it */
#ifndef COPRA_REPORT_EMIT_H
#define COPRA_REPORT_EMIT_H

#include "study.h"

/* `plots`: the folder of the figures' scripts. Drawings of an earlier report are removed. */
int emit_files(const struct study *s, const char *out, const char *plots, struct err *e);

/* One row a claim: id, section, claim, class, and the verdict on every machine. */
int emit_claims_sheet(const struct study *s, struct sheet *sheet, struct err *e);

/* Path of a table's drawing on a machine. */
int emit_svg_path(char *path, const char *out, const struct study *s,
		  const struct table *t, const struct result_set *set, struct err *e);

#endif
