/* The order of a generation: ranks of random keys. */
#include <stdlib.h>

#include "algorithms/gboa/learn.h"
#include "algorithms/gboa/random.h"

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int boa_permutation(uint64_t seed, uint32_t generation, int32_t n, int32_t *rank, struct err *e)
{
	uint64_t *keys = malloc((size_t)n * sizeof(*keys));

	if (!keys)
		return err_set(e, ERR_MEMORY, "no memory for a permutation of %d variables", n);
	for (int32_t v = 0; v < n; v++)
		keys[v] =
			(uint64_t)boa_order_key(seed, generation, (uint32_t)v) << 32 | (uint32_t)v;
	qsort(keys, (size_t)n, sizeof(*keys), by_value);
	for (int32_t r = 0; r < n; r++)
		rank[(uint32_t)keys[r]] = r;
	free(keys);
	return 0;
}
