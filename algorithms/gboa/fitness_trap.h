/* Traps and hierarchical traps: fitness.h. */
#ifndef COPRA_GBOA_FITNESS_TRAP_H
#define COPRA_GBOA_FITNESS_TRAP_H

#include "algorithms/gboa/fitness_view.h"

HD int32_t fitness_trap(const struct fitness_view *f, const uint32_t *column, size_t stride,
			uint32_t bit)
{
	int32_t k = f->parameter, sum = 0;

	for (int32_t v = 0; v < f->n; v += k) {
		int32_t ones = 0;

		for (int32_t i = 0; i < k; i++)
			ones += (int32_t)fitness_bit(column, stride, v + i, bit);
		sum += ones == k ? k : k - 1 - ones;
	}
	return sum;
}

/* One pass over the variables. Every level keeps the sum of the symbols of its unfinished block in
 * 4 bits of `sums`; a block that is neither 000 nor 111 hands up a 4, so that sums of 4 and more
 * are blocks with such a child, worth nothing. */
HD int32_t fitness_htrap(const struct fitness_view *f, const uint32_t *column, size_t stride,
			 uint32_t bit)
{
	uint64_t sums = 0;
	int32_t total = 0;

	for (int32_t v = 0; v < f->n; v++) {
		uint32_t symbol = fitness_bit(column, stride, v, bit);
		int32_t level = 0, children = v + 1, times = 3;

		for (;;) {
			uint32_t sum = (uint32_t)(sums >> 4 * level & 15) + symbol;
			int32_t top = level + 1 == f->parameter ? LANDSCAPE_HTRAP_VALUES : 0;

			sums = (sums & ~((uint64_t)15 << 4 * level)) | (uint64_t)sum << 4 * level;
			if (children % 3)
				break;
			sums &= ~((uint64_t)15 << 4 * level);
			if (sum < LANDSCAPE_HTRAP_VALUES)
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

#endif
