/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A tree search on all ranks that mpirun started: each rank runs the search of its target on its
 * own processors, in slices, and cluster.h moves open work between the ranks. */
#ifndef COPRA_TREE_SEARCH_CLUSTER_CLUSTER_SEARCH_H
#define COPRA_TREE_SEARCH_CLUSTER_CLUSTER_SEARCH_H

#include "algorithms/tree-search/search_target.h"

/* As target->search, called on every rank with the same request, except that rank 0 alone has the
 * start, the limits and the files of checkpoints. On rank 0 the outcome is that of all ranks
 * together, with exact counts. The other ranks return ERR_LIMIT and an outcome without a solution.
 * Also errors of cluster.h, and ERR_UNSUPPORTED if the search has no checkpoints: only such
 * searches can hand work on. */
int cluster_search(const struct search_target *target, const struct search_request *q,
		   struct search_outcome *o, struct err *e);

#endif
