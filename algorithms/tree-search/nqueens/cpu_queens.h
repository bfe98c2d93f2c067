/* N-Queens on vectors: private to cpu_queens*.c. */
#ifndef COPRA_TREE_SEARCH_NQUEENS_CPU_QUEENS_H
#define COPRA_TREE_SEARCH_NQUEENS_CPU_QUEENS_H

#include "kernels/tree-search/queens.h"
#include "algorithms/tree-search/cpu_team.h"

/* A node of which the children in `open` are to be searched, the others are done or somebody
 * else's. */
struct cpu_queens_node {
	struct queens_masks q;
	uint32_t open;
};

/* The tasks of the team: nodes of one depth <= n - 2, none with `open` empty. */
struct cpu_queens_tasks {
	int n, depth;
	struct cpu_queens_node *node;
	uint64_t count;
};

/* What was found below: nodes of depth + 1 .. n - 1, and complete boards. */
struct cpu_queens_counts {
	uint64_t nodes, solutions;
	/* nodes on the stacks: tasks, nodes with children; done, or left at a stop */
	uint64_t begun, made, done, left;
};

/* Takes tasks until none are left or the team stops. 16: n <= 16, twice the lanes. */
void cpu_queens_search_16(struct cpu_member *m, const struct cpu_queens_tasks *t,
			  struct cpu_queens_counts *c);
void cpu_queens_search_32(struct cpu_member *m, const struct cpu_queens_tasks *t,
			  struct cpu_queens_counts *c);

#endif
