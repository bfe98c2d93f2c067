/* Flowshop trees whose size is known: what a count is compared with. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_TREES_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_TREES_H

#include "kernels/tree-search/fsp.h"

struct fsp_tree {
	const char *instance;
	enum fsp_bound bound; /* LB2: over all pairs of machines */
	enum fsp_branching branching;
	int32_t ub; /* bounds >= this pruned; no schedule below it exists, or none is met */
	uint64_t decomposed; /* the root included; explored nodes (search.h) are one less */
};

/* NULL where nobody counted it. */
const struct fsp_tree *fsp_tree(const char *instance, enum fsp_bound bound,
				enum fsp_branching branching, int64_t ub);
/* The same at the instance's best known makespan. */
const struct fsp_tree *fsp_tree_at_best(const char *instance, enum fsp_bound bound,
					enum fsp_branching branching);

#endif
