/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Depth-first search for flowshop on all cores: any size, either bound, all branching rules.
 * Threads balance their load by work stealing.
 *
 * A member keeps the path from the root to its current node as one frame per depth: the node and
 * those of its children that are still to be visited. All children of a node are bounded together,
 * one job per lane. A member without work asks another member. Between two of its own nodes, that
 * member gives away half of the children in its shallowest non-empty frame. Memory: a few kilobytes
 * per job and member; dfs_cpu_kernel_sets needs a few hundred bytes per job set that it reaches. */
#ifndef COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_CPU_H
#define COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_CPU_H

#include "algorithms/tree-search/task_team.h"

enum {
	DFS_CPU_WORDS = (FLOWSHOP_MAX_JOBS + 63) / 64,
	DFS_CPU_SETS_JOBS = 24, /* maximum number of jobs for dfs_cpu_kernel_sets */
};

struct dfs_cpu_node {
	int prefix, suffix, left;             /* number of jobs; left > 0 */
	uint64_t set[DFS_CPU_WORDS];          /* the unscheduled jobs */
	int32_t front[FLOWSHOP_MAX_MACHINES]; /* as in the bounds: heads or tails if empty */
	int32_t back[FLOWSHOP_MAX_MACHINES];
	int32_t rem[FLOWSHOP_MAX_MACHINES];
};

/* The bounds of all children of a node, by increasing job number. */
struct dfs_cpu_bounds {
	int count;
	uint16_t job[FLOWSHOP_MAX_JOBS];
	int32_t begin[FLOWSHOP_MAX_JOBS]; /* bound with the job after the prefix */
	int32_t end[FLOWSHOP_MAX_JOBS];   /* bound with the job before the suffix */
};

/* The functions that are compiled for each width of a cell. */
struct dfs_cpu_kernel {
	/* Tables for all members, and the working memory of a member. Blocks are aligned to 64
	 * bytes. */
	size_t (*tables_bytes)(const struct fsp_tables *t);
	void (*tables_make)(const struct fsp_tables *t, void *block);
	size_t (*scratch_bytes)(const struct fsp_tables *t);
	void (*scratch_make)(const struct fsp_tables *t, void *block);
	/* Bounds all children at the beginning and, if `end`, at the end. Bounds below stop_at are
	 * exact; the others are at least stop_at (INT32_MAX: all are exact). */
	void (*bound)(const struct fsp_tables *t, void *tables, void *scratch,
		      const struct dfs_cpu_node *node, enum fsp_bound kind, bool end,
		      int32_t stop_at, struct dfs_cpu_bounds *b);
};
extern const struct dfs_cpu_kernel dfs_cpu_kernel_16, dfs_cpu_kernel_32;
/* The first of these two that holds the times of the instance. */
const struct dfs_cpu_kernel *dfs_cpu_kernel_of(const struct flowshop *f);
/* LB2 only, always exact. Its tables grow during the search. */
extern const struct dfs_cpu_kernel dfs_cpu_kernel_sets;
/* Whether dfs_cpu_kernel_sets supports the instance, and the request allows enough memory for it.
 */
bool dfs_cpu_sets_supports(const struct search_request *r);

/* The root of the tree. */
void dfs_cpu_root(const struct fsp_tables *t, struct dfs_cpu_node *root);
/* The branching rules of fsp.h, applied to exact bounds: whether children go before the suffix.
 * first_ub: the bound that the search began with. */
bool dfs_cpu_at_end(enum fsp_branching rule, int64_t first_ub, const struct dfs_cpu_bounds *b);
/* *to = the child that a job makes of a node with more than one job left. */
void dfs_cpu_place(const struct fsp_tables *t, const struct dfs_cpu_node *from, bool at_end,
		   int job, struct dfs_cpu_node *to);

int dfs_cpu(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
