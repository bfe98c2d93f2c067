/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Scan of 32-bit numbers, and selection of the smallest 32-bit ratings, in one cooperative launch
 * each.
 *
 * Each block processes a contiguous range of the values in tiles, warp after warp and row after row
 * of 32 values. Blocks exchange their sums through global memory, between barriers of the grid. */
#ifndef COPRA_KERNELS_COMMON_CHOOSE_CUH
#define COPRA_KERNELS_COMMON_CHOOSE_CUH

#include "kernels/common/warp.cuh"

enum {
	CHOOSE_BLOCK = 1024,
	CHOOSE_WARPS = CHOOSE_BLOCK / 32,
	CHOOSE_ROWS = 4, /* rows per warp in a tile */
	CHOOSE_TILE = CHOOSE_BLOCK * CHOOSE_ROWS,
	CHOOSE_SHARE = CHOOSE_BLOCK * 2, /* fewest values per block */
	CHOOSE_BLOCKS = 1024,            /* maximum blocks of a grid */
	CHOOSE_BINS = 2048,
	CHOOSE_PASSES = 3
};

/* The rating of values that are never chosen. */
static const uint32_t CHOOSE_NEVER = UINT32_MAX;

struct choose_range {
	uint64_t from, to;
};

/* The range of this block. It consists of whole rows, except at the end of the values. */
static __device__ __forceinline__ choose_range choose_my_range(uint32_t count)
{
	uint64_t rows = (count + 31ull) / 32;
	uint64_t a = rows * blockIdx.x / gridDim.x, b = rows * (blockIdx.x + 1) / gridDim.x;
	choose_range r;

	r.from = a * 32;
	r.to = min(b * 32, (uint64_t)count);
	return r;
}

/* Returns the sum of `mine`, which is equal in all lanes of a warp, over the warps before this one;
 * *total gets the sum over all warps. room: CHOOSE_WARPS words of shared memory, reusable after the
 * call. */
static __device__ __forceinline__ uint32_t choose_before(uint32_t mine, uint32_t *room,
							 uint32_t *total)
{
	uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;

	if (lane == 0)
		room[warp] = mine;
	__syncthreads();
	uint32_t own = room[lane], sum = warp_scan(own, lane);

	*total = __shfl_sync(~0u, sum, 31);
	uint32_t before = __shfl_sync(~0u, sum - own, (int)warp);

	__syncthreads();
	return before;
}

/* The first value of row k of this warp in the tile at `tile`. */
static __device__ __forceinline__ uint64_t choose_row(uint64_t tile, int k)
{
	return tile + ((uint64_t)(threadIdx.x / 32) * CHOOSE_ROWS + k) * 32;
}

/* ---- scan ---- */

/* part: [gridDim.x] */
static __global__ void scan_all(const uint32_t *number, uint32_t *first, uint64_t *total,
				uint32_t count, uint64_t *part)
{
	SHARED_MEMORY(uint64_t, room);
	choose_range r = choose_my_range(count);
	uint32_t lane = threadIdx.x % 32;
	uint64_t sum = 0;

	for (uint64_t i = r.from + threadIdx.x; i < r.to; i += CHOOSE_BLOCK)
		sum += number[i];
	sum = block_sum<CHOOSE_BLOCK>(sum, room);
	if (threadIdx.x == 0)
		part[blockIdx.x] = sum;
	grid_sync();
	uint64_t before = threadIdx.x < blockIdx.x ? part[threadIdx.x] : 0;

	before = block_sum<CHOOSE_BLOCK>(before, room);
	if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
		*total = before + sum;
	uint32_t base = (uint32_t)before, all;

	for (uint64_t tile = r.from; tile < r.to; tile += CHOOSE_TILE, base += all) {
		uint32_t v[CHOOSE_ROWS], mine = 0;

#pragma unroll
		for (int k = 0; k < CHOOSE_ROWS; k++) {
			uint64_t i = choose_row(tile, k) + lane;

			v[k] = i < r.to ? number[i] : 0;
		}
#pragma unroll
		for (int k = 0; k < CHOOSE_ROWS; k++) {
			uint32_t before_lane = warp_scan(v[k]) - v[k];
			uint32_t row = __shfl_sync(~0u, before_lane + v[k], 31);

			v[k] = mine + before_lane;
			mine += row;
		}
		uint32_t start = base + choose_before(mine, (uint32_t *)room, &all);

#pragma unroll
		for (int k = 0; k < CHOOSE_ROWS; k++) {
			uint64_t i = choose_row(tile, k) + lane;

			if (i < r.to)
				first[i] = start + v[k];
		}
	}
}

/* ---- select ---- */

