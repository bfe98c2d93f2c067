/* The flat data of a landscape, l->data: 32-bit integers, the same on host and device. Positions
 * are positions in that array.
 *
 * LANDSCAPE_TRAP      none. Block b is the variables k b .. k b + k - 1, k = parameter.
 * LANDSCAPE_ADDITIVE  parameter = k, variables of a term. Term t has k + 1 values at t (k + 1): the
 *                     position of its table, then its variables. A table has 2^k values; the value
 *                     of a term is at the number whose bit i is the term's variable i. Terms may
 *                     share a table.
 * LANDSCAPE_HTRAP     parameter = levels. 4 values of a block below the top with 0, 1, 2, 3 ones,
 *                     then 4 values of the top block. A block on level 1, 2, ... counts 3, 9, ...
 *                     times.
 * LANDSCAPE_MAXSAT    terms + 1 positions, where clauses begin and the last one ends; then the
 *                     clauses: a weight, then literals 2 v + 1 where variable v is negated, else
 *                     2 v.
 * LANDSCAPE_KNAPSACK  the capacity; then profit and weight of each item. */
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
