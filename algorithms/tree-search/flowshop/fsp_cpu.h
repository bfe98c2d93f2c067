/* Flowshop on all cores, with vector units: the CPU baseline of the tree-search targets. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FSP_CPU_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FSP_CPU_H

#include "algorithms/tree-search/search.h"

/* A search_fn for either bound, any branching and any size: by job set (sets_cpu.h) if that search
 * supports the request and has enough memory, else depth first (dfs_cpu.h). No checkpoints. */
int fsp_cpu(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
