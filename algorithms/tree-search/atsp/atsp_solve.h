/* The sub-command `solve` on the asymmetric travelling salesman, for the targets that search it. */
#ifndef COPRA_TREE_SEARCH_ATSP_ATSP_SOLVE_H
#define COPRA_TREE_SEARCH_ATSP_ATSP_SOLVE_H

#include "algorithms/tree-search/solve_target.h"

/* As fsp_solve (flowshop_solve.h). --ub opt is worked out by dynamic programming: ERR_USAGE above
 * ATSP_HELD_KARP_MAX cities. `start`: none, or local (atsp_start.h), the default but for --ub opt,
 * whose tour is at hand. NULL: not given. */
int atsp_solve(const struct solve_options *o, const char *start, const struct search_request *q,
	       const struct solve_target *t, struct solve_result *r, struct err *e);

#endif
