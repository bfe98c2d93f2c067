#include "deep_pair.cuh"
#include "deep_parts.h"

template <int M, int W, int Q> static int
launch(struct dev_stream *s, const struct deep_world *w, const struct deep_round *r, int *warps,
       struct err *e)
{
	size_t shared = (size_t)(w->jobs + 1) * M * sizeof(uint32_t);

	if (warps) {
		int status = GPU_OCCUPANCY(e, warps, (pair_search<M, W, Q>), DEEP_BLOCK, shared, s);

		*warps *= DEEP_BLOCK_WARPS;
		return status;
	}
	return LAUNCH(e, (pair_search<M, W, Q>), w->warps / DEEP_BLOCK_WARPS, DEEP_BLOCK, shared, s,
		      *w, *r);
}

/* The instance for the size, its launch or (warps) its occupancy. */
static int dispatch(struct dev_stream *s, const struct deep_world *w, const struct deep_round *r,
		    int *warps, struct err *e)
{
	bool narrow = w->mask_words == 2;

	switch (deep_pair_machines(w->machines)) {
	case 10:
		return narrow ? launch<10, 2, 2>(s, w, r, warps, e)
			      : launch<10, 8, 1>(s, w, r, warps, e);
	case 20:
		return narrow ? launch<20, 2, 2>(s, w, r, warps, e)
			      : launch<20, 8, 1>(s, w, r, warps, e);
	case 40:
		return narrow ? launch<40, 2, 1>(s, w, r, warps, e)
			      : launch<40, 8, 1>(s, w, r, warps, e);
	default:
		return narrow ? launch<60, 2, 1>(s, w, r, warps, e)
			      : launch<60, 8, 1>(s, w, r, warps, e);
	}
}

int BACKEND_SYMBOL(deep_pair_warps)(struct dev_stream *s, const struct deep_world *w, int *warps,
				     struct err *e)
{
	return dispatch(s, w, NULL, warps, e);
}

int BACKEND_SYMBOL(deep_pair_round)(struct dev_stream *s, const struct deep_world *w,
				    const struct deep_round *r, struct err *e)
{
	return dispatch(s, w, r, NULL, e);
}
