/* An upper bound on f(C), to choose the width of a cell. */
#ifndef COPRA_DP_KNAPSACK_VALUE_BOUND_H
#define COPRA_DP_KNAPSACK_VALUE_BOUND_H

#include <stdint.h>

#include "datasets/knapsack/knapsack.h"
#include "harness/base/error.h"

/* min(sum of the profits of the items that fit, Dantzig's bound of the fractional knapsack). The
 * latter is computed only where the former exceeds `enough`. */
int kp_value_bound(const struct knapsack *k, int64_t enough, int64_t *bound, struct err *e);

#endif
