#ifndef COPRA_DP_KNAPSACK_MINMAX_H
#define COPRA_DP_KNAPSACK_MINMAX_H

#include <stdint.h>

static inline int64_t min64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t max64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

#endif
