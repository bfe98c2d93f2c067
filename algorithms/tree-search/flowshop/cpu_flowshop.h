/* What the multi-core flowshop searches have in common. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_CPU_FLOWSHOP_H
#define COPRA_TREE_SEARCH_FLOWSHOP_CPU_FLOWSHOP_H

#include <stdlib.h>

#include "datasets/flowshop/flowshop.h"

/* Whether no makespan, bound or part of one reaches the end of 16 unsigned bits: each is at most
 * a sum along a path of n + m - 1 operations. */
static inline bool cpu_fits_16_bits(const struct flowshop *f)
{
	int64_t longest = 0;

	for (int i = 0; i < f->jobs * f->machines; i++)
		longest = f->time[i] > longest ? f->time[i] : longest;
	return longest * (f->jobs + f->machines) < UINT16_MAX;
}

/* Memory for vectors; NULL when there is none. Freed by free(). */
static inline void *cpu_vectors_alloc(size_t bytes)
{
	return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

#endif
