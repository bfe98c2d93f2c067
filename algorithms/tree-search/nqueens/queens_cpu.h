/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens on all cores, with vector units: the CPU baseline of the tree-search targets. */
#ifndef COPRA_TREE_SEARCH_NQUEENS_QUEENS_CPU_H
#define COPRA_TREE_SEARCH_NQUEENS_QUEENS_CPU_H

#include "algorithms/tree-search/nqueens/queens_walk.h"
#include "algorithms/tree-search/task_team.h"
#include "kernels/tree-search/queens.h"

/* Each is a search_fn for up to QUEENS_MAX_COUNTED queens. queens_cpu counts the placements on the
 * whole board, without checkpoints (ERR_UNSUPPORTED). queens_cpu_half searches the tree of
 * half_board, where explored = decomposed + leaves, the complete boards of the half board. Its
 * checkpoints hold intervals of placements (queens_walk.h).
 *
 * With a checkpoint the half board is searched as it is. Without one, the middle column of an odd
 * board uses the symmetry of the board. */
int queens_cpu(const struct search_request *r, struct search_outcome *o, struct err *e);
int queens_cpu_half(const struct search_request *r, struct search_outcome *o, struct err *e);

/* ---- the search of a thread, compiled for two widths of a lane (queens_cpu_lanes.h) ---- */

/* The tasks of the team: intervals of placements. */
struct queens_cpu_tasks {
	int n;
	int whole; /* nodes of this depth or deeper go to the vectors with their subtree */
	struct queens_intervals all;
	/* for the watch: the placements that a node and a complete board stand for, and those that
	 * each member counted in earlier parts of the tree */
	int weight;
	uint64_t before[SEARCH_WORKERS_MAX];
};

struct queens_cpu_counts {
	struct queens_walk_counts found;
	uint64_t tasks; /* begun */
	/* nodes on the stacks: put there by walks, made there that have children, and done */
	uint64_t begun, made, done;
};

/* What a member tells others at a pause point and at its end. Its stacks are empty then. */
struct queens_cpu_member {
	struct queens_cpu_counts counts;
	struct queens_walk walk; /* through its last task */
};

/* Takes tasks until none are left or the team stops. 16: for n <= 16, with twice the lanes. */
void queens_cpu_search_16(struct task_member *m, const struct queens_cpu_tasks *t,
			  struct queens_cpu_member *d);
void queens_cpu_search_32(struct task_member *m, const struct queens_cpu_tasks *t,
			  struct queens_cpu_member *d);

#endif
