#include "algorithms/dp-knapsack/dp.h"

#include <inttypes.h>
#include <stdlib.h>

#include "harness/base/checked.h"

const char *dp_form_name(enum dp_form f)
{
	static const char *const name[] = { "auto", "fused", "class", "merged" };

	return name[f];
}

void dp_answer_free(struct dp_answer *a)
{
	free(a->taken);
	a->taken = NULL;
}

double dp_toth_cells(const struct knapsack *k)
{
	int64_t after = k->sum_weight;
	double cells = 0;

	for (int64_t i = 0; i < k->n; i++) {
		int64_t least;

		after -= k->weight[i];
		least = k->capacity > after ? k->capacity - after : 0;
		least = least > k->weight[i] ? least : k->weight[i];
		cells += least <= k->capacity ? (double)(k->capacity - least + 1) : 0;
	}
	return cells;
}

/* ---- a bound on the value ---- */

struct ratio {
	int64_t profit, weight;
};

/* Descending profit by weight; weight 0 counts as infinitely good. */
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

int dp_value_bound(const struct knapsack *k, int64_t enough, int64_t *bound, struct err *e)
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

/* ---- weights with a common factor ---- */

int64_t dp_weight_divisor(const struct knapsack *k)
{
	int64_t divisor = 0;

	for (int64_t i = 0; i < k->n && divisor != 1; i++)
		if (k->weight[i] <= k->capacity)
			divisor = (int64_t)greatest_common_divisor((uint64_t)divisor,
								   (uint64_t)k->weight[i]);
	return divisor ? divisor : 1;
}

int dp_divide(struct knapsack *reduced, const struct knapsack *k, int64_t divisor, struct err *e)
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

void dp_divided_free(struct knapsack *reduced)
{
	free(reduced->weight);
	reduced->weight = NULL;
}
