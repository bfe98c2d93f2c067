/* The wide kernel with its scratch in shared memory, and the choice between it and the far one. */
#include "kernels/tree-search/dfs_parts.h"
#include "kernels/tree-search/dfs_wide.cuh"

template <class T>
static __global__ void __launch_bounds__(DFS_BLOCK) wide_search(dfs_world w, dfs_round r, int bytes)
{
	SHARED_MEMORY(unsigned char, shared);
	warp_stack s = stack_open(w);
	wide_node<T> x = wide_open<T>(w, (int32_t *)(shared + threadIdx.x / 32 * bytes));

	wide_round<T>(w, r, s, x);
}

/* Warps a block: fewer where a node takes much shared memory. */
template <class T>
static int launch(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		  int *warps, struct err *e)
{
	size_t bytes = wide_bytes<T>(w);
	int block = bytes > 48 * 1024 ? 1 : DFS_BLOCK_WARPS, status;

	if (w->scratch_bytes)
		return BACKEND_SYMBOL(dfs_wide_far)(s, w, r, warps, e);
	if (!warps)
		return LAUNCH(e, (wide_search<T>), w->warps / block, 32 * block, bytes * block, s,
			      *w, *r, (int)bytes);
	status = GPU_OCCUPANCY(e, warps, (wide_search<T>), 32 * block, bytes * block, s);
	*warps *= block;
	return status;
}

int BACKEND_SYMBOL(dfs_wide_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
				   struct err *e)
{
	return w->narrow ? launch<int16_t>(s, w, NULL, warps, e) :
			   launch<int32_t>(s, w, NULL, warps, e);
}

int BACKEND_SYMBOL(dfs_wide_round)(struct dev_stream *s, const struct dfs_world *w,
				   const struct dfs_round *r, struct err *e)
{
	return w->narrow ? launch<int16_t>(s, w, r, NULL, e) : launch<int32_t>(s, w, r, NULL, e);
}

size_t BACKEND_SYMBOL(dfs_wide_scratch)(const struct dfs_world *w)
{
	return w->narrow ? wide_bytes<int16_t>(w) : wide_bytes<int32_t>(w);
}
