/* The layout of a landscape's flat data, l->data: 32-bit integers, the same on host and device.
 * Positions are indices in that array.
 *
 * LANDSCAPE_TRAP      none. Block b has the variables k b .. k b + k - 1, k = parameter.
 * LANDSCAPE_ADDITIVE  parameter = k, the number of variables per term. Term t has k + 1 values from
 *                     t (k + 1) on: the position of its table, then its variables. A table has 2^k
 *                     values; bit i of the index is the term's variable i. Terms may share a
 *                     table.
 * LANDSCAPE_HTRAP     parameter = levels. 4 values of a block below the top with 0, 1, 2, 3 ones,
 *                     then 4 values of the top block. The weight of a block on level 1, 2, ... is
 *                     3, 9, ...
 * LANDSCAPE_MAXSAT    terms + 1 positions: where each clause begins, and where the last one ends.
 *                     Then the clauses: a weight, then literals, 2 v + 1 if variable v is negated,
 *                     else 2 v.
 * LANDSCAPE_KNAPSACK  the capacity, then profit and weight of each item. */
#ifndef COPRA_DATASETS_LANDSCAPE_LANDSCAPE_DATA_H
#define COPRA_DATASETS_LANDSCAPE_LANDSCAPE_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "harness/base/hd.h"

enum { LANDSCAPE_HTRAP_VALUES = 4 };

HD size_t landscape_additive_term(int32_t k, int32_t term)
{
	return (size_t)term * (size_t)(k + 1);
}

HD size_t landscape_knapsack_item(int32_t item)
{
	return 1 + 2 * (size_t)item;
}

#endif
