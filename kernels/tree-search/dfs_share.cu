/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Load balancing between rounds: planning which warps give nodes to which, and copying the nodes.
 */
#include "kernels/common/warp.cuh"
#include "kernels/tree-search/dfs_stack.cuh"

static const int MOST_TAKEN = 512; /* maximum number of entries that one warp receives at once */
#if defined(COPRA_SIM)
static const int PLAN_BLOCK = 64;
#else
static const int PLAN_BLOCK = 1024;
#endif

/* A packet: a row, then the entry's low word (without a valid row), its bound, and two unused
 * words. */
static __device__ __forceinline__ uint32_t *packet_at(const dfs_world &w, int i)
{
	return w.packets + (size_t)i * (w.row_words + 4);
}

struct shares {
	int64_t keep, target; /* entries of a warp: it gives those above `keep` and takes up to
				 `target` */
	int plan;
};

static __device__ __forceinline__ int can_give(const dfs_world &w, const shares &p, int warp)
{
	int count = w.entry_count[warp];

	if (p.plan == DFS_IMPORT)
		return 0;
	return count > p.keep ? (int)(count - p.keep) : 0;
}

static __device__ __forceinline__ int can_take(const dfs_world &w, const shares &p, int warp)
{
	int count = w.entry_count[warp];
	int room = min(w.row_capacity - w.row_reserve - w.row_count[warp],
		       w.entry_capacity - w.entry_first[warp] - w.entry_reserve - count);

	if (p.plan == DFS_EXPORT || count >= p.target)
		return 0;
	return max(0, min(room, (int)(p.target - count)));
}

static __device__ shares make_shares(int plan, int64_t entries, int64_t amount, int warps)
{
	int64_t mean = entries / warps;
	shares p;

	p.plan = plan;
	p.keep = plan == DFS_EXPORT ? 0 : mean + 1;
	p.target = plan == DFS_IMPORT ? mean + amount / warps + 2 : mean / 2 + 1;
	p.target = p.target < MOST_TAKEN || plan == DFS_IMPORT ? p.target : MOST_TAKEN;
	return p;
}

/* One block. The packets are numbered by prefix sums of the amounts that each warp can give and
 * take, scaled down to the amount that is moved. */
static __global__ void plan_shares(dfs_world w, int plan, int amount)
{
	SHARED_MEMORY(int64_t, shared);
	int each = (w.warps + (int)blockDim.x - 1) / (int)blockDim.x;
	int first = min(w.warps, (int)threadIdx.x * each), end = min(w.warps, first + each);
	int64_t entries = 0, rows = 0, supply = 0, demand = 0;

	for (int i = first; i < end; i++) {
		entries += w.entry_count[i];
		rows += w.row_count[i];
	}
	int64_t all_entries = block_sum<PLAN_BLOCK>(entries, shared);
	int64_t all_rows = block_sum<PLAN_BLOCK>(rows, shared);
	shares p = make_shares(plan, all_entries, amount, w.warps);

	for (int i = first; i < end; i++) {
		supply += can_give(w, p, i);
		demand += can_take(w, p, i);
	}
	int64_t all_supply, all_demand;
	int64_t supply_before = block_scan<PLAN_BLOCK>(supply, shared, &all_supply) - supply;
	int64_t demand_before = block_scan<PLAN_BLOCK>(demand, shared, &all_demand) - demand;
	int64_t done = w.packet_capacity;
	done = plan == DFS_BALANCE ? done : min(done, (int64_t)amount);
	done = plan == DFS_IMPORT ? done : min(done, all_supply);
	done = plan == DFS_EXPORT ? done : min(done, all_demand);

	for (int i = first; i < end; i++) {
		int64_t gives = can_give(w, p, i), takes = can_take(w, p, i);
		int64_t a = all_supply ? done * supply_before / all_supply : 0;
		int64_t b = all_supply ? done * (supply_before + gives) / all_supply : 0;
		int64_t c = all_demand ? done * demand_before / all_demand : 0;
		int64_t d = all_demand ? done * (demand_before + takes) / all_demand : 0;

		w.give_first[i] = (int)a;
		w.give_count[i] = (int)(b - a);
		w.take_first[i] = (int)c;
		w.take_count[i] = (int)(d - c);
		/* the counts of receivers already include new entries; givers close the gap first
		 */
		w.row_count[i] += (int)(d - c);
		w.entry_count[i] += (int)(d - c);
		supply_before += gives;
		demand_before += takes;
	}
	if (threadIdx.x == 0) {
		dfs_control *c = w.control;

		c->packets = (int)done;
		c->entries = (uint64_t)all_entries;
		c->rows = (uint64_t)all_rows;
		c->most_rows = c->rows > c->most_rows ? c->rows : c->most_rows;
		c->most_entries = c->entries > c->most_entries ? c->entries : c->most_entries;
		c->spent = (c->idle & DFS_SPENT) != 0;
		c->idle = 0;
	}
}

