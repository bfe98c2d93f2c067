/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Rates of a search as tuners see them: each measurement has a noise of 5 %, and the tree drifts by
 * 20 % either way within 0.3 s. */
#ifndef COPRA_TESTS_UNIT_TREE_SEARCH_NOISY_RATES_H
#define COPRA_TESTS_UNIT_TREE_SEARCH_NOISY_RATES_H

#include <math.h>

#include "harness/base/rng.h"

enum { NOISY_SEEDS = 200 };

struct noisy_rates {
	struct rng rng;
	double phase;
};

static inline struct noisy_rates noisy_rates(uint64_t seed)
{
	struct noisy_rates n = { .rng = rng_seeded(seed) };

	n.phase = 6.283 * rng_unit(&n.rng);
	return n;
}

static inline double noisy_drift(const struct noisy_rates *n, double at)
{
	return 1 + 0.2 * sin(6.283 * at / 0.3 + n->phase);
}

/* Normally distributed with mean 1, as a sum of twelve. */
static inline double noisy_factor(struct noisy_rates *n)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += rng_unit(&n->rng);
	return 1 + 0.05 * sum;
}

#endif
