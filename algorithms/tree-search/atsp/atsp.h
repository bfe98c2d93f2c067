/* ATSP: node evaluation of the tree searches, once for host and device (Gmys et al. 2017,
 * section 4.2).
 *
 * A node is a path from city 0; its bound is the cost of its arcs. A child appends a city. A child
 * is kept where its cost is NOT GREATER than the best tour known (equal is kept, unlike flowshop);
 * a complete path counts with the arc back to city 0. As a permutation of n = cities - 1 items,
 * item i is city i + 1. */
#ifndef COPRA_TREE_SEARCH_ATSP_ATSP_H
#define COPRA_TREE_SEARCH_ATSP_ATSP_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/hd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Cost of the child that appends `to` after `last`; `left` cities are open in the node, `to` among
 * them: the last one closes the tour. */
HD int32_t atsp_child(const int32_t *cost, int cities, int32_t path, int last, int to, int left)
{
	path += cost[last * cities + to];
	return left > 1 ? path : path + cost[to * cities];
}

#ifdef __cplusplus
}
#endif
#endif
