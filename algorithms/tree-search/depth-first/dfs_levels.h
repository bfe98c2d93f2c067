/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The sizes of the subtrees of a tree of flowshop, N-Queens or ATSP, estimated from a sample, so
 * that the share of a search that is done can be told from its open nodes or intervals alone.
 *
 * Nodes are in one class if they have the same depth and about the same room between their bound
 * and the upper bound (N-Queens: classes are random). Depth by depth, a few nodes of each class are
 * drawn at random from the children of the sample above, each with a chance in proportion to the
 * nodes that it stands for, and expanded (Chen's stratified form of Knuth's estimator). Their mean
 * numbers of children by class give the mean sizes of subtrees, from the deepest class up. */
#ifndef COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_LEVELS_H
#define COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_LEVELS_H

#include "algorithms/tree-search/search.h"

enum { DFS_CLASSES = 8, DFS_SAMPLED = 256 }; /* classes of a depth; nodes drawn of each */

struct dfs_levels {
	int jobs;          /* depth of a leaf; queens; cities - 1 */
	int root_children; /* of the root, pruned ones included */
	int64_t ub, range; /* the range of room: from 1 to `range`, the room of the root */
	/* Nodes in the subtree of an average node of this depth (jobs placed), itself included,
	 * leaves not; 1 for depths that the sample did not reach. */
	double below[FLOWSHOP_MAX_JOBS];
	double by_class[FLOWSHOP_MAX_JOBS][DFS_CLASSES];
	struct dfs_levels *before; /* of a gauge */
};

/* The class of a node of this bound. */
static inline int dfs_levels_class(const struct dfs_levels *l, int64_t bound)
{
	int64_t room = l->ub - bound - 1, class = room > 0 ? DFS_CLASSES * room / l->range : 0;

	return class < DFS_CLASSES ? (int)class : DFS_CLASSES - 1;
}

/* The tree of the request's rules, pruned at bounds >= ub (ATSP: > ub). N-Queens: filled from the
 * first row on, half_board as in the request. first_ub: the bound that the search
 * began with. Takes about `seconds`, with smaller samples if bounds are slow. ERR_LIMIT if twice
 * that is not enough for one node of each class; ERR_MEMORY. */
int dfs_levels_make(struct dfs_levels *l, const struct search_request *r, int64_t first_ub,
		    int64_t ub, double seconds, struct err *e);

/* The estimated nodes in the subtrees of open[depth] nodes of each depth below l->jobs. */
double dfs_levels_open(const struct dfs_levels *l, const uint32_t *open);
/* The same of a checkpoint's record, and of the records from .. end - 1 of `work`. */
double dfs_levels_record(const struct dfs_levels *l, const uint16_t *record);
double dfs_levels_records(const struct dfs_levels *l, const uint16_t *work, uint64_t from,
			  uint64_t end);

/* The same of an interval of factoradics, and of the intervals from .. end - 1 of `work`, each
 * [2][l->jobs] digits (checkpoint.h). The nodes on the path to its first number count as
 * decomposed, as far as they have been left to the right; the others have the average size of a
 * child, pruned children included. */
double dfs_levels_interval(const struct dfs_levels *l, const uint16_t *first, const uint16_t *last);
double dfs_levels_intervals(const struct dfs_levels *l, const uint16_t *work, uint64_t from,
			    uint64_t end);

/* ---- what is left of a search, for its watch (watch_left) ----
 *
 * The tree is sampled by one of the searching threads: not before half a second, so that short
 * searches do not pay for it, and again when the best value has improved. A sample is meant to take
 * 1 % of the pause before it, and ends after twice that. If it is not finished then, as with slow
 * bounds or on a loaded machine, the next pause is twice as long, and the sample, too, up to
 * 0.4 s. */

struct fsp_pair_tests;

struct dfs_gauge {
	const struct search_request *request; /* NULL: no watch, or not supported */
	int64_t first_ub;
	_Atomic(struct dfs_levels *) levels; /* the last ones; those before stay valid */
	atomic_flag sampling;
	double due;   /* the next sample is made at this time (clock_wall) at the earliest */
	double pause; /* seconds between two samples at least */
	int64_t best; /* of the last sample */
	bool pruned;  /* by machine pairs in the last sample */
};

/* `workers`: the threads or devices that call watch_left(). `past`: nodes decomposed in earlier
 * runs. */
void dfs_gauge_open(struct dfs_gauge *g, const struct search_request *r, int64_t first_ub,
		    int workers, uint64_t past);
/* The same without the watch: what is left is told by other means. */
void dfs_gauge_start(struct dfs_gauge *g, const struct search_request *r, int64_t first_ub);
void dfs_gauge_close(struct dfs_gauge *g);
/* The seconds that the next sample is meant to take (dfs_levels_make). */
double dfs_gauge_sample_seconds(const struct dfs_gauge *g);
/* The sizes of subtrees, or NULL if they are not known (yet). Called from time to time by any
 * thread; may make a sample for the current best value. */
const struct dfs_levels *dfs_gauge_levels(struct dfs_gauge *g, int64_t best);
/* The same for a thread that tests nodes with machine pairs (NULL: none). The tree is sampled again
 * when a thread begins to use some. */
const struct dfs_levels *dfs_gauge_levels_with(struct dfs_gauge *g, int64_t best,
					       const struct fsp_pair_tests *pairs);

#endif
