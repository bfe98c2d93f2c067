/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens on all cores, with vector units: the CPU baseline of the tree-search targets. */
#ifndef COPRA_TREE_SEARCH_NQUEENS_QUEENS_CPU_H
#define COPRA_TREE_SEARCH_NQUEENS_QUEENS_CPU_H

#include "algorithms/tree-search/task_team.h"
#include "kernels/tree-search/queens.h"

/* Each is a search_fn for up to QUEENS_MAX_COUNTED queens, without checkpoints. queens_cpu counts
 * the placements on the whole board. queens_cpu_half searches the tree of half_board, where
 * explored = decomposed + leaves, the complete boards of the half board. */
int queens_cpu(const struct search_request *r, struct search_outcome *o, struct err *e);
int queens_cpu_half(const struct search_request *r, struct search_outcome *o, struct err *e);

/* ---- the search of a thread, compiled for two widths of a lane (queens_cpu_lanes.h) ---- */

/* A node of which only the children in `open` are searched. */
struct queens_cpu_node {
	struct queens_masks q;
	uint32_t open;
};

/* The tasks of the team: nodes of one depth <= n - 2; `open` is never empty. */
struct queens_cpu_tasks {
	int n, depth;
	struct queens_cpu_node *node;
	uint64_t count;
	/* for the watch: the placements that a node and a complete board stand for, and those that
	 * each member counted in earlier parts of the tree */
	int weight;
	uint64_t before[SEARCH_WORKERS_MAX];
};

/* Counts below the tasks: nodes of depth + 1 .. n - 1, and complete boards. */
struct queens_cpu_counts {
	uint64_t nodes, solutions;
	/* nodes on the stacks: tasks begun, nodes made that have children, nodes done, and left at
	 * a stop */
	uint64_t begun, made, done, left;
};

/* Takes tasks until none are left or the team stops. 16: for n <= 16, with twice the lanes. */
void queens_cpu_search_16(struct task_member *m, const struct queens_cpu_tasks *t,
			  struct queens_cpu_counts *c);
void queens_cpu_search_32(struct task_member *m, const struct queens_cpu_tasks *t,
			  struct queens_cpu_counts *c);

#endif
