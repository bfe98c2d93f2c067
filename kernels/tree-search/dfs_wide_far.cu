/* The wide kernel for nodes that outgrow shared memory. */
#include "kernels/tree-search/dfs_parts.h"
#include "kernels/tree-search/dfs_wide.cuh"

template <class T>
static __global__ void __launch_bounds__(DFS_BLOCK) wide_search_far(dfs_world w, dfs_round r)
{
	warp_stack s = stack_open(w);
	unsigned char *scratch = w.scratch + (size_t)s.warp * w.scratch_bytes;
	wide_node<T> x = wide_open<T>(w, (int32_t *)scratch);

	wide_round<T>(w, r, s, x);
}

template <class T>
static int launch(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		  int *warps, struct err *e)
{
	int status;

	if (!warps)
		return LAUNCH(e, (wide_search_far<T>), w->warps / DFS_BLOCK_WARPS, DFS_BLOCK, 0, s,
			      *w, *r);
	status = GPU_OCCUPANCY(e, warps, (wide_search_far<T>), DFS_BLOCK, 0, s);
	*warps *= DFS_BLOCK_WARPS;
	return status;
}

int BACKEND_SYMBOL(dfs_wide_far)(struct dev_stream *s, const struct dfs_world *w,
				 const struct dfs_round *r, int *warps, struct err *e)
{
	return w->narrow ? launch<int16_t>(s, w, r, warps, e) : launch<int32_t>(s, w, r, warps, e);
}
