#include <stdlib.h>

#include "algorithms/dp-knapsack/knapsack_dp.h"

const char *kp_form_name(enum kp_form f)
{
	static const char *const name[] = { "auto", "fused", "class", "merged" };

	return name[f];
}

void kp_answer_free(struct kp_answer *a)
{
	free(a->taken);
	a->taken = NULL;
}

double kp_toth_cells(const struct knapsack *k)
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
