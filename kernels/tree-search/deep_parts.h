/* The pieces of deep_kernels, one source file each. */
#ifndef COPRA_KERNELS_TREE_SEARCH_DEEP_PARTS_H
#define COPRA_KERNELS_TREE_SEARCH_DEEP_PARTS_H

#include "kernels/common/gpu.cuh"

#include "kernels/tree-search/deep.h"

int BACKEND_SYMBOL(deep_pair_warps)(struct dev_stream *s, const struct deep_world *w, int *warps,
				    struct err *e);
int BACKEND_SYMBOL(deep_pair_round)(struct dev_stream *s, const struct deep_world *w,
				    const struct deep_round *r, struct err *e);
int BACKEND_SYMBOL(deep_wide_warps)(struct dev_stream *s, const struct deep_world *w, int *warps,
				    struct err *e);
int BACKEND_SYMBOL(deep_wide_round)(struct dev_stream *s, const struct deep_world *w,
				    const struct deep_round *r, struct err *e);
/* Scratch in device memory: one round, or with warps not NULL the occupancy. */
int BACKEND_SYMBOL(deep_wide_far)(struct dev_stream *s, const struct deep_world *w,
				  const struct deep_round *r, int *warps, struct err *e);
size_t BACKEND_SYMBOL(deep_wide_scratch)(const struct deep_world *w);

#endif
