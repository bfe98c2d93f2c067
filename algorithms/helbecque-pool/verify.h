/* Is an outcome right? Everything that can be told without the code that searched: schedules are
 * evaluated from the instance, counts and optima compared with what is published. */
#ifndef COPRA_POOL_VERIFY_H
#define COPRA_POOL_VERIFY_H

#include "../problems/search.h"

/* Table 1 of the paper: the tree of LB2 with all pairs of machines, forward branching, bounds >=
 * the optimum pruned. */
struct pool_tree {
	const char *instance;
	uint64_t explored;
};
/* NULL for instances that are not in the table. */
const struct pool_tree *pool_tree(const char *instance);

/* ERR_FAILED with the first thing wrong. *verified: the answer was confirmed, not merely not
 * contradicted: a schedule of makespan `best`, or a count that is published. That a search agrees
 * with a known optimum confirms nothing where it was given that optimum. */
int pool_verify(const struct search_request *r, const struct search_outcome *o, bool *verified,
		struct err *e);

/* The outcome's `decomposed`; where a search of N-Queens does not count it, from its other counts:
 * the root and every placement but the complete ones. 0: not known. */
uint64_t pool_decomposed(const struct search_request *r, const struct search_outcome *o);

#endif
