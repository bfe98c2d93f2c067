/* Why a table has no measurement on a machine, or a column of it none: what its benchmarks that
 * were skipped there say for themselves, else that they were no part of what ran. */
#ifndef COPRA_REPORT_ABSENT_H
#define COPRA_REPORT_ABSENT_H

#include "harness/report/tables.h"

/* Fills `absent` of every grid of the machine: a reason for each column of ours without a value. */
int absent_explain(struct grid *grids, size_t count, const struct result_set *set,
		   const struct pred_papers *papers, struct err *e);

/* One line: "needs 4 GPUs (4, published · 4, tuned); not recorded (energy)"; where nothing was
 * measured each reason once, without headings; nothing where no column is empty. */
void grid_untested(const struct grid *g, struct text *out);

#endif
