/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Code common to the search kernels: the stack of a warp, signals between warps, moves. All lanes
 * of a warp call these functions together. */
#ifndef COPRA_KERNELS_TREE_SEARCH_DFS_STACK_CUH
#define COPRA_KERNELS_TREE_SEARCH_DFS_STACK_CUH

#include "kernels/common/gpu.cuh"
#include "kernels/common/warp.cuh"

#include "kernels/tree-search/dfs.h"

/* The search kernels, each in its own source: one round, and the number of warps that run at
 * once. */
int BACKEND_SYMBOL(dfs_pair_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
				   struct err *e);
int BACKEND_SYMBOL(dfs_pair_round)(struct dev_stream *s, const struct dfs_world *w,
				   const struct dfs_round *r, struct err *e);
int BACKEND_SYMBOL(dfs_wide_warps)(struct dev_stream *s, const struct dfs_world *w, int *warps,
				   struct err *e);
int BACKEND_SYMBOL(dfs_wide_round)(struct dev_stream *s, const struct dfs_world *w,
				   const struct dfs_round *r, struct err *e);
size_t BACKEND_SYMBOL(dfs_wide_scratch)(const struct dfs_world *w);

static const int POLL_EVERY = 16; /* batches between two reads of the mail */
static const int POLL_WARPS = 64; /* one warp of this many reads the mail */

struct warp_stack {
	int warp, lane;
	int rows, entries; /* in use */
	int entry_room;    /* the limit of entries */
	uint32_t *row;     /* of this warp */
	uint64_t *entry;
	uint64_t explored, decomposed, leaves, evaluated; /* of this round, the same in all lanes */
	uint32_t own_decomposed, own_evaluated, own_cut;  /* the same, counted per lane */
};

static __device__ __forceinline__ struct warp_stack stack_open(const dfs_world &w)
{
	warp_stack s;

	s.warp = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32;
	s.lane = threadIdx.x % 32;
	s.rows = w.row_count[s.warp];
	s.entries = w.entry_count[s.warp];
	s.row = w.rows + (size_t)s.warp * w.row_capacity * w.row_words;
	s.entry_room = w.entry_capacity - w.entry_first[s.warp];
	s.entry = w.entries + (size_t)s.warp * w.entry_capacity + w.entry_first[s.warp];
	s.explored = s.decomposed = s.leaves = s.evaluated = 0;
	s.own_decomposed = s.own_evaluated = s.own_cut = 0;
	return s;
}

static __device__ __forceinline__ void stack_close(const dfs_world &w, const warp_stack &s)
{
	uint32_t decomposed = __reduce_add_sync(WARP_ALL, s.own_decomposed);
	uint32_t evaluated = __reduce_add_sync(WARP_ALL, s.own_evaluated);
	uint32_t cut = __reduce_add_sync(WARP_ALL, s.own_cut);

	if (s.lane == 0) {
		dfs_tally *t = &w.tally[s.warp];

		w.row_count[s.warp] = s.entries ? s.rows : 0;
		w.entry_count[s.warp] = s.entries;
		if (!s.entries)
			w.entry_first[s.warp] = 0;
		t->explored += s.explored;
		t->decomposed += s.decomposed + decomposed;
		t->leaves += s.leaves;
		t->evaluated += s.evaluated + evaluated;
		t->cut += cut;
		if (!s.entries)
			atomicAdd(&w.control->idle, 1);
	}
}

static __device__ __forceinline__ int entry_row(uint64_t e)
{
	return (int)((uint32_t)e >> DFS_ROW_SHIFT);
}
static __device__ __forceinline__ int entry_job(uint64_t e)
{
	return (int)e & DFS_NO_JOB;
}
static __device__ __forceinline__ int entry_side(uint64_t e)
{
	return (int)(e >> DFS_JOB_BITS) & 1;
}
static __device__ __forceinline__ uint64_t make_entry(int row, int side, int job, int bound)
{
	return (uint64_t)(uint32_t)bound << 32 | (uint32_t)row << DFS_ROW_SHIFT |
	       (uint32_t)side << DFS_JOB_BITS | (uint32_t)job;
}

/* Frees the rows above that of the top entry. */
static __device__ __forceinline__ void stack_trim(warp_stack &s)
{
	s.rows = entry_row(s.entry[s.entries - 1]) + 1;
}

/* The number of entries that may be popped, at most `most`, if each pushes one row and `jobs`
 * entries. */
