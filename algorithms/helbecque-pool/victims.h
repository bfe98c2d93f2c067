/* Algorithm 2: the order in which a thief tries the others, a random permutation. */
#ifndef COPRA_HELBECQUE_POOL_VICTIMS_H
#define COPRA_HELBECQUE_POOL_VICTIMS_H

#include "harness/base/rng.h"
#include "algorithms/tree-search/search.h"

/* A permutation of 0..n-1 without `thief` (which may be out of range: of all) in out; returns how
 * many. n <= SEARCH_WORKERS_MAX. */
static inline int victims_permute(struct rng *r, int thief, int n, int out[SEARCH_WORKERS_MAX])
{
	int count = 0;

	for (int i = 0; i < n; i++) {
		if (i == thief)
			continue;
		int j = (int)rng_below(r, (uint64_t)count + 1);

		out[count] = out[j];
		out[j] = i;
		count++;
	}
	return count;
}

#endif
