/* The tour that an ATSP search without a bound starts from. */
#ifndef COPRA_TREE_SEARCH_ATSP_ATSP_START_H
#define COPRA_TREE_SEARCH_ATSP_ATSP_START_H

#include "datasets/atsp/atsp.h"
#include "algorithms/tree-search/interrupt.h"

/* Nearest neighbour, then neighbouring segments of the tour change places as long as it becomes
 * cheaper (the move of 3-opt that turns no segment round); from every city in turn where there are
 * at most 50, from city 0 else. Ends early, with the best so far, when `until` is due; NULL: never.
 * tour gets `cities` entries from city 0 on, *cost its cost. ERR_MEMORY. */
int atsp_start(const struct atsp *a, const struct interrupt *until, int64_t *tour, int64_t *cost,
	       struct err *e);

#endif
