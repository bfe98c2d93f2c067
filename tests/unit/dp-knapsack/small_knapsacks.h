/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Small random knapsacks of the kinds that break solvers, and a plain solver for them. */
#ifndef COPRA_TESTS_UNIT_DP_KNAPSACK_SMALL_KNAPSACKS_H
#define COPRA_TESTS_UNIT_DP_KNAPSACK_SMALL_KNAPSACKS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/knapsack/knapsack.h"
#include "harness/base/rng.h"
#include "tests/unit/base/sanitized.h"

enum { SMALL_KINDS = 9, SMALL_ITEMS = UNDER_TSAN ? 12 : 40, SMALL_SHARE = UNDER_TSAN ? 6 : 1 };

static inline int small_trials(int trials)
{
	return trials / SMALL_SHARE;
}

struct small_knapsack {
	struct knapsack k;
	int64_t profit[SMALL_ITEMS], weight[SMALL_ITEMS];
};

static inline void small_sums(struct small_knapsack *s)
{
	s->k.sum_profit = s->k.sum_weight = 0;
	for (int64_t i = 0; i < s->k.n; i++) {
		s->k.sum_profit += s->profit[i];
		s->k.sum_weight += s->weight[i];
	}
}

/* Makes an instance of kind % SMALL_KINDS: 0 uncorrelated; 1 as in the paper (p = w + 50); 2 all
 * equal; 3 profits above 2^31; 4 no slack (C = sum w); 5 C = 0; 6 items heavier than C, without
 * weight or without profit; 7 weights of the order of C, in groups; 8 one item. `s` must not be
 * moved. */
static inline void small_knapsack(struct small_knapsack *s, struct rng *r, int kind, int64_t most)
{
	memset(s, 0, sizeof(*s));
	s->k.profit = s->profit;
	s->k.weight = s->weight;
	kind %= SMALL_KINDS;
	s->k.n = kind == 8 ? 1 : rng_between(r, 2, SMALL_ITEMS);
	int64_t capacity = rng_between(r, 1, most), widest = capacity / 4 + 1;
	int64_t profit = rng_between(r, 1, 99), weight = rng_between(r, 1, widest);
	for (int64_t i = 0; i < s->k.n; i++) {
		s->weight[i] = rng_between(r, 1, widest);
		s->profit[i] = rng_between(r, 1, 1000);
		if (kind == 1)
			s->profit[i] = s->weight[i] + 50;
		else if (kind == 2)
			s->weight[i] = weight, s->profit[i] = profit;
		else if (kind == 3)
			s->profit[i] <<= 24;
		else if (kind == 6)
			s->weight[i] = rng_between(r, 0, 2 * capacity),
			s->profit[i] = rng_between(r, 0, 20);
		else if (kind == 7)
			s->weight[i] = (capacity >> rng_between(r, 1, 4)) + rng_between(r, 0, 5),
			s->profit[i] = s->weight[i] + rng_between(r, 0, 5);
	}
	small_sums(s);
	s->k.capacity = kind == 4 ? s->k.sum_weight : kind == 5 ? 0 : capacity;
}

/* f_n(C), by the plain recursion; -1 when out of memory. */
static inline int64_t small_optimum(const struct knapsack *k)
{
	int64_t *f = calloc((size_t)k->capacity + 1, sizeof(*f));
	if (!f)
		return -1;
	for (int64_t i = 0; i < k->n; i++)
		for (int64_t c = k->capacity; c >= k->weight[i]; c--)
			if (f[c - k->weight[i]] + k->profit[i] > f[c])
				f[c] = f[c - k->weight[i]] + k->profit[i];
	int64_t value = f[k->capacity];
	free(f);
	return value;
}

#endif
