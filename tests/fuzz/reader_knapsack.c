/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/knapsack/knapsack.h"
#include "tests/fuzz/fuzz.h"

static void check_items(const struct knapsack *k)
{
	int64_t profit = 0, weight = 0;

	FUZZ_CHECK(k->n >= 1 && k->capacity >= 0);
	for (int64_t i = 0; i < k->n; i++) {
		FUZZ_CHECK(k->profit[i] >= 0 && k->weight[i] >= 0);
		FUZZ_CHECK(!__builtin_add_overflow(profit, k->profit[i], &profit));
		FUZZ_CHECK(!__builtin_add_overflow(weight, k->weight[i], &weight));
	}
	FUZZ_CHECK(profit == k->sum_profit && weight == k->sum_weight);
}

static bool same(const struct knapsack *a, const struct knapsack *b)
{
	if (a->n != b->n || a->capacity != b->capacity)
		return false;
	for (int64_t i = 0; i < a->n; i++) {
		if (a->profit[i] != b->profit[i] || a->weight[i] != b->weight[i])
			return false;
	}
	return true;
}

FUZZ_READER(knapsack)
{
	struct knapsack k, again;
	struct err e = { 0 };

	if (!fuzz_status(knapsack_load(&k, fuzz_file(data, size), &e), &e)) {
		FUZZ_CHECK(k.profit == NULL && k.weight == NULL);
		return;
	}
	check_items(&k);
	FUZZ_CHECK(knapsack_write(&k, fuzz_scratch(), &e) == 0);
	FUZZ_CHECK(knapsack_load(&again, fuzz_scratch(), &e) == 0);
	FUZZ_CHECK(same(&k, &again));
	knapsack_free(&k);
	knapsack_free(&again);
}