struct select_scratch {
	uint32_t histogram[CHOOSE_PASSES][CHOOSE_BINS];
	uint32_t less[CHOOSE_BLOCKS], equal[CHOOSE_BLOCKS];
};

struct select_shared {
	uint64_t room[CHOOSE_WARPS];
	uint32_t bins[CHOOSE_BINS];
	uint32_t digit, below; /* chosen, and how many values are in bins before it */
};

static __device__ __forceinline__ void select_count(select_shared *s, const uint32_t *rating,
						    choose_range r, int shift, int bits,
						    uint32_t prefix)
{
	uint32_t bin = 0,
		 run = 0; /* many ratings are equal, so runs of one bin are added together */

	for (uint32_t b = threadIdx.x; b < CHOOSE_BINS; b += CHOOSE_BLOCK)
		s->bins[b] = 0;
	__syncthreads();
	for (uint64_t start = r.from; start < r.to; start += CHOOSE_TILE) {
		uint32_t v[CHOOSE_ROWS];

#pragma unroll
		for (int k = 0; k < CHOOSE_ROWS; k++) {
			uint64_t i = start + (uint64_t)k * CHOOSE_BLOCK + threadIdx.x;

			v[k] = i < r.to ? rating[i] : 0;
		}
#pragma unroll
		for (int k = 0; k < CHOOSE_ROWS; k++) {
			uint64_t i = start + (uint64_t)k * CHOOSE_BLOCK + threadIdx.x;
			uint32_t b = v[k] >> shift & ((1u << bits) - 1);

			if (i >= r.to || (uint64_t)v[k] >> (shift + bits) != prefix)
				continue;
			if (b != bin && run) {
				atomicAdd(&s->bins[bin], run);
				run = 0;
			}
			bin = b;
			run++;
		}
	}
	if (run)
		atomicAdd(&s->bins[bin], run);
	__syncthreads();
}

/* The bin with the left-th smallest value, 1 <= left <= sum of the histogram. */
static __device__ __forceinline__ void select_digit(select_shared *s, const uint32_t *histogram,
						    uint32_t left)
{
	const int each = CHOOSE_BINS / CHOOSE_BLOCK;
	uint32_t b = threadIdx.x * each, sum = 0, all;
	uint32_t v[each];

	for (int k = 0; k < each; k++)
		sum += v[k] = histogram[b + k];
	uint32_t upto = warp_scan(sum), before = upto - sum;
	uint32_t warp = __shfl_sync(~0u, upto, 31);

	before += choose_before(warp, (uint32_t *)s->room, &all);
	for (int k = 0; k < each; k++) {
		if (before < left && left - before <= v[k]) {
			s->digit = b + k;
			s->below = before;
		}
		before += v[k];
	}
	__syncthreads();
}

/* Writes the chosen indices of this block's range: ratings below `last`, and the first `equal` that
 * are `last`. before_less and before_equal are the numbers of such ratings in the blocks before
 * this one. */
static __device__ __forceinline__ void select_write(select_shared *s, const uint32_t *rating,
						    choose_range r, uint32_t last, uint32_t equal,
						    uint32_t before_less, uint32_t before_equal,
						    uint32_t *index)
{
	uint32_t lane = threadIdx.x % 32, lower = (1u << lane) - 1;

	for (uint64_t tile = r.from; tile < r.to; tile += CHOOSE_TILE) {
		uint32_t is_less[CHOOSE_ROWS], is_equal[CHOOSE_ROWS];
		uint32_t v[CHOOSE_ROWS], less_here = 0, equal_here = 0, all_less, all_equal;

#pragma unroll
		for (int k = 0; k < CHOOSE_ROWS; k++) {
			uint64_t i = choose_row(tile, k) + lane;

			v[k] = i < r.to ? rating[i] : UINT32_MAX;
		}
#pragma unroll
		for (int k = 0; k < CHOOSE_ROWS; k++) {
			is_less[k] = __ballot_sync(~0u, v[k] < last);
			is_equal[k] = __ballot_sync(~0u, v[k] == last &&
								 choose_row(tile, k) + lane < r.to);
			less_here += __popc(is_less[k]);
			equal_here += __popc(is_equal[k]);
		}
		/* at most 4,096 of each in a tile */
		uint32_t both = less_here | equal_here << 16, all;

		both = choose_before(both, (uint32_t *)s->room, &all);
		all_less = all & 0xffff;
		all_equal = all >> 16;
		uint32_t l = before_less + (both & 0xffff), q = before_equal + (both >> 16);

#pragma unroll
		for (int k = 0; k < CHOOSE_ROWS; k++) {
			uint32_t my_less = l + __popc(is_less[k] & lower);
			uint32_t my_equal = q + __popc(is_equal[k] & lower);
			bool chosen = is_less[k] >> lane & 1 ||
				      (is_equal[k] >> lane & 1 && my_equal < equal);

			if (chosen)
				index[my_less + min(my_equal, equal)] =
					(uint32_t)choose_row(tile, k) + lane;
			l += __popc(is_less[k]);
			q += __popc(is_equal[k]);
		}
		before_less += all_less;
		before_equal += all_equal;
	}
}

