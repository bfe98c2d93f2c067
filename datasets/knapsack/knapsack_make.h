/* How readers and generators build a struct knapsack. Private to datasets/. */
#ifndef COPRA_DATASETS_KNAPSACK_KNAPSACK_MAKE_H
#define COPRA_DATASETS_KNAPSACK_KNAPSACK_MAKE_H

#include "datasets/knapsack/knapsack.h"

enum { KNAPSACK_MAX_ITEMS = 1 << 30 };

/* Empty arrays for n items, sums 0. `format` makes the name. */
int knapsack_alloc(struct knapsack *k, int64_t n, struct err *e, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Sets item i and adds it to the sums; ERR_INPUT (without a place) when a sum would overflow. */
int knapsack_put(struct knapsack *k, int64_t i, int64_t profit, int64_t weight, struct err *e);

/* splitmix64: advances *state, returns the next 64 random bits. */
uint64_t knapsack_random(uint64_t *state);

/* "N:C:G:F:EPS:S[:SEED]" and "CLASS:N[:SEED]". */
int knapsack_correlated(struct knapsack *k, const char *parameters, struct err *e);
int knapsack_hard(struct knapsack *k, const char *parameters, struct err *e);
#endif
