/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Trees of simulated clusters: open work whose nodes are counted, but not visited one by one.
 *
 * A unit is a node that is pending, with the exact number of nodes at and below it. A unit that is
 * expanded counts one node and becomes its children, whose numbers add up to the rest. Every
 * order of expansion on any ranks thus counts the same nodes.
 *
 * The upper part of a tree may be recorded (record.c). Below it, and in trees without a record,
 * children are drawn by a hash of the unit's key: up to `children` of them, with shares
 * proportional to exp(skew * x), x normally distributed. */
#ifndef COPRA_TREE_SEARCH_CLUSTER_SIMULATE_PROFILE_H
#define COPRA_TREE_SEARCH_CLUSTER_SIMULATE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithms/tree-search/cluster/cluster.h"

enum { PROFILE_CHILDREN_MAX = 64, PROFILE_NODE_BYTES = 88 };

struct profile {
	uint64_t total; /* nodes, with the root */
	int children;   /* 2 .. PROFILE_CHILDREN_MAX */
	double skew;    /* >= 0; 0: equal shares */
	bool front;     /* splits in halves take the older half, as Helbecque et al. 2025 do */

	/* the record; count 0: none. Nodes are numbered breadth first; the root is 0 */
	size_t count, inner;   /* nodes; those whose children are recorded come first */
	uint32_t *first_child; /* [inner + 1] */
	uint64_t *size;        /* [count] nodes at and below */
};

struct unit {
	uint64_t size, key;
	int64_t node; /* of the record; -1: below it */
};

/* A stack; the back is searched first. */
struct units {
	struct unit *at;
	size_t first, count, room;
};

/* ERR_INPUT: not what record.c writes. Sizes of 0 (not searched) become that of the last searched
 * node before, and all are scaled so that the tree has p->total nodes. */
int profile_read(struct profile *p, const char *path, struct err *e);
void profile_free(struct profile *p);

/* The root alone, or the nodes that are pending when breadth-first search has at least `pending`.
 * *expanded: nodes that it counted. NULL: no memory. */
struct units *profile_start(const struct profile *p, size_t pending, uint64_t *expanded);
/* Replaces the last unit by its children and returns 1, the node that was counted. */
uint64_t profile_expand(const struct profile *p, struct units *u);

/* `context`: struct profile *. Packed units have PROFILE_NODE_BYTES each. */
extern const struct cluster_work_ops profile_ops;

#endif
