/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Code common to the phases and to both forms of the search by job set: rows of nodes, numbers of
 * sets, shared memory, the plan of an iteration, and the chunks and rows that a warp reserves while
 * it expands a slice. */
#ifndef COPRA_KERNELS_TREE_SEARCH_SETS_COMMON_CUH
#define COPRA_KERNELS_TREE_SEARCH_SETS_COMMON_CUH

#include "kernels/common/gpu.cuh"
#include "kernels/common/warp.cuh"
#include "kernels/tree-search/sets.h"

/* ---- rows of nodes, and the order of machines in them ----
 *
 * The values of two machines share a word: (1, 2), (3, 4), ... (17, 18), (19, 0), the first in the
 * low half. Rows of bounds and the tables of times have the same order. A wide row consists of
 * these ten words (and two unused ones). A narrow row has values of 12 bits: the first eight words,
 * with each of the last two words in the high 4 bits of six of their halves. */

enum { SETS_WORDS = SETS_MACHINES / 2 };

/* The position of machine k's value among the 20 halves. */
static __device__ __forceinline__ int place_of_machine(int k)
{
	return k ? k - 1 : SETS_MACHINES - 1;
}

static __device__ __forceinline__ uint32_t low_twice(uint32_t a)
{
	return __byte_perm(a, a, 0x1010);
}
static __device__ __forceinline__ uint32_t high_twice(uint32_t a)
{
	return __byte_perm(a, a, 0x3232);
}
static __device__ __forceinline__ uint32_t both(uint32_t v)
{
	return v * 0x10001u;
}

template <bool WIDE> struct row_form;

template <> struct row_form<false> {
	enum { WORDS = SETS_NARROW_WORDS };

	static __device__ __forceinline__ void unpack(const uint32_t *row, uint32_t *f)
	{
#pragma unroll
		for (int i = 0; i < WORDS; i++)
			f[i] = row[i] & 0x0fff0fffu;
#pragma unroll
		for (int i = 0; i < SETS_WORDS - WORDS; i++)
			f[WORDS + i] = (row[3 * i] >> 12 & 0x000f000fu) |
				       (row[3 * i + 1] >> 8 & 0x00f000f0u) |
				       (row[3 * i + 2] >> 4 & 0x0f000f00u);
	}
	static __device__ __forceinline__ void pack(const uint32_t *f, uint32_t *row)
	{
#pragma unroll
		for (int i = 0; i < WORDS; i++)
			row[i] = f[i];
#pragma unroll
		for (int i = 0; i < SETS_WORDS - WORDS; i++) {
			row[3 * i] |= f[WORDS + i] << 12 & 0xf000f000u;
			row[3 * i + 1] |= f[WORDS + i] << 8 & 0xf000f000u;
			row[3 * i + 2] |= f[WORDS + i] << 4 & 0xf000f000u;
		}
	}
};

template <> struct row_form<true> {
	enum { WORDS = SETS_WIDE_WORDS };

	static __device__ __forceinline__ void unpack(const uint32_t *row, uint32_t *f)
	{
#pragma unroll
		for (int i = 0; i < SETS_WORDS; i++)
			f[i] = row[i];
	}
	static __device__ __forceinline__ void pack(const uint32_t *f, uint32_t *row)
	{
#pragma unroll
		for (int i = 0; i < WORDS; i++)
			row[i] = i < SETS_WORDS ? f[i] : 0;
	}
};

/* Rows are read and written 16 bytes at a time. */
template <int WORDS>
static __device__ __forceinline__ void words_load(const uint32_t *from, uint32_t *to)
{
#pragma unroll
	for (int i = 0; i < WORDS / 4; i++) {
		uint4 v = reinterpret_cast<const uint4 *>(from)[i];

		to[4 * i] = v.x;
		to[4 * i + 1] = v.y;
		to[4 * i + 2] = v.z;
		to[4 * i + 3] = v.w;
	}
}
template <int WORDS>
static __device__ __forceinline__ void words_store(uint32_t *to, const uint32_t *from)
{
#pragma unroll
	for (int i = 0; i < WORDS / 4; i++)
		reinterpret_cast<uint4 *>(to)[i] =
			make_uint4(from[4 * i], from[4 * i + 1], from[4 * i + 2], from[4 * i + 3]);
}

/* ---- numbers of sets, shared memory, the plan of an iteration ---- */

enum {
	SETS_ROUND = SETS_LANE_NODES * 32, /* nodes that a warp expands at once */
	SETS_STRIDE = 12,                  /* words between rows of a table in shared memory */
	SETS_FOUND = 512,                  /* survivors that a warp writes together */
	SETS_RESERVE = 512,                /* maximum number of rows that a warp reserves at once */
	SETS_LEAST_CHUNK =
		16,    /* nodes; for smaller chunks the preparation of a set costs too much */
	SETS_DEEP = 5, /* levels at the bottom that need little memory */
};

/* The plan of an iteration; the same in all blocks. */
struct sets_plan {
	int level;              /* of the slice; -1: stop */
	uint32_t entering;      /* not 0: no slice, but this many received rows of `level` */
	uint32_t chunk, chunks; /* offered */
	uint32_t row;           /* the children's rows begin here */
	uint32_t row_stop;      /* no more chunks are drawn when this many rows are reserved */
	uint32_t reserve;       /* rows that a warp reserves at once */
	uint32_t chunk_nodes;   /* of the new batch */
	int64_t ub;
	int turn;
};

