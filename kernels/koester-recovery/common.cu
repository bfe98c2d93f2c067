#include "kernels/koester-recovery/common.h"

#include "kernels/common/choose.cuh"
#include "kernels/koester-recovery/children.cuh"
#include "kernels/koester-recovery/gather.cuh"

static const uint32_t BLOCK = 256;

static_assert(CHOOSE_NEVER == TRACK_DROPPED, "children that are dropped are never chosen");

static int gather(struct track_place *p, const struct track_gather *g, struct err *e)
{
	return gather_states_of(p->stream, g, e);
}

static size_t scan_scratch(struct track_place *, uint32_t)
{
	return CHOOSE_BLOCKS * sizeof(uint64_t);
}

static int scan(struct track_place *p, const uint32_t *number, uint32_t *first, uint64_t *total,
		uint32_t count, void *scratch, struct err *e)
{
	if (!count)
		return dev_fill(p->stream, total, 0, sizeof(*total), e);
	return scan_launch(p->stream, number, first, total, count, (uint64_t *)scratch, e);
}

static size_t select_bytes(struct track_place *, uint32_t)
{
	return sizeof(select_scratch);
}

static int select(struct track_place *p, const uint32_t *rating, uint32_t count, uint32_t keep,
		  uint32_t *index, uint32_t *kept, void *scratch, struct err *e)
{
	if (keep > count)
		keep = count;
	if (!keep)
		return dev_fill(p->stream, kept, 0, sizeof(*kept), e);
	if (count > 1u << 31)
		return err_set(e, ERR_UNSUPPORTED, "%u ratings: a choice is made of at most 2^31",
			       count);
	return select_launch(p->stream, rating, count, keep, index, kept, (select_scratch *)scratch,
			     e);
}

static __global__ void children_of(const __grid_constant__ track_children c, uint32_t parents,
				   const uint32_t *child_successor, const uint32_t *child_rating,
				   const uint32_t *child, uint32_t count, uint32_t *source,
				   uint32_t *successor, uint32_t *rating)
{
	uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

	if (i >= count)
		return;
	uint32_t which = child[i], parent = track_parent_of(c.first, parents, which);

	source[i] = c.first_source + parent;
	successor[i] = child_successor ? child_successor[which] : which - c.first[parent];
	if (child_rating)
		rating[i] = child_rating[which];
}

static int children(struct track_place *p, const struct track_children *c, uint32_t parents,
		    const uint32_t *child_successor, const uint32_t *child_rating,
		    const uint32_t *child, uint32_t count, uint32_t *source, uint32_t *successor,
		    uint32_t *rating, struct err *e)
{
	if (!count)
		return 0;
	return LAUNCH(e, children_of, (count + (uint64_t)BLOCK - 1) / BLOCK, BLOCK, 0, p->stream,
		      *c, parents, child_successor, child_rating, child, count, source, successor,
		      rating);
}

extern "C" const struct track_common BACKEND_SYMBOL(track_common) = { gather, scan_scratch,
								      scan,   select_bytes,
								      select, children };