static __device__ __forceinline__ int stack_width(const dfs_world &w, const warp_stack &s, int most)
{
	int rows = w.row_capacity - w.row_reserve - s.rows;
	int entries = s.entry_room - w.entry_reserve - s.entries;
	int width = s.entries < most ? s.entries : most;

	if (width <= rows && width * w.jobs <= entries)
		return width;
	width = width < rows ? width : rows;
	width = width < entries / w.jobs ? width : entries / w.jobs;
	return width > 1 ? width : 1;
}

/* ---- signals ---- */

static __device__ __forceinline__ void read_mail(const dfs_world &w, int lane)
{
	if (lane < w.devices && lane != w.self) {
		int32_t best = ld_acquire_sys(&w.mail[lane].best);

		if (best < ld_relaxed_gpu(&w.control->best))
			atomicMin(&w.control->best, best);
	} else if (lane == w.self && ld_acquire_sys(&w.mail[lane].halt)) {
		atomicOr(&w.control->idle, DFS_HALT);
	}
}

/* Values that other warps may change. Only those of lane 0 are valid. */
struct signals {
	int best, idle;
};

static __device__ __forceinline__ signals load_signals(const dfs_world &w, const warp_stack &s)
{
	signals seen = { 0, 0 };

	if (s.lane == 0) {
		seen.best = ld_relaxed_gpu(&w.control->best);
		seen.idle = ld_relaxed_gpu(&w.control->idle);
	}
	return seen;
}

/* Returns false when the round ends for this warp. `idle`: as last read. The first warp that has
 * used up its batches ends the round for all; otherwise faster warps would wait for slower ones. */
static __device__ __forceinline__ bool round_continues(const dfs_world &w, const dfs_round &r,
						       const warp_stack &s, int batch, int idle)
{
	if (s.warp % POLL_WARPS == 0 && batch % POLL_EVERY == POLL_EVERY - 1)
		read_mail(w, s.lane);
	if (batch == r.most_batches && s.lane == 0)
		atomicOr(&w.control->idle, DFS_HALT);
	return batch < r.least_batches || (batch < r.most_batches && idle < r.idle_limit);
}

/* ---- moves ---- */

static __device__ __forceinline__ uint32_t *row_moves(const dfs_world &w, const warp_stack &s,
						      int row)
{
	return s.row + (size_t)row * w.row_words + w.moves_at;
}

/* Writes the move of an entry as the i-th one. */
static __device__ __forceinline__ void put_move(const dfs_world &w, uint32_t *moves, int i,
						uint64_t e)
{
	if (w.move_bytes == 1)
		((uint8_t *)moves)[i] =
			(uint8_t)(entry_job(e) | (entry_side(e) ? DFS_BYTE_SIDE : 0));
	else
		((uint16_t *)moves)[i] = (uint16_t)((uint32_t)e & ((1u << DFS_ROW_SHIFT) - 1));
}

/* The i-th move, as the low bits of an entry. */
static __device__ __forceinline__ uint64_t get_move(const dfs_world &w, const uint32_t *moves,
						    int i)
{
	if (w.move_bytes == 2)
		return ((const uint16_t *)moves)[i];
	uint32_t move = ((const uint8_t *)moves)[i];

	return make_entry(0, move / DFS_BYTE_SIDE, move % DFS_BYTE_SIDE, 0);
}

/* Keeps a complete schedule: the node of `row` and `entry` with its last job. All lanes pass the
 * same arguments. */
static __device__ __forceinline__ void keep_leaf(const dfs_world &w, const warp_stack &s,
						 uint64_t entry, int last, int value)
{
	if (s.lane == 0)
		atomicMin(&w.control->best, value);
	int kept = s.lane == 0 ? w.leaf_value[s.warp] : 0;
	if (value >= __shfl_sync(WARP_ALL, kept, 0))
		return;
	if (s.lane == 0)
		w.leaf_value[s.warp] = value;
	if (!w.moves_at || s.lane != 0)
		return;
	const uint32_t *moves = row_moves(w, s, entry_row(entry));
	uint16_t *to = w.leaf_order + (size_t)s.warp * w.jobs;
	bool none = entry_job(entry) == DFS_NO_JOB;
	int front = 0, end = w.jobs, placed = w.jobs - (none ? 1 : 2);

	for (int i = 0; i < w.jobs - 1; i++) {
		uint64_t move = i < placed ? get_move(w, moves, i) : entry;

		to[entry_side(move) ? --end : front++] = (uint16_t)entry_job(move);
	}
	to[front] = (uint16_t)last;
}

/* After the leaves of a batch: sends the best value to the other devices. */
static __device__ __forceinline__ void send_best(const dfs_world &w, const warp_stack &s)
{
	if (s.lane == 0)
		st_release_sys(&w.mail[w.self].best, ld_relaxed_gpu(&w.control->best));
}

#endif
