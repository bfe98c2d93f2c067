/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Fitness of individuals packed by variable, for host and device.
 *
 * An individual is one bit position in a column of words: bit `bit` of words[v * stride] is its
 * variable v. Each lane of a warp evaluates one of the 32 bits, so all lanes load the same word.
 *
 * struct boa_fitness describes a landscape in plain values. `data` points to host or device memory.
 * Its layout by kind (positions are indices into `data`):
 *
 *   BOA_TRAP      none. Block b consists of the variables k b .. k b + k - 1, k = parameter.
 *   BOA_ADDITIVE  parameter = k, variables of a term. Term t has k + 1 values at t (k + 1): the
 *                 position of its table, then its variables. A table has 2^k values; the value of a
 *                 term is at the index whose bit i is the term's variable i.
 *   BOA_HTRAP     parameter = levels. 4 values of a block below the top with 0, 1, 2, 3 ones, then
 *                 4 values of the top block. A block on level 1, 2, ... counts 3, 9, ... times.
 *   BOA_MAXSAT    terms + 1 positions: where each clause begins, and where the last one ends. Then
 *                 the clauses: a weight, then literals 2 v, or 2 v + 1 where variable v is negated.
 *   BOA_KNAPSACK  the capacity; then profit and weight of each item. */
#ifndef COPRA_KERNELS_GBOA_FITNESS_H
#define COPRA_KERNELS_GBOA_FITNESS_H

#include <stddef.h>
#include <stdint.h>

#include "harness/base/hd.h"

enum boa_fitness_kind { BOA_TRAP, BOA_ADDITIVE, BOA_HTRAP, BOA_MAXSAT, BOA_KNAPSACK };
enum { BOA_HTRAP_VALUES = 4 };

struct boa_fitness {
	int32_t kind; /* enum boa_fitness_kind */
	int32_t n, parameter, terms;
	int32_t least, greatest; /* bounds of the fitness, not always reached */
	const int32_t *data;
};

/* Positions in `data`. */
HD size_t boa_additive_term(int32_t k, int32_t term)
{
	return (size_t)term * (size_t)(k + 1);
}

HD size_t boa_knapsack_item(int32_t item)
{
	return 1 + 2 * (size_t)item;
}

HD uint32_t boa_fitness_bit(const uint32_t *column, size_t stride, int32_t variable, uint32_t bit)
{
	return column[(size_t)variable * stride] >> bit & 1;
}

HD int32_t boa_fitness_trap(const struct boa_fitness *f, const uint32_t *column, size_t stride,
			    uint32_t bit)
{
	int32_t k = f->parameter, sum = 0;

	for (int32_t v = 0; v < f->n; v += k) {
		int32_t ones = 0;

		for (int32_t i = 0; i < k; i++)
			ones += (int32_t)boa_fitness_bit(column, stride, v + i, bit);
		sum += ones == k ? k : k - 1 - ones;
	}
	return sum;
}

HD int32_t boa_fitness_additive(const struct boa_fitness *f, const uint32_t *column, size_t stride,
				uint32_t bit)
{
	int32_t k = f->parameter, sum = 0;

	for (int32_t t = 0; t < f->terms; t++) {
		const int32_t *term = f->data + boa_additive_term(k, t);
		uint32_t row = 0;

		for (int32_t i = 0; i < k; i++)
			row |= boa_fitness_bit(column, stride, term[1 + i], bit) << i;
		sum += f->data[(size_t)term[0] + row];
	}
	return sum;
}

/* One pass over the variables. Each level keeps the sum of the symbols of its unfinished block in 4
 * bits of `sums`. A block that is neither 000 nor 111 passes a 4 up to the next level. A sum of 4
 * or more therefore marks a block with such a child, which is worth nothing. */
HD int32_t boa_fitness_htrap(const struct boa_fitness *f, const uint32_t *column, size_t stride,
			     uint32_t bit)
{
	uint64_t sums = 0;
	int32_t total = 0;

	for (int32_t v = 0; v < f->n; v++) {
		uint32_t symbol = boa_fitness_bit(column, stride, v, bit);
		int32_t level = 0, children = v + 1, times = 3;

		for (;;) {
			uint32_t sum = (uint32_t)(sums >> 4 * level & 15) + symbol;
			int32_t top = level + 1 == f->parameter ? BOA_HTRAP_VALUES : 0;

			sums = (sums & ~((uint64_t)15 << 4 * level)) | (uint64_t)sum << 4 * level;
			if (children % 3)
				break;
			sums &= ~((uint64_t)15 << 4 * level);
			if (sum < BOA_HTRAP_VALUES)
				total += times * f->data[top + (int32_t)sum];
			if (top)
				break;
			symbol = sum == 0 ? 0 : sum == 3 ? 1 : 4;
			children /= 3;
			times *= 3;
			level++;
		}
	}
	return total;
}

HD int32_t boa_fitness_maxsat(const struct boa_fitness *f, const uint32_t *column, size_t stride,
			      uint32_t bit)
{
	int32_t sum = 0;

	for (int32_t t = 0; t < f->terms; t++) {
		int32_t end = f->data[t + 1];
		uint32_t satisfied = 0;

		for (int32_t i = f->data[t] + 1; i < end && !satisfied; i++) {
			int32_t literal = f->data[i];

			satisfied = boa_fitness_bit(column, stride, literal >> 1, bit) ^
				    (uint32_t)(literal & 1);
		}
		sum += satisfied ? f->data[f->data[t]] : 0;
	}
	return sum;
}

/* The profit; if the items do not fit, minus the excess weight. */
HD int32_t boa_fitness_knapsack(const struct boa_fitness *f, const uint32_t *column, size_t stride,
				uint32_t bit)
{
	int32_t profit = 0, weight = 0;

	for (int32_t v = 0; v < f->n; v++) {
		const int32_t *item = f->data + boa_knapsack_item(v);
		int32_t taken = -(int32_t)boa_fitness_bit(column, stride, v, bit);

		profit += item[0] & taken;
		weight += item[1] & taken;
	}
	return weight <= f->data[0] ? profit : f->data[0] - weight;
}

/* The fitness of the individual at `bit` of a column. */
HD int32_t boa_fitness_of(const struct boa_fitness *f, const uint32_t *column, size_t stride,
			  uint32_t bit)
{
	switch (f->kind) {
	case BOA_TRAP:
		return boa_fitness_trap(f, column, stride, bit);
	case BOA_ADDITIVE:
		return boa_fitness_additive(f, column, stride, bit);
	case BOA_HTRAP:
		return boa_fitness_htrap(f, column, stride, bit);
	case BOA_MAXSAT:
		return boa_fitness_maxsat(f, column, stride, bit);
	case BOA_KNAPSACK:
		return boa_fitness_knapsack(f, column, stride, bit);
	default:
		return 0;
	}
}

#endif
