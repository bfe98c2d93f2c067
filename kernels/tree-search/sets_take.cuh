/* What a warp draws and takes while it expands a slice: chunks, rows for children, its share of
 * children that are dealt among devices. */
#ifndef COPRA_KERNELS_TREE_SEARCH_SETS_TAKE_CUH
#define COPRA_KERNELS_TREE_SEARCH_SETS_TAKE_CUH

#include "kernels/tree-search/sets_common.cuh"

/* A chunk as drawn; no nodes: none is left. */
struct sets_draw {
	uint32_t number, list, nodes;
};

/* What a warp knows of the chunk it expands, and its store of rows to write to. */
struct sets_task {
	uint32_t child_first; /* first number of the children's level */
	int children;
	uint32_t bias; /* 0x8000 - ub in both halves: a bound with it has its sign bit set at ub */
	uint32_t row, row_left; /* reserved */
	uint32_t rows_seen;     /* taken by all warps, when this one last took some */
};

/* The next chunk, while there are any and the new batch may grow. */
static __device__ __forceinline__ struct sets_draw
draw_chunk(const struct sets_search &q, const struct sets_plan &plan, const struct sets_task &t)
{
	struct sets_draw draw = { 0, 0, 0 };
	uint32_t drawn = 0;

	if (t.rows_seen >= plan.row_stop)
		return draw;
	if (lane_of() == 0)
		drawn = atomicAdd(&q.state->counter[plan.turn].drawn, 1u);
	drawn = __shfl_sync(~0u, drawn, 0);
	if (drawn < plan.chunks) {
		const struct sets_chunk *chunk = q.chunk + plan.chunk + drawn;

		draw.number = chunk[0].number;
		draw.list = chunk[0].first;
		draw.nodes = chunk[1].first - chunk[0].first;
	}
	return draw;
}

/* Marks reserved rows that stay empty. */
static __device__ __forceinline__ void leave_gap(const struct sets_search &q, struct sets_task *t)
{
	for (uint32_t i = (uint32_t)lane_of(); i < t->row_left; i += 32)
		q.key[t->row + i] = SETS_NONE;
	t->row_left = 0;
}

/* Where `rows` rows go: the first `split` from `first` on, the others from `second` on. */
struct sets_room {
	uint32_t first, second, split;
};

static __device__ __forceinline__ struct sets_room reserve_rows(const struct sets_search &q,
								const struct sets_plan &plan,
								struct sets_task *t, uint32_t rows)
{
	struct sets_room room = { t->row, 0, min(rows, t->row_left) };

	t->row += room.split;
	t->row_left -= room.split;
	if (room.split < rows) {
		uint32_t rest = rows - room.split, take = max(rest, plan.reserve), got = 0;

		if (lane_of() == 0)
			got = atomicAdd(&q.state->counter[plan.turn].rows, take);
		got = __shfl_sync(~0u, got, 0);
		t->rows_seen = got + take;
		room.second = plan.row + got;
		t->row = room.second + rest;
		t->row_left = take - rest;
	}
	return room;
}

/* Children of a node that are of this share; the same on all devices. */
template <int WORDS>
static __device__ __noinline__ uint32_t dealt_here(const struct sets_search &q, const uint32_t *row,
						   const uint32_t *job, int children)
{
	uint64_t hash = 1;
	uint32_t mine = 0;

	for (int i = 0; i < WORDS; i++) {
		hash = (hash ^ row[i]) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	for (int child = 0; child < children; child++) {
		uint64_t x = (hash ^ (job[child] + 1)) * 0xbf58476d1ce4e5b9u;

		mine |= (uint32_t)((x >> 33) % (uint32_t)q.shares == (uint32_t)q.share) << child;
	}
	return mine;
}

#endif
