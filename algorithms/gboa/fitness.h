/* Fitness of individuals packed by variable (data.h): one definition for host and device.
 *
 * A view is plain data; `data` points into host or device memory. fitness_of() evaluates the one
 * individual at `bit` of a column of words: words[v * stride] for variable v. Lanes of a warp take
 * the 32 bits of a column, so that every load is one word for all of them. */
#ifndef COPRA_GBOA_FITNESS_H
#define COPRA_GBOA_FITNESS_H

#include "algorithms/gboa/fitness_terms.h"
#include "algorithms/gboa/fitness_trap.h"
#include "algorithms/gboa/fitness_view.h"

HD int32_t fitness_of(const struct fitness_view *f, const uint32_t *column, size_t stride,
		      uint32_t bit)
{
	switch (f->kind) {
	case LANDSCAPE_TRAP:
		return fitness_trap(f, column, stride, bit);
	case LANDSCAPE_ADDITIVE:
		return fitness_additive(f, column, stride, bit);
	case LANDSCAPE_HTRAP:
		return fitness_htrap(f, column, stride, bit);
	case LANDSCAPE_MAXSAT:
		return fitness_maxsat(f, column, stride, bit);
	case LANDSCAPE_KNAPSACK:
		return fitness_knapsack(f, column, stride, bit);
	default:
		return 0;
	}
}

#endif
