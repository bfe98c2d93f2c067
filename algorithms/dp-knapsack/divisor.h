/* Weights with a common factor. The tables of dense dynamic programming grow with the capacity, so
 * dividing the weights by their common factor makes them smaller by that factor. The answer stays
 * the same. */
#ifndef COPRA_DP_KNAPSACK_DIVISOR_H
#define COPRA_DP_KNAPSACK_DIVISOR_H

#include "datasets/knapsack/knapsack.h"

/* The greatest common divisor of the weights that are neither 0 nor above the capacity; 1 if there
 * are none. */
int64_t kp_weight_divisor(const struct knapsack *k);

/* *reduced: k with weights w / divisor and capacity floor(C / divisor), for kp_weight_divisor(k) or
 * a divisor of it. The same sets of items fit. Items heavier than the capacity stay heavier: their
 * weights are rounded up. It borrows k's profits; kp_divided_free frees its weights. ERR_MEMORY. */
int kp_divide(struct knapsack *reduced, const struct knapsack *k, int64_t divisor, struct err *e);
void kp_divided_free(struct knapsack *reduced);

#endif
