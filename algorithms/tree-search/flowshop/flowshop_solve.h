/* The sub-command `solve` on a flowshop, for every target that searches one: reads the bound and
 * the first schedule that were asked for, searches, and presents what was found or proved. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_SOLVE_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_SOLVE_H

#include "algorithms/tree-search/solve_target.h"

/* What --instance takes, for the line of a struct solve_spec. */
#define FSP_INSTANCES "ta001..ta120, taillard:JxM:SEED, random:JxM:MAX[:SEED] or a file"
/* --format, for the tables of flags. */
#define FSP_FORMAT_ARGUMENT "auto|jobs-by-machines|machines-by-jobs"
#define FSP_FORMAT_HELP "the file is a plain matrix, a row a job or a row a machine"
/* The same for `list`, after the line of the problem; `paper`: which are the paper's, or "". */
void fsp_list_instances(const char *paper);

/* --instance in the format of --format; where it is refused and looks like something else, the
 * message says so (datasets/recognise.h). */
int fsp_load(struct flowshop *f, const struct solve_options *o, enum flowshop_format format,
	     struct err *e);

/* As given on the command line; NULL, 0: not given. */
struct fsp_solve_flags {
	const char *bound, *branching, *start, *format;
	double start_seconds;
	enum fsp_branching default_branching; /* the target's */
};

/* `q`: what all problems ask in the same way (threads, devices, limits, a checkpoint). A search
 * that is resumed starts from the bound of its first run, unless --ub says otherwise; one below the
 * best of the file is refused where the file would be written over. Returns what a run() of struct
 * solve_spec does. */
int fsp_solve(const struct solve_options *o, const struct fsp_solve_flags *flags,
	      const struct search_request *q, const struct solve_target *t, struct solve_result *r,
	      struct err *e);

#endif
