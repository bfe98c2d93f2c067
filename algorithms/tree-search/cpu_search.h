/* Searches on all cores, with vector units: the fair baselines of the tree-search targets. Each is
 * a search_fn (search.h) that takes threads, time_limit and stop of its request; none keeps
 * checkpoints. */
#ifndef COPRA_TREE_SEARCH_CPU_SEARCH_H
#define COPRA_TREE_SEARCH_CPU_SEARCH_H

#include "algorithms/tree-search/search.h"

/* Flowshop, either bound, any branching, any size: by tables of sets where they pay, else depth
 * first. */
int cpu_flowshop(const struct search_request *r, struct search_outcome *o, struct err *e);
/* N-Queens up to QUEENS_MAX_COUNTED, all placements on the whole board counted. */
int cpu_queens(const struct search_request *r, struct search_outcome *o, struct err *e);
/* N-Queens of as many, the tree of half_board; explored = decomposed + leaves, complete boards of
 * the half board. */
int cpu_queens_half(const struct search_request *r, struct search_outcome *o, struct err *e);
/* ATSP of any size; the request's start and the outcome's order are tours from city 0. Without a ub
 * it starts from the tour by the cities' numbers. */
int cpu_atsp(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
