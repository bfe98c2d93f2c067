/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Writes the report's files other than its pages: tables and claims in Markdown, LaTeX and CSV, and
 * the data and gnuplot scripts of the plots.
 *
 *   <out>/<target>/<table>.<origin>-<machine>.{md,tex,csv}
 *   <out>/<target>/<table>.paper.{md,tex,csv}   the paper's numbers, if nothing was measured
 *   <out>/<target>/<table>.simulated.{md,tex,csv}   a table of simulated numbers
 *   <out>/<target>/claims.{md,tex,csv}
 *   <out>/<target>/runs.<origin>-<machine>.{md,tex,csv}
 *       the rows that claims read, their runs, and the runs that the claims need
 *   <out>/<target>/plots/<table>.<origin>-<machine>.{dat,gp}, and .svg once gnuplot has drawn it
 *   <out>/<target>/plots/<table>.simulated.{dat,gp,svg}
 *   <out>/<target>/plots/{roofline,intensity}.<origin>-<machine>.{dat,gp,svg} */
#ifndef COPRA_REPORT_EXPORT_H
#define COPRA_REPORT_EXPORT_H

#include "harness/report/document/sheet.h"
#include "harness/report/paper.h"

/* Writes the files of one paper below the folder `out`, and removes its old drawings. `plots` is
 * the folder of the gnuplot scripts. ERR_IO if a file cannot be written. */
int export_files(const struct paper *p, const char *out, const char *plots, struct err *e);

/* Creates a table with a row per claim: id, where, claim, kind, the verdict that counts, the
 * machine that judged it, the reason, and the verdict on every machine. */
int export_claims_sheet(const struct paper *p, struct sheet *sheet, struct err *e);

/* Appends the path of a figure's drawing, relative to <out> and without extension. set NULL: the
 * figure is simulated. */
void export_plot_path(struct text *path, const struct paper *p, const char *figure,
		      const struct result_set *set);

#endif