/* The warp that packet i belongs to: the last one with packets whose first packet is at most i. */
static __device__ __forceinline__ int owner(const int32_t *first, int warps, int i)
{
	int low = 0, high = warps; /* first[low] <= i, first[high] > i */

	while (high - low > 1) {
		int middle = (low + high) / 2;

		if (first[middle] <= i)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static __device__ __forceinline__ void copy_row(const dfs_world &w, const uint32_t *from,
						uint32_t *to, int lane)
{
	for (int k = lane; k < w.row_words / 4; k += 32)
		((uint4 *)to)[k] = ((const uint4 *)from)[k];
}

static __global__ void give_packets(dfs_world w)
{
	int warp = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;

	for (int i = warp; i < w.control->packets; i += (int)(gridDim.x * blockDim.x) / 32) {
		int giver = owner(w.give_first, w.warps, i);
		uint64_t e = w.entries[(size_t)giver * w.entry_capacity + w.entry_first[giver] + i -
				       w.give_first[giver]];
		uint32_t *to = packet_at(w, i);

		copy_row(w,
			 w.rows +
				 ((size_t)giver * w.row_capacity + ((uint32_t)e >> DFS_ROW_SHIFT)) *
					 w.row_words,
			 to, lane);
		if (lane < 2)
			to[w.row_words + lane] = (uint32_t)(lane ? e >> 32 : e);
	}
}

/* Moves `count` elements of a warp down by `by`. Every chunk is read before it is written. */
template <class T> static __device__ void move_down(T *at, size_t count, size_t by, int lane)
{
	const int EACH = 8;

	for (size_t i = 0; i < count; i += 32 * EACH) {
		T value[EACH];

#pragma unroll
		for (int k = 0; k < EACH; k++) {
			if (i + k * 32 + lane < count)
				value[k] = at[by + i + k * 32 + lane];
		}
		__syncwarp();
#pragma unroll
		for (int k = 0; k < EACH; k++) {
			if (i + k * 32 + lane < count)
				at[i + k * 32 + lane] = value[k];
		}
		__syncwarp();
	}
}

/* Moves a warp's entries, and the rows that they still need, to the beginning of its stack. */
static __device__ void close_gap(const dfs_world &w, int warp, int first, int gone, int lane)
{
	uint32_t *row = w.rows + (size_t)warp * w.row_capacity * w.row_words;
	uint64_t *entry = w.entries + (size_t)warp * w.entry_capacity;
	int count = w.entry_count[warp], rows = w.row_count[warp];
	size_t vectors = (size_t)w.row_words / 4;

	__syncwarp();
	move_down(entry, (size_t)count, (size_t)first, lane);
	for (int i = lane; i < count; i += 32)
		entry[i] -= (uint64_t)gone << DFS_ROW_SHIFT;
	move_down((uint4 *)row, (rows - gone) * vectors, gone * vectors, lane);
	if (lane == 0) {
		w.entry_first[warp] = 0;
		w.row_count[warp] = rows - gone;
	}
}

/* Removes the nodes that a warp gave from the bottom of its stack. The rest is moved only if gaps
 * take up half of the space. */
static __global__ void drop_given(dfs_world w)
{
	int warp = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;

	if (warp >= w.warps)
		return;
	int given = w.give_count[warp], rest = w.entry_count[warp] - given;
	int first = rest ? w.entry_first[warp] + given : 0;
	int gone = first ? (int)((uint32_t)w.entries[(size_t)warp * w.entry_capacity + first] >>
				 DFS_ROW_SHIFT) :
			   0;

	__syncwarp();
	if (lane == 0 && given) {
		w.entry_first[warp] = first;
		w.entry_count[warp] = rest;
		w.row_count[warp] = rest ? w.row_count[warp] : 0;
	}
	__syncwarp();
	if (gone > (w.row_capacity - w.row_reserve) / 2 ||
	    first > (w.entry_capacity - w.entry_reserve) / 2)
		close_gap(w, warp, first, gone, lane);
}

static __global__ void take_packets(dfs_world w)
{
	int warp = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;

	for (int i = warp; i < w.control->packets; i += (int)(gridDim.x * blockDim.x) / 32) {
		int taker = owner(w.take_first, w.warps, i), n = i - w.take_first[taker];
		int row = w.row_count[taker] - w.take_count[taker] + n;
		int at = w.entry_first[taker] + w.entry_count[taker] - w.take_count[taker] + n;
		const uint32_t *from = packet_at(w, i);
		uint32_t low = from[w.row_words] & ((1u << DFS_ROW_SHIFT) - 1);

		copy_row(w, from, w.rows + ((size_t)taker * w.row_capacity + row) * w.row_words,
			 lane);
		if (lane == 0)
			w.entries[(size_t)taker * w.entry_capacity + at] =
				(uint64_t)from[w.row_words + 1] << 32 |
				(uint32_t)row << DFS_ROW_SHIFT | low;
	}
}

/* The jobs placed in an entry's node: those missing in its row's set, and the entry's own. */
static __device__ __forceinline__ int depth_of(const dfs_world &w, int warp, uint64_t e)
{
	const uint32_t *row = w.rows + ((size_t)warp * w.row_capacity + entry_row(e)) * w.row_words;
	int left = 0;

	for (int i = 0; i < w.mask_words; i++)
		left += __popc(row[i]);
	return w.jobs - left + (entry_job(e) != DFS_NO_JOB);
}

/* A lane reads consecutive entries, most of which have the depth of the one before. */
static __global__ void count_by_depth(dfs_world w)
{
	int warp = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	int count = w.entry_count[warp], each = (count + 31) / 32;
	int from = lane * each, end = min(count, from + each), depth = 0;
	const uint64_t *entry = w.entries + (size_t)warp * w.entry_capacity + w.entry_first[warp];
	unsigned run = 0;

	for (int i = from; i < end; i++) {
		int own = depth_of(w, warp, entry[i]);

		if (run && own != depth) {
			atomicAdd(&w.depths[depth], run);
			run = 0;
		}
		depth = own;
		run++;
	}
	if (run)
		atomicAdd(&w.depths[depth], run);
}

/* The n-th packet of a stack takes its n-th entry from one of the top ones on. */
static __global__ void sample_nodes(dfs_world w, int amount, int width)
{
	int warp = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;

	for (int i = warp; i < amount; i += (int)(gridDim.x * blockDim.x) / 32) {
		int stack = (int)((int64_t)i * w.warps / amount);
		int n = i - (int)(((int64_t)stack * amount + w.warps - 1) / w.warps);
		int count = w.entry_count[stack], some = min(count, width);
		uint32_t *to = packet_at(w, i);

		if (n >= some) {
			to[w.row_words] = (uint32_t)DFS_NO_NODE;
			continue;
		}
		int under = (int)(((uint32_t)stack * 0x9e3779b1u >> 16) + (uint32_t)n) % some;
		uint64_t e = w.entries[(size_t)stack * w.entry_capacity + w.entry_first[stack] +
				       count - 1 - under];

		copy_row(w, w.rows + ((size_t)stack * w.row_capacity + entry_row(e)) * w.row_words,
			 to, lane);
		if (lane == 0)
			to[w.row_words] = (uint32_t)e & ((1u << DFS_ROW_SHIFT) - 1);
	}
}

static int sample(struct dev_stream *s, const struct dfs_world *w, int32_t amount, int32_t width,
		  struct err *e)
{
	return LAUNCH(e, sample_nodes, w->warps / DFS_BLOCK_WARPS, DFS_BLOCK, 0, s, *w, (int)amount,
		      (int)width);
}

static int count_depths(struct dev_stream *s, const struct dfs_world *w, struct err *e)
{
	return LAUNCH(e, count_by_depth, w->warps / DFS_BLOCK_WARPS, DFS_BLOCK, 0, s, *w);
}

static int plan(struct dev_stream *s, const struct dfs_world *w, enum dfs_plan kind, int32_t amount,
		struct err *e)
{
	return LAUNCH(e, plan_shares, 1, PLAN_BLOCK, PLAN_BLOCK / 32 * sizeof(int64_t), s, *w,
		      (int)kind, amount);
}

static int give(struct dev_stream *s, const struct dfs_world *w, struct err *e)
{
	int blocks = w->warps / DFS_BLOCK_WARPS;
	int status = LAUNCH(e, give_packets, blocks, DFS_BLOCK, 0, s, *w);

	return status ? status : LAUNCH(e, drop_given, blocks, DFS_BLOCK, 0, s, *w);
}

static int take(struct dev_stream *s, const struct dfs_world *w, struct err *e)
{
	return LAUNCH(e, take_packets, w->warps / DFS_BLOCK_WARPS, DFS_BLOCK, 0, s, *w);
}

extern "C" const struct dfs_kernels
	BACKEND_SYMBOL(dfs_kernels) = { BACKEND_SYMBOL(dfs_pair_warps),
					BACKEND_SYMBOL(dfs_wide_warps),
					BACKEND_SYMBOL(dfs_wide_scratch),
					BACKEND_SYMBOL(dfs_pair_round),
					BACKEND_SYMBOL(dfs_wide_round),
					plan,
					give,
					take,
					count_depths,
					sample };
