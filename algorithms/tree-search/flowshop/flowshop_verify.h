/* Is the outcome of a flowshop search right? Everything that can be told without the code that
 * searched: schedules are evaluated from the instance, counts and optima compared with what is
 * known. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_VERIFY_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_VERIFY_H

#include "algorithms/tree-search/search.h"

/* ERR_FAILED with the first thing wrong: also where the outcome contradicts an optimum that is
 * proved, by copra or in a paper. One that differs from a list alone is not wrong. *verified: the
 * answer was confirmed, not merely not contradicted: a schedule of makespan `best`, or a count that
 * is known (flowshop_trees.h). That a search agrees with a known optimum confirms nothing where it
 * was given that optimum. */
int fsp_verify(const struct search_request *r, const struct search_outcome *o, bool *verified,
	       struct err *e);
/* The same with another record of what is known of the instance, NULL: nothing. */
int fsp_verify_against(const struct search_request *r, const struct search_outcome *o,
		       const struct flowshop_known *k, bool *verified, struct err *e);

#endif
