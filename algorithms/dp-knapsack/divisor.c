#include "algorithms/dp-knapsack/divisor.h"

#include <inttypes.h>
#include <stdlib.h>

#include "harness/base/checked.h"

int64_t kp_weight_divisor(const struct knapsack *k)
{
	int64_t divisor = 0;

	for (int64_t i = 0; i < k->n && divisor != 1; i++)
		if (k->weight[i] <= k->capacity)
			divisor = (int64_t)greatest_common_divisor((uint64_t)divisor,
								   (uint64_t)k->weight[i]);
	return divisor ? divisor : 1;
}

int kp_divide(struct knapsack *reduced, const struct knapsack *k, int64_t divisor, struct err *e)
{
	*reduced = *k;
	reduced->weight = malloc((size_t)k->n * sizeof(*reduced->weight));
	if (!reduced->weight)
		return err_set(e, ERR_MEMORY, "no memory to divide %" PRId64 " weights", k->n);
	reduced->capacity = k->capacity / divisor;
	reduced->sum_weight = 0;
	for (int64_t i = 0; i < k->n; i++) {
		reduced->weight[i] = k->weight[i] / divisor + (k->weight[i] % divisor != 0);
		reduced->sum_weight += reduced->weight[i];
	}
	return 0;
}

void kp_divided_free(struct knapsack *reduced)
{
	free(reduced->weight);
	reduced->weight = NULL;
}
