/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Sets of capacities as intervals. */
#ifndef COPRA_DP_KNAPSACK_CAPACITIES_H
#define COPRA_DP_KNAPSACK_CAPACITIES_H

#include <stdint.h>

#include "harness/base/error.h"

/* The integers lo..hi, both included. */
struct dp_interval {
	int64_t lo, hi;
};

/* A set: disjoint intervals in ascending order. All zero is the empty set. */
struct dp_capacities {
	struct dp_interval *interval;
	int64_t count, room;
};

void dp_capacities_free(struct dp_capacities *s);
/* Makes the set lo..hi. ERR_MEMORY. */
int dp_capacities_single(struct dp_capacities *s, int64_t lo, int64_t hi, struct err *e);
/* Makes `out` the union of a and a + shift, without what is outside low..high. Intervals that are
 * at most `gap` >= 0 integers apart become one, so `out` may hold more than the union. `out` must
 * not be `a`. ERR_MEMORY. */
int dp_capacities_with_shifted(struct dp_capacities *out, const struct dp_capacities *a,
			       int64_t shift, int64_t low, int64_t high, int64_t gap,
			       struct err *e);
/* Makes `out` the intersection of a and b; it must be neither. ERR_MEMORY. */
int dp_capacities_common(struct dp_capacities *out, const struct dp_capacities *a,
			 const struct dp_capacities *b, struct err *e);
/* The number of integers. */
int64_t dp_capacities_size(const struct dp_capacities *s);
/* How many integers of the set are less than c; -1 if c is not in the set. */
int64_t dp_capacities_rank(const struct dp_capacities *s, int64_t c);

#endif
