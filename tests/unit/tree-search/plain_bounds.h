/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* LB2 of a pair of machines by a plain computation, for tests to compare with. */
#ifndef COPRA_TESTS_UNIT_TREE_SEARCH_PLAIN_BOUNDS_H
#define COPRA_TESTS_UNIT_TREE_SEARCH_PLAIN_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "datasets/flowshop/flowshop.h"

static inline int64_t time_of(const struct flowshop *f, int job, int machine)
{
	return f->time[machine * f->jobs + job];
}

static inline int64_t lag_of(const struct flowshop *f, int job, int u, int v)
{
	int64_t sum = 0;

	for (int k = u + 1; k < v; k++)
		sum += time_of(f, job, k);
	return sum;
}

/* Whether job i precedes job j in Johnson's order of (u, v). */
static inline bool before(const struct flowshop *f, int i, int j, int u, int v)
{
	int64_t ai = time_of(f, i, u) + lag_of(f, i, u, v),
		bi = time_of(f, i, v) + lag_of(f, i, u, v);
	int64_t aj = time_of(f, j, u) + lag_of(f, j, u, v),
		bj = time_of(f, j, v) + lag_of(f, j, u, v);

	return (ai < bj ? ai : bj) < (aj < bi ? aj : bi);
}

/* Two machines with lags: repeatedly selects the next job of the order. */
static inline int64_t bound_of_pair(const struct flowshop *f, unsigned left, const int64_t *front,
				    const int64_t *tail, int u, int v)
{
	int64_t t0 = front[u], t1 = front[v];

	while (left) {
		int next = -1;

		for (int j = 0; j < f->jobs; j++)
			if ((left >> j & 1) && (next < 0 || before(f, j, next, u, v)))
				next = j;
		left &= ~(1u << next);
		t0 += time_of(f, next, u);
		if (t0 + lag_of(f, next, u, v) > t1)
			t1 = t0 + lag_of(f, next, u, v);
		t1 += time_of(f, next, v);
	}
	return t0 + tail[u] > t1 + tail[v] ? t0 + tail[u] : t1 + tail[v];
}

#endif
