/* Exact optimum of a 0-1 knapsack instance by an algorithm that has nothing in common with the
 * dense dynamic programs: sparse states (weight, value) over an expanding core around the break
 * item, with dominance and upper bounds (after Pisinger, "A minimal algorithm for the 0-1 knapsack
 * problem", Operations Research 45, 1997), written in the plainest way. Milliseconds to seconds on
 * Boyer's instances; on hard instances the number of states may grow beyond `max_states`. */
#ifndef COPRA_DATASETS_KNAPSACK_KNAPSACK_ORACLE_H
#define COPRA_DATASETS_KNAPSACK_KNAPSACK_ORACLE_H

#include "datasets/knapsack/knapsack.h"

/* Returns 0 with the optimum, ERR_LIMIT when more than max_states states were needed at once
 * (0 = 4 million) or more than `seconds` passed (0 = no limit); ERR_MEMORY. */
int knapsack_oracle(const struct knapsack *k, int64_t max_states, double seconds, int64_t *optimum,
		    struct err *e);
#endif
