/* The sub-command `solve` on N-Queens, for every target that counts them, and whether a count is
 * right. */
#ifndef COPRA_TREE_SEARCH_NQUEENS_QUEENS_SOLVE_H
#define COPRA_TREE_SEARCH_NQUEENS_QUEENS_SOLVE_H

#include "algorithms/tree-search/solve_target.h"

/* As fsp_solve (flowshop_solve.h). `q` also says which nodes are counted: those of the whole board,
 * half_board, solutions_only. */
int queens_solve(const struct solve_options *o, const struct search_request *q,
		 const struct solve_target *t, struct solve_result *r, struct err *e);

/* The published counts of solutions and of the nodes that the request asks for: ERR_FAILED where
 * the outcome has others. *verified: they were there to compare with, and the search was complete.
 */
int queens_verify(const struct search_request *q, const struct search_outcome *o, bool *verified,
		  struct err *e);

/* For `list`: what --instance takes. */
void queens_list_instances(void);

#endif
