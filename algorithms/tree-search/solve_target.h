/* What a tree-search target hands to the parts of `solve` that all of them share (flowshop_solve.h,
 * atsp_solve.h). `context` goes to each call. */
#ifndef COPRA_TREE_SEARCH_SOLVE_TARGET_H
#define COPRA_TREE_SEARCH_SOLVE_TARGET_H

#include "harness/bench/solve.h"
#include "algorithms/tree-search/search.h"

/* The note on a resumed search whose --ub is above the bound of its first run: both as PRId64. */
#define SOLVE_USELESS_UB                                                                           \
	"the bound %" PRId64 " has no effect: the checkpoint was searched from %" PRId64

/* What the counts of nodes mean (search.h), for the summary. Which of them are shown depends on the
 * search. */
#define SOLVE_MEANS_EXPLORED "explored: children that entered the pool"
#define SOLVE_MEANS_DECOMPOSED "decomposed: nodes whose children were bounded, root included"
#define SOLVE_MEANS_TREE SOLVE_MEANS_EXPLORED "; " SOLVE_MEANS_DECOMPOSED
#define SOLVE_MEANS_PLACEMENTS "explored: placements of 1 to N queens without attack"
#define SOLVE_MEANS_BOARD SOLVE_MEANS_PLACEMENTS "; decomposed: of 0 to N-1"
#define SOLVE_MEANS_DECOMPOSED_HALF                                                                \
	"decomposed: placements of 1 to N-1 queens without attack on half the board"
#define SOLVE_MEANS_HALF_BOARD                                                                     \
	"explored: placements of 1 to N queens without attack on half the board; decomposed: "     \
	"of 1 to N-1"

struct solve_target {
	void *context;
	/* ERR_USAGE: the flags and the request do not go together. */
	int (*refuse)(void *context, const struct search_request *q, struct err *e);
	/* Adds its seconds to the result. */
	int (*search)(void *context, const struct search_request *q, struct search_outcome *o,
		      struct solve_result *r, struct err *e);
	int (*verify)(const struct search_request *q, const struct search_outcome *o,
		      bool *verified, struct err *e);
	void (*figures)(void *context, const struct search_request *q,
			const struct search_outcome *o, struct solve_result *r);
};

#endif
