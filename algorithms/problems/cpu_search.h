/* Searches on all cores, with vector units: the fair baselines of the tree-search targets. Each is a
 * search_fn (search.h) that takes threads, time_limit and stop of its request; none keeps checkpoints. */
#ifndef COPRA_PROBLEMS_CPU_SEARCH_H
#define COPRA_PROBLEMS_CPU_SEARCH_H

#include "search.h"

/* Flowshop, either bound, any branching, any size: by tables of sets where they pay, else depth
 * first. */
int cpu_flowshop(const struct search_request *r, struct search_outcome *o, struct err *e);
/* N-Queens up to QN_MAX_COUNTED, all placements on the whole board counted. */
int cpu_queens(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
