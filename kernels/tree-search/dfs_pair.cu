#include "kernels/tree-search/dfs_pair.cuh"
#include "kernels/tree-search/dfs_parts.h"

template <int M, int W, int Q>
static int launch(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		  int *warps, struct err *e)
{
	size_t shared = (size_t)pair_times(w->jobs, M) * sizeof(uint32_t);

	if (warps) {
		int status = GPU_OCCUPANCY(e, warps, (pair_search<M, W, Q>), DFS_BLOCK, shared, s);

		*warps *= DFS_BLOCK_WARPS;
		return status;
	}
	return LAUNCH(e, (pair_search<M, W, Q>), w->warps / DFS_BLOCK_WARPS, DFS_BLOCK, shared, s,
		      *w, *r);
}

/* By the number of jobs; Q: nodes a lane, where their registers suffice. */
template <int M, int Q>
static int size(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		int *warps, struct err *e)
{
	switch (w->mask_words) {
	case 1:
		return launch<M, 1, Q>(s, w, r, warps, e);
	case 2:
		return launch<M, 2, Q>(s, w, r, warps, e);
	default:
		return launch<M, 8, 1>(s, w, r, warps, e);
	}
}

/* The instance for the size, its launch or (warps) its occupancy. */
static int dispatch(struct dev_stream *s, const struct dfs_world *w, const struct dfs_round *r,
		    int *warps, struct err *e)
{
	switch (dfs_pair_machines(w->machines)) {
	case 10:
		return size<10, 2>(s, w, r, warps, e);
	case 20:
		return size<20, 2>(s, w, r, warps, e);
	case 40:
		return size<40, 1>(s, w, r, warps, e);
	default:
		return size<60, 1>(s, w, r, warps, e);
	}
}

int BACKEND_SYMBOL(dfs_pair_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
				   struct err *e)
{
	return dispatch(s, w, NULL, warps, e);
}

int BACKEND_SYMBOL(dfs_pair_round)(struct dev_stream *s, const struct dfs_world *w,
				   const struct dfs_round *r, struct err *e)
{
	return dispatch(s, w, r, NULL, e);
}
