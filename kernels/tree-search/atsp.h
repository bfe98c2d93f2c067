/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Asymmetric travelling salesman: node evaluation of the tree searches, shared by host and device
 * code (Gmys et al. 2017, section 4.2).
 *
 * A node is a path from city 0; its bound is the cost of its arcs. A child appends a city. A child
 * is kept if its cost is NOT GREATER than the best known tour (unlike in flowshop, equal cost is
 * kept). The cost of a complete path includes the arc back to city 0. As a permutation of n =
 * cities - 1 items, item i is city i + 1. */
#ifndef COPRA_KERNELS_TREE_SEARCH_ATSP_H
#define COPRA_KERNELS_TREE_SEARCH_ATSP_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/hd.h"

/* Cost of the child that appends `to` after `last` to a path of cost `path`. `left` cities,
 * including `to`, are not in the path; the last of them closes the tour. cost[from * cities + to]
 */
HD int32_t atsp_child(const int32_t *cost, int cities, int32_t path, int last, int to, int left)
{
	path += cost[last * cities + to];
	return left > 1 ? path : path + cost[to * cities];
}

#endif
