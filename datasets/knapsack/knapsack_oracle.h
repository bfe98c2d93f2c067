/* The exact optimum of a 0-1 knapsack instance, by an algorithm that has nothing in common with the
 * dense dynamic programs of the solvers: sparse states (weight, value) over a core that expands
 * around the break item, with dominance and upper bounds (after Pisinger, "A minimal algorithm for
 * the 0-1 knapsack problem", Operations Research 45, 1997). The code is deliberately plain. It
 * takes milliseconds to seconds on Boyer's instances; on hard instances the number of states may
 * exceed `max_states`. */
#ifndef COPRA_DATASETS_KNAPSACK_KNAPSACK_ORACLE_H
#define COPRA_DATASETS_KNAPSACK_KNAPSACK_ORACLE_H

#include "datasets/knapsack/knapsack.h"

/* Sets *optimum. ERR_LIMIT if more than max_states states (0: 4 million) are needed at once or more
 * than `seconds` (0: no limit) pass; ERR_MEMORY. */
int knapsack_oracle(const struct knapsack *k, int64_t max_states, double seconds, int64_t *optimum,
		    struct err *e);
#endif
