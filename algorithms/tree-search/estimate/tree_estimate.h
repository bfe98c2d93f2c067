/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The number of nodes that a flowshop search from a given bound decomposes, estimated before the
 * search from independent samples of its tree.
 *
 * A sample goes down the tree depth by depth with at most TREE_ESTIMATE_CLASSES times
 * TREE_ESTIMATE_DRAWN nodes, each with a weight, the number of nodes that it stands for. All
 * children of these nodes are bounded, and have the weights of their parents. They are divided into
 * classes by the room between their bound and the upper bound. If a class has too many, some are
 * drawn in proportion to their weights, so that the expected weight of each child stays the same
 * (Chen's stratified form of Knuth's estimator). The sum of all weights is the estimate. It is
 * exact for a tree that fits the sample, and its expected value is the number of nodes.
 *
 * The sizes of subtrees differ by orders of magnitude, and a large tree often has most of its nodes
 * in few of them. Most samples miss those, and a few are far too large. So the mean of a moderate
 * number of samples is usually too low. `low` and `high` say how much the means of a few samples
 * differ; they are no confidence interval. */
#ifndef COPRA_TREE_SEARCH_ESTIMATE_TREE_ESTIMATE_H
#define COPRA_TREE_SEARCH_ESTIMATE_TREE_ESTIMATE_H

#include "algorithms/tree-search/search.h"

enum {
	TREE_ESTIMATE_SAMPLES_MAX = 4096,
	TREE_ESTIMATE_CLASSES = 16, /* of a depth */
	TREE_ESTIMATE_DRAWN =
		256, /* nodes of a class; fewer for more than 100 jobs on 20 machines */
	TREE_ESTIMATE_GROUPS = 8,
};

#define TREE_ESTIMATE_MOST 1e300 /* larger trees have this estimate */

struct tree_estimate {
	double nodes;     /* the mean of the samples */
	double low, high; /* the least and largest mean of TREE_ESTIMATE_GROUPS groups of them */
	int samples;
	double seconds;
};

/* The tree of the request's instance, bound and branching, pruned at bounds >= r->ub. The samples
 * have the seeds r->seed, r->seed + 1, ... Stops after `samples` of them (at most
 * TREE_ESTIMATE_SAMPLES_MAX), or, once there is one, after `seconds`. ERR_MEMORY. */
int tree_estimate(struct tree_estimate *x, const struct search_request *r, int samples,
		  double seconds, struct err *e);

#endif
