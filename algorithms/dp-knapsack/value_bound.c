#include "algorithms/dp-knapsack/value_bound.h"

#include <stdlib.h>

struct ratio {
	int64_t profit, weight;
};

/* Best profit by weight first; weight 0 counts as infinitely good. */
static int by_ratio(const void *left, const void *right)
{
	const struct ratio *a = left, *b = right;
	__int128 x = (__int128)a->profit * b->weight, y = (__int128)b->profit * a->weight;
	return x > y ? -1 : x < y;
}

static int64_t dantzig(const struct ratio *item, int64_t count, int64_t capacity)
{
	int64_t bound = 0;
	for (int64_t i = 0; i < count; i++) {
		if (item[i].weight > capacity)
			return bound +
			       (int64_t)((__int128)item[i].profit * capacity / item[i].weight);
		capacity -= item[i].weight;
		bound += item[i].profit;
	}
	return bound;
}

int kp_value_bound(const struct knapsack *k, int64_t enough, int64_t *bound, struct err *e)
{
	int64_t fitting = 0, profits = 0;
	for (int64_t i = 0; i < k->n; i++) {
		if (k->weight[i] > k->capacity)
			continue;
		profits += k->profit[i];
		fitting++;
	}
	*bound = profits;
	if (profits <= enough)
		return 0;
	struct ratio *item = malloc((size_t)fitting * sizeof(*item));
	if (!item)
		return err_set(e, ERR_MEMORY, "no memory to bound the value of %lld items",
			       (long long)fitting);
	int64_t m = 0;
	for (int64_t i = 0; i < k->n; i++)
		if (k->weight[i] <= k->capacity)
			item[m++] = (struct ratio){ k->profit[i], k->weight[i] };
	qsort(item, (size_t)fitting, sizeof(*item), by_ratio);
	*bound = dantzig(item, fitting, k->capacity);
	free(item);
	return 0;
}
