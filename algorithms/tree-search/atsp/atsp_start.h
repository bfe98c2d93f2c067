/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The start of an ATSP search: a first tour and a lower bound. */
#ifndef COPRA_TREE_SEARCH_ATSP_ATSP_START_H
#define COPRA_TREE_SEARCH_ATSP_ATSP_START_H

#include "algorithms/tree-search/search.h"
#include "datasets/atsp/atsp.h"

/* Builds a tour by nearest neighbour and improves it by exchanging neighbouring segments (the 3-opt
 * move that reverses no segment) until no exchange lowers its cost. Starts from every city in turn
 * if there are at most 50, else from city 0. Ends early, with the best tour so far, when `until` is
 * due; NULL: never. tour gets `cities` entries from city 0 on, *cost its cost. ERR_MEMORY. */
int atsp_start(const struct atsp *a, const struct interrupt *until, int64_t *tour, int64_t *cost,
	       struct err *e);

/* A lower bound on the cost of every tour: the sum, over all cities, of the cheapest arc that
 * leaves the city. cost[from * cities + to]. */
int32_t atsp_root_bound(const int32_t *cost, int cities);

#endif
