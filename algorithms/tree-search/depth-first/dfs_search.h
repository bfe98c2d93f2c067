/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Depth-first branch and bound for flowshop on devices, with one stack per warp
 * (kernels/tree-search/dfs.h).
 *
 * Supports any instance (datasets/flowshop/flowshop.h), LB1 or LB2 by all pairs, and all three
 * branchings. LB1 runs in 16-bit pairs if all sums fit (up to 256 jobs, 60 machines); everything
 * else runs in 32 bits, one warp per node.
 *
 * Several devices. All but the first start empty. A device without work receives some of another
 * one's open nodes over the peer link. Devices share better schedules through pinned host memory
 * while kernels run. Rounds last at most 50 ms, so that limits and signals are noticed soon; the
 * lower bound is then the least bound of the open nodes.
 *
 * Memory never runs out during a search: when a stack is nearly full, its warp expands fewer nodes
 * at a time. ERR_MEMORY only if not even four stacks fit.
 *
 * Orders. A schedule is kept with its order, except for instances whose known optimum is the given
 * ub and that write no checkpoint. Then only values are kept; if that optimum turns out to be
 * wrong, the search starts again.
 *
 * Machine pairs (request->pairs, LB1, up to 64 jobs): each device chooses its own pairs by a sample
 * of its open nodes between two rounds (fsp_pair_tests.h), and tests popped nodes with them.
 *
 * Checkpoints hold the open nodes of all devices (CHECKPOINT_NODES). Each device copies its stacks
 * when one of its rounds ends, and continues while a thread writes the file. The copies take at
 * most 2 % of the time; the period is stretched if necessary. A resumed search keeps the first_ub
 * of the file and starts from the better of the file's and the request's schedules. Devices get
 * open nodes from the host when they run out of work.
 *
 * Without ub the search starts from the jobs in the order of their numbers (search_start). */
#ifndef COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_SEARCH_H
#define COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_SEARCH_H

#include "algorithms/tree-search/search.h"

/* A search_fn; ERR_USAGE for N-Queens. */
int dfs_search(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