/* 1 <= keep <= count */
static __global__ void select_smallest(const uint32_t *rating, uint32_t count, uint32_t keep,
				       uint32_t *index, uint32_t *kept, select_scratch *scratch)
{
	SHARED_MEMORY(select_shared, s);
	choose_range r = choose_my_range(count);
	uint32_t prefix = 0, left = keep, less_here = 0, equal_here = 0;
	int shift = 32;

	for (uint32_t i = blockIdx.x * CHOOSE_BLOCK + threadIdx.x; i < CHOOSE_PASSES * CHOOSE_BINS;
	     i += gridDim.x * CHOOSE_BLOCK)
		(&scratch->histogram[0][0])[i] = 0;
	grid_sync();
	for (int pass = 0; pass < CHOOSE_PASSES; pass++) {
		int bits = pass < 2 ? 11 : 10;

		shift -= bits;
		select_count(s, rating, r, shift, bits, prefix);
		for (uint32_t b = threadIdx.x; b < CHOOSE_BINS; b += CHOOSE_BLOCK)
			if (s->bins[b])
				atomicAdd(&scratch->histogram[pass][b], s->bins[b]);
		grid_sync();
		select_digit(s, scratch->histogram[pass], left);
		uint32_t digit = s->digit;

		left -= s->below;
		prefix = prefix << bits | digit;
		uint64_t sum = 0;

		for (uint32_t b = threadIdx.x; b < digit; b += CHOOSE_BLOCK)
			sum += s->bins[b];
		less_here += (uint32_t)block_sum<CHOOSE_BLOCK>(sum, s->room);
		equal_here = s->bins[digit];
		__syncthreads();
	}
	/* the largest chosen rating is `prefix`; the first `left` values with it are chosen */
	if (threadIdx.x == 0) {
		scratch->less[blockIdx.x] = less_here;
		scratch->equal[blockIdx.x] = equal_here;
	}
	grid_sync();
	bool before = threadIdx.x < blockIdx.x;
	uint64_t before_less =
		block_sum<CHOOSE_BLOCK>(before ? scratch->less[threadIdx.x] : 0, s->room);
	uint64_t before_equal =
		block_sum<CHOOSE_BLOCK>(before ? scratch->equal[threadIdx.x] : 0, s->room);
	uint32_t taken = keep - left;

	if (prefix == CHOOSE_NEVER)
		left = 0;
	if (blockIdx.x == 0 && threadIdx.x == 0)
		*kept = taken + left;
	select_write(s, rating, r, prefix, left, (uint32_t)before_less, (uint32_t)before_equal,
		     index);
}

/* ---- launches ---- */

/* Number of blocks for `count` values, limited by the work and by what is resident at once. */
static inline int choose_blocks(int resident, uint32_t count)
{
	uint64_t want = ((uint64_t)count + CHOOSE_SHARE - 1) / CHOOSE_SHARE;

	if (resident > CHOOSE_BLOCKS)
		resident = CHOOSE_BLOCKS;
	return want < (uint64_t)resident ? (int)want : resident;
}

static inline int scan_launch(struct dev_stream *s, const uint32_t *number, uint32_t *first,
			      uint64_t *total, uint32_t count, uint64_t *part, struct err *e)
{
	size_t shared = CHOOSE_WARPS * sizeof(uint64_t);
	int resident;
	int status = GPU_RESIDENT(e, &resident, scan_all, CHOOSE_BLOCK, shared, s);

	if (status)
		return status;
	return LAUNCH_COOPERATIVE(e, scan_all, choose_blocks(resident, count), CHOOSE_BLOCK, shared,
				  s, number, first, total, count, part);
}

static inline int select_launch(struct dev_stream *s, const uint32_t *rating, uint32_t count,
				uint32_t keep, uint32_t *index, uint32_t *kept,
				select_scratch *scratch, struct err *e)
{
	int resident;
	int status =
		GPU_RESIDENT(e, &resident, select_smallest, CHOOSE_BLOCK, sizeof(select_shared), s);

	if (status)
		return status;
	return LAUNCH_COOPERATIVE(e, select_smallest, choose_blocks(resident, count), CHOOSE_BLOCK,
				  sizeof(select_shared), s, rating, count, keep, index, kept,
				  scratch);
}

#endif
