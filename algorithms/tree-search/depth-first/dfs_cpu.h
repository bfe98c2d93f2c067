/* Flowshop on all cores, any size, either bound, all rules of branching: depth first. Private to
 * cpu_deep*.c; entered through dfs_cpu.
 *
 * A member keeps the path from the root to where it is: a frame a depth, with the node and those
 * of its children that are still to be visited. All children of a node are bounded together, a
 * job a lane. A member without work asks another one; that one hands over half of the children of
 * its shallowest frame that has any, between two of its own nodes. Memory is a few kilobytes a
 * job and member; that of dfs_cpu_kernel_sets a few hundred bytes a set of jobs met. */
#ifndef COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_CPU_H
#define COPRA_TREE_SEARCH_DEPTH_FIRST_DFS_CPU_H

#include "algorithms/tree-search/task_team.h"

enum {
	DFS_CPU_WORDS = (FLOWSHOP_MAX_JOBS + 63) / 64,
	DFS_CPU_SETS_JOBS = 24, /* most jobs of dfs_cpu_kernel_sets */
};

struct dfs_cpu_node {
	int prefix, suffix, left;             /* jobs; left > 0 */
	uint64_t set[DFS_CPU_WORDS];          /* of the jobs left */
	int32_t front[FLOWSHOP_MAX_MACHINES]; /* as bounds see them: heads, tails if empty */
	int32_t back[FLOWSHOP_MAX_MACHINES];
	int32_t rem[FLOWSHOP_MAX_MACHINES];
};

/* All children of a node, by jobs in ascending order. */
struct dfs_cpu_bounds {
	int count;
	uint16_t job[FLOWSHOP_MAX_JOBS];
	int32_t begin[FLOWSHOP_MAX_JOBS]; /* bound with the job appended to the prefix */
	int32_t end[FLOWSHOP_MAX_JOBS];   /* with the job put before the suffix */
};

/* The part that is compiled for each width of a cell. */
struct dfs_cpu_kernel {
	/* Tables for all members, and a member's working memory; blocks aligned to 64 bytes. */
	size_t (*tables_bytes)(const struct fsp_tables *t);
	void (*tables_make)(const struct fsp_tables *t, void *block);
	size_t (*scratch_bytes)(const struct fsp_tables *t);
	void (*scratch_make)(const struct fsp_tables *t, void *block);
	/* Bounds of all children at the beginning, and, where `end`, at the end. They are exact
	 * below stop_at; from there on only known to be not below it (INT32_MAX: all are exact). */
	void (*bound)(const struct fsp_tables *t, void *tables, void *scratch,
		      const struct dfs_cpu_node *node, enum fsp_bound kind, bool end,
		      int32_t stop_at, struct dfs_cpu_bounds *b);
};
extern const struct dfs_cpu_kernel dfs_cpu_kernel_16, dfs_cpu_kernel_32;
/* LB2 alone, exact always; its tables grow while it searches. */
extern const struct dfs_cpu_kernel dfs_cpu_kernel_sets;
/* Whether the instance and the memory that the request allows suit it. */
bool dfs_cpu_sets_takes(const struct search_request *r);

int dfs_cpu(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
