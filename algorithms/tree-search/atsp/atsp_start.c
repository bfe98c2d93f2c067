/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/atsp/atsp_start.h"

#include <stdlib.h>
#include <string.h>

enum { EVERY_CITY_UP_TO = 50 };

static int32_t arc(const struct atsp *a, int64_t from, int64_t to)
{
	return a->cost[from * a->cities + to];
}

/* Every step goes to the cheapest remaining city. The remaining cities are the rest of `tour`. */
static void nearest_neighbour(const struct atsp *a, int first, int64_t *tour)
{
	int n = a->cities;

	for (int i = 0; i < n; i++)
		tour[i] = i;
	tour[0] = first;
	tour[first] = 0;
	for (int i = 1; i < n; i++) {
		int best = i;
		int64_t city;

		for (int j = i + 1; j < n; j++) {
			if (arc(a, tour[i - 1], tour[j]) < arc(a, tour[i - 1], tour[best]))
				best = j;
		}
		city = tour[best];
		tour[best] = tour[i];
		tour[i] = city;
	}
}

/* Exchanges tour[i+1..j] and tour[j+1..k]. */
static void exchange(int64_t *tour, int i, int j, int k, int64_t *room)
{
	size_t left = (size_t)(j - i), right = (size_t)(k - j);

	memcpy(room, tour + i + 1, left * sizeof(*tour));
	memmove(tour + i + 1, tour + j + 1, right * sizeof(*tour));
	memcpy(tour + i + 1 + right, room, left * sizeof(*tour));
}

static bool is_due(const struct interrupt *until)
{
	return until && interrupt_due(until);
}

/* One pass over all pairs of neighbouring segments. */
static bool improve(const struct atsp *a, const struct interrupt *until, int64_t *tour,
		    int64_t *room)
{
	int n = a->cities;
	bool improved = false;

	for (int i = 0; i < n - 2; i++) {
		if (is_due(until))
			return false;
		for (int j = i + 1; j < n - 1; j++) {
			for (int k = j + 1; k < n; k++) {
				int64_t last = tour[k], after = tour[(k + 1) % n];
				int64_t now = (int64_t)arc(a, tour[i], tour[i + 1]) +
					      arc(a, tour[j], tour[j + 1]) + arc(a, last, after);
				int64_t then = (int64_t)arc(a, tour[i], tour[j + 1]) +
					       arc(a, last, tour[i + 1]) + arc(a, tour[j], after);

				if (then >= now)
					continue;
				exchange(tour, i, j, k, room);
				improved = true;
			}
		}
	}
	return improved;
}

static int64_t cost_of(const struct atsp *a, const int64_t *tour)
{
	int64_t cost = 0;

	for (int i = 0; i < a->cities; i++)
		cost += arc(a, tour[i], tour[(i + 1) % a->cities]);
	return cost;
}

static void from_city_0(int64_t *to, const int64_t *tour, int cities)
{
	int at = 0;

	while (tour[at] != 0)
		at++;
	for (int i = 0; i < cities; i++)
		to[i] = tour[(at + i) % cities];
}

int atsp_start(const struct atsp *a, const struct interrupt *until, int64_t *tour, int64_t *cost,
	       struct err *e)
{
	int n = a->cities, firsts = n <= EVERY_CITY_UP_TO ? n : 1;
	int64_t *trial = malloc(2 * (size_t)n * sizeof(*trial)), found;

	if (!trial)
		return err_set(e, ERR_MEMORY, "no memory for a tour of %d cities", n);
	for (int first = 0; first < firsts && (first == 0 || !is_due(until)); first++) {
		nearest_neighbour(a, first, trial);
		while (improve(a, until, trial, trial + n))
			;
		found = cost_of(a, trial);
		if (first > 0 && found >= *cost)
			continue;
		*cost = found;
		from_city_0(tour, trial, n);
	}
	free(trial);
	return 0;
}

int32_t atsp_root_bound(const int32_t *cost, int cities)
{
	int32_t sum = 0;

	for (int from = 0; from < cities; from++) {
		int32_t least = INT32_MAX;

		for (int to = 0; to < cities; to++) {
			int32_t c = cost[from * cities + to];

			least = to != from && c < least ? c : least;
		}
		sum += least;
	}
	return sum;
}
