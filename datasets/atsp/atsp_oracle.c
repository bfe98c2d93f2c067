/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The cost of a tour and the optimum, from the definition. */
#include <inttypes.h>
#include <stdlib.h>

#include "datasets/atsp/atsp.h"

int64_t atsp_tour_cost(const struct atsp *a, const int64_t *tour)
{
	bool seen[ATSP_MAX_CITIES] = { false };
	int n = a->cities;
	int64_t sum = 0;

	for (int i = 0; i < n; i++) {
		if (tour[i] < 0 || tour[i] >= n || seen[tour[i]])
			return -1;
		seen[tour[i]] = true;
	}
	for (int i = 0; i < n; i++)
		sum += a->cost[tour[i] * n + tour[(i + 1) % n]];
	return sum;
}

/* path[set * m + last] is the cost of the cheapest path from city 0 through all of `set` that ends
 * at `last`. The m = n - 1 other cities are numbered from 0: city c is number c - 1. */
struct held_karp {
	const struct atsp *a;
	int m;
	int32_t *path;
};

static int32_t cost_of(const struct held_karp *h, int from, int to)
{
	return h->a->cost[(from + 1) * h->a->cities + to + 1];
}

static int32_t cheapest(const struct held_karp *h, uint32_t set, int last)
{
	uint32_t before = set & ~(UINT32_C(1) << last);
	int32_t best = INT32_MAX;

	if (!before)
		return h->a->cost[last + 1];
	for (int c = 0; c < h->m; c++) {
		if (before >> c & 1) {
			int32_t way = h->path[(size_t)before * (size_t)h->m + (size_t)c] +
				      cost_of(h, c, last);

			best = way < best ? way : best;
		}
	}
	return best;
}

/* The city of `set` at which the cheapest path to `next` ends; `next` is -1 for city 0. Sets *least
 * to the cost of that path. */
static int last_city(const struct held_karp *h, uint32_t set, int next, int64_t *least)
{
	int best = -1;

	for (int c = 0; c < h->m; c++) {
		int64_t way;

		if (!(set >> c & 1))
			continue;
		way = (int64_t)h->path[(size_t)set * (size_t)h->m + (size_t)c] +
		      cost_of(h, c, next);
		if (best < 0 || way < *least) {
			best = c;
			*least = way;
		}
	}
	return best;
}

int atsp_held_karp(const struct atsp *a, const volatile sig_atomic_t *stop, int64_t *optimum,
		   int64_t *tour, struct err *e)
{
	struct held_karp h = { a, a->cities - 1, NULL };
	uint32_t all, set;
	int64_t unused;

	if (a->cities > ATSP_HELD_KARP_MAX)
		return err_set(
			e, ERR_USAGE,
			"%d cities are too many for dynamic programming over sets; the limit is %d",
			a->cities, ATSP_HELD_KARP_MAX);
	all = (UINT32_C(1) << h.m) - 1;
	h.path = calloc(((size_t)all + 1) * (size_t)h.m, sizeof(*h.path));
	if (!h.path)
		return err_set(e, ERR_MEMORY,
			       "no memory for the paths through all sets of %d "
			       "cities",
			       h.m);
	for (set = 1; set <= all; set++) {
		if (stop && *stop) {
			free(h.path);
			return err_set(e, ERR_LIMIT, "stopped before the optimum of %s was known",
				       a->name);
		}
		for (int c = 0; c < h.m; c++)
			if (set >> c & 1)
				h.path[(size_t)set * (size_t)h.m + (size_t)c] =
					cheapest(&h, set, c);
	}
	set = all;
	for (int i = h.m, next = -1; i > 0; i--) { /* city 0 is -1 */
		next = last_city(&h, set, next, i == h.m ? optimum : &unused);
		if (tour)
			tour[i] = next + 1;
		set &= ~(UINT32_C(1) << next);
	}
	if (tour)
		tour[0] = 0;
	free(h.path);
	return 0;
}
