/* The pieces of dfs_kernels, one source file each. */
#ifndef COPRA_KERNELS_TREE_SEARCH_DFS_PARTS_H
#define COPRA_KERNELS_TREE_SEARCH_DFS_PARTS_H

#include "kernels/common/gpu.cuh"

#include "kernels/tree-search/dfs.h"

int BACKEND_SYMBOL(dfs_pair_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
				   struct err *e);
int BACKEND_SYMBOL(dfs_pair_round)(struct dev_stream *s, const struct dfs_world *w,
				   const struct dfs_round *r, struct err *e);
int BACKEND_SYMBOL(dfs_wide_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
				   struct err *e);
int BACKEND_SYMBOL(dfs_wide_round)(struct dev_stream *s, const struct dfs_world *w,
				   const struct dfs_round *r, struct err *e);
/* Scratch in device memory: one round, or with warps not NULL the occupancy. */
int BACKEND_SYMBOL(dfs_wide_far)(struct dev_stream *s, const struct dfs_world *w,
				 const struct dfs_round *r, int *warps, struct err *e);
size_t BACKEND_SYMBOL(dfs_wide_scratch)(const struct dfs_world *w);

#endif