/* The part of a block's shared memory that is common to both forms of the search. */
struct sets_stage {
	struct sets_control control;
	struct sets_plan plan;
};

/* Forward branching: tables of times, one row of SETS_STRIDE words per job. */
struct sets_block : sets_stage {
	alignas(16) uint32_t sum[SETS_JOBS * SETS_STRIDE];    /* of the times on machines 0..k */
	alignas(16) uint32_t before[SETS_JOBS * SETS_STRIDE]; /* on machines 0..k-1 */
};

/* A warp's memory for expanding. Building bounds uses the same space. */
template <bool WIDE> struct sets_warp {
	alignas(16) uint32_t constant[SETS_JOBS * SETS_STRIDE];
	alignas(16) uint32_t
		row[2][SETS_ROUND * row_form<WIDE>::WORDS]; /* of this round and the next */
	uint32_t row_index[2][SETS_ROUND];
	uint32_t number[32],
		job[32]; /* of the children, by position in the set of unscheduled jobs */
	uint16_t found[SETS_FOUND + SETS_ROUND];
};
enum : unsigned { SETS_BUILD_BYTES = SETS_JOBS * 32 * sizeof(uint2) + 2 * 32 * sizeof(uint4) };

static __device__ __forceinline__ int lane_of(void)
{
	return (int)(threadIdx.x % 32);
}
static __device__ __forceinline__ uint32_t warp_of_grid(void)
{
	return (uint32_t)((blockIdx.x * blockDim.x + threadIdx.x) / 32);
}
static __device__ __forceinline__ uint32_t warps_of_grid(void)
{
	return (uint32_t)(gridDim.x * blockDim.x / 32);
}
static __device__ __forceinline__ uint32_t lanes_below(void)
{
	return (1u << lane_of()) - 1;
}

static __device__ __forceinline__ uint32_t number_of(const struct sets_search &q, uint32_t set,
						     int jobs)
{
	return __ldg(q.high + (((uint32_t)jobs << q.high_bits) | set >> q.low_bits)) +
	       __ldg(q.low + (set & ((1u << q.low_bits) - 1)));
}

/* Rows that one node of each deeper level may need, so that the search can always continue. */
static __device__ __forceinline__ uint32_t rows_kept(int jobs, int level)
{
	uint32_t left = (uint32_t)(jobs - level);

	return left * (left - 1) / 2;
}

/* The number of nodes of `level` whose children are certain to fit if rows from row_end on are
 * free. At least 1, because the previous slice was limited accordingly. */
static __device__ __forceinline__ uint32_t nodes_that_fit(const struct sets_search &q, int level,
							  uint32_t row_end)
{
	return (q.capacity - row_end - rows_kept(q.jobs, level)) / (uint32_t)(q.jobs - level);
}

/* ---- chunks and rows reserved by a warp ----
 *
 * Also its share of children that are distributed among devices. */

/* A chunk as drawn; nodes = 0: none is left. */
struct sets_draw {
	uint32_t number, list, nodes;
};

/* The chunk that a warp expands, and its reserve of rows to write to. */
struct sets_task {
	uint32_t child_first; /* first number of the children's level */
	int children;
	uint32_t bias; /* 0x8000 - ub in both halves: a bound added to it has its sign bit set from
			  ub on */
	uint32_t row, row_left; /* reserved */
	uint32_t rows_seen;     /* reserved by all warps when this one last reserved some */
};

/* Draws the next chunk, if there is one and the new batch may grow. */
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

/* Marks reserved rows that remain unused. */
static __device__ __forceinline__ void leave_gap(const struct sets_search &q, struct sets_task *t)
{
	for (uint32_t i = (uint32_t)lane_of(); i < t->row_left; i += 32)
		q.key[t->row + i] = SETS_NONE;
	t->row_left = 0;
}

/* Where rows are written: the first `split` from `first` on, the others from `second` on. */
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

/* The children of a node that belong to this share; the same on all devices. */
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

/* Handles the survivors child by child: lists them in w->found[] as node + child * SPAN, passes
 * them to write(room, total) in batches of at least FOUND, and counts them by set. alive[n] has a
 * bit for each child of node lane + 32 * n. */
template <int SPAN, int FOUND, int NODES, class Warp, class Write>
static __device__ __forceinline__ void
list_survivors(const struct sets_search &q, const struct sets_plan &plan, Warp *w,
	       struct sets_task *t, const uint32_t (&alive)[NODES], uint32_t any, Write write)
{
	const int lane = lane_of();
	uint32_t total = 0, run_count = 0;
	int runs = 0, run_child = 0;

	any = __reduce_or_sync(~0u, any);
	while (any) {
		const int child = __ffs((int)any) - 1;
		const uint32_t before = total;

		any &= any - 1;
#pragma unroll
		for (int n = 0; n < NODES; n++) {
			const bool here = alive[n] >> child & 1;
			const uint32_t votes = __ballot_sync(~0u, here);

			if (here)
				w->found[total + __popc(votes & lanes_below())] =
					(uint16_t)((lane + 32 * n) + child * SPAN);
			total += (uint32_t)__popc(votes);
		}
		if (lane == runs) {
			run_count = total - before;
			run_child = child;
		}
		runs++;
		if (total < FOUND && any)
			continue;
		__syncwarp();
		write(reserve_rows(q, plan, t, total), total);
		total = 0;
		__syncwarp();
	}
	if (lane < runs)
		atomicAdd(q.count + (w->number[run_child] - t->child_first), run_count);
}

#endif
