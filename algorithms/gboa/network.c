#include "algorithms/gboa/network.h"

#include <stdlib.h>

int boa_network_create(struct boa_network *b, int32_t n, int32_t k, struct err *e)
{
	size_t variables = (size_t)n, edges = variables * (size_t)(k > 0 ? k : 1);

	*b = (struct boa_network){
		.n = n,
		.k = k,
		.rank = calloc(variables, sizeof(int32_t)),
		.parent_count = calloc(variables, sizeof(int32_t)),
		.parents = calloc(edges, sizeof(int32_t)),
		.thresholds = calloc(variables << k, sizeof(uint32_t)),
	};
	if (b->rank && b->parent_count && b->parents && b->thresholds)
		return 0;
	boa_network_destroy(b);
	return err_set(e, ERR_MEMORY, "no memory for a network of %d variables", n);
}

void boa_network_destroy(struct boa_network *b)
{
	free(b->rank);
	free(b->parent_count);
	free(b->parents);
	free(b->thresholds);
	*b = (struct boa_network){ 0 };
}
