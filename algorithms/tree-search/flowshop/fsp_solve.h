/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The command `solve` on a flowshop: reads --ub, finds the first schedule, searches, and reports
 * what was found or proved. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FSP_SOLVE_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FSP_SOLVE_H

#include "algorithms/tree-search/search_target.h"

/* The forms of --instance, for a struct solve_spec. */
#define FSP_INSTANCES "ta001..ta120, taillard:JxM:SEED, random:JxM:MAX[:SEED] or a file"
/* --format, for tables of flags. */
#define FSP_FORMAT_ARGUMENT "auto|jobs-by-machines|machines-by-jobs"
#define FSP_FORMAT_HELP "the file is a plain matrix, one row per job or one row per machine"
/* Prints the forms of --instance, for `list`. `paper`: says which instances the paper uses, or "".
 */
void fsp_list_instances(const char *paper);

/* Loads --instance. If the file is refused and looks like another format, the message says so
 * (datasets/recognise.h). */
int fsp_load(struct flowshop *f, const struct solve_options *o, enum flowshop_format format,
	     struct err *e);

#define FSP_PLOT_HELP "flowshop: draw the schedule as a Gantt chart (SVG)"
/* Whether the file of --plot, if given, can be written: to be called before the search. ERR_IO. */
int fsp_plot_check(const struct solve_options *o, struct err *e);
/* Draws the schedule of the result to the file of --plot, if given, and notes it in the summary. A
 * result without a schedule gets a note that nothing was drawn; an error goes to r->output. */
void fsp_plot(const struct solve_options *o, const struct flowshop *f, struct solve_result *r);

/* Solves a flowshop. `q`, `t`: see search_solve. r->instance is not set. A resumed search starts
 * from the bound of its first run unless --ub is given. A bound below the best value of the
 * checkpoint is refused if the same file would be overwritten. */
int fsp_solve_instance(const struct solve_options *o, const struct search_flags *flags,
		       const struct search_request *q, const struct search_target *t,
		       const struct flowshop *f, struct solve_result *r, struct err *e);

/* The same with --instance. */
int fsp_solve(const struct solve_options *o, const struct search_flags *flags,
	      const struct search_request *q, const struct search_target *t, struct solve_result *r,
	      struct err *e);

#endif
