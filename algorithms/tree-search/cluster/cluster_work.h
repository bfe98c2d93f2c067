/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Open work of the tree searches (checkpoint.h) as the work of a cluster: intervals of factoradics
 * or nodes, divided between ranks without a node in common.
 *
 * The tree before its root was searched is work, too, but indivisible: its form depends on the
 * engine. */
#ifndef COPRA_TREE_SEARCH_CLUSTER_CLUSTER_WORK_H
#define COPRA_TREE_SEARCH_CLUSTER_CLUSTER_WORK_H

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/cluster/cluster.h"

struct cluster_open {
	bool whole;          /* the whole tree; `c` has only a key */
	struct checkpoint c; /* only key, form, count and work are used */
};

/* `context` of these functions: const int *, the number of items of the instance. */
extern const struct cluster_work_ops cluster_work_ops;

/* The whole tree of a search with this key. NULL: no memory. */
struct cluster_open *cluster_open_whole(const struct checkpoint_key *key);
/* Takes the work of *c, which is empty afterwards. *out is NULL if there is none. ERR_MEMORY; then
 * the work is freed. */
int cluster_open_take(struct cluster_open **out, struct checkpoint *c, struct err *e);

#endif
