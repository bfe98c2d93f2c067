/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Small irregular trees whose shape and costs are hashes of the path, as in UTS (Olivier et al.,
 * LCPC 2006), and their open nodes as work of a search on several ranks.
 *
 * A node has 0 to 4 children (the root 6), and none at depth `depth`, where it is a solution of
 * value `cost`. Costs do not decrease along a path. A node with cost >= bound is pruned. */
#ifndef COPRA_TESTS_UNIT_TREE_SEARCH_HASHED_TREE_H
#define COPRA_TESTS_UNIT_TREE_SEARCH_HASHED_TREE_H

#include "algorithms/tree-search/cluster/cluster.h"

enum { TREE_DEPTH_MAX = 12, TREE_COUNTERS = 3 };
#define TREE_NO_BOUND INT64_MAX

struct tree {
	uint64_t seed;
	int depth;        /* 1 .. TREE_DEPTH_MAX */
	bool split_leaks; /* a fault: split() leaves a node that it gives */
};

struct tree_node {
	uint64_t hash;
	int64_t cost;
	int depth;
	unsigned char path[TREE_DEPTH_MAX]; /* index of the child at each level */
};

/* What was searched: nodes, solutions, and the sum of 24 bits of each node's hash, which tells
 * which nodes they were. */
struct tree_counts {
	uint64_t of[TREE_COUNTERS];
};

struct pile {
	size_t count, room;
	struct tree_node *node;
};

struct tree_node tree_root(const struct tree *t);
int tree_children(const struct tree *t, const struct tree_node *n);
struct tree_node tree_child_of(const struct tree_node *n, int index);
void tree_count_node(const struct tree *t, const struct tree_node *n, struct tree_counts *counts);
/* The cost of the solution at the end of `path` (`size` bytes); -1 if there is no such solution. */
int64_t tree_cost_of(const struct tree *t, const unsigned char *path, size_t size);

/* Oracles, by recursion: adds the nodes of cost < bound below and including `n`, and returns the
 * least cost of a solution (TREE_NO_BOUND: none). */
int64_t tree_enumerate(const struct tree *t, const struct tree_node *n, int64_t bound,
		       struct tree_counts *counts);

void pile_push(struct pile *p, const struct tree_node *n);
struct pile *pile_of(const struct tree_node *n);
void pile_free(void *context, void *pile);
/* The context is a struct tree. */
extern const struct cluster_work_ops pile_ops;

#endif
