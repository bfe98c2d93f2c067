/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Two cells in a register: 16 bits each, relative to a line.
 *
 * f grows by about the same amount from cell to cell. So within a tile the distance of f from a
 * line of integer slope mostly fits into 16 bits, and one instruction does the add-max of two
 * cells. With g(c) = f(c) - base - slope c, f(c) = max(f(c), f(c - w) + p) becomes
 * g(c) = max(g(c), g(c - w) + p - slope w): the same recursion with another gain.
 *
 * What must hold is checked for every tile, so the result is exact: the gains fit; every cell read
 * is at least `least` and at most `most`. All gains together raise a value by at most the sum of
 * the positive ones, so none exceeds 32767, and cells without a value (`none`) stay below the
 * others. A tile for which this does not hold is computed with one cell in a register.
 *
 * All decisions are the same for all threads of a block, and the first warp draws the line with all
 * of its lanes. */
#ifndef COPRA_KERNELS_DP_KNAPSACK_TUNED_PAIRS_CUH
#define COPRA_KERNELS_DP_KNAPSACK_TUNED_PAIRS_CUH

#include "kernels/common/warp.cuh"
#include "kernels/dp-knapsack/tuned_tile.cuh"

static __device__ __forceinline__ uint32_t add_max(uint32_t a, uint32_t gain, uint32_t b)
{
	return __viaddmax_s16x2(a, gain, b);
}

static __device__ __forceinline__ uint32_t pair_of(int32_t low, int32_t high)
{
	return ((uint32_t)low & 0xffff) | (uint32_t)high << 16;
}

/* A line over positions of the tile. Beyond the cells that exist, sums may wrap. */
struct pair_line {
	uint32_t base;
	int32_t slope;

	__device__ __forceinline__ uint32_t at(int32_t position) const
	{
		return base + (uint32_t)slope * (uint32_t)position;
	}
	/* What an item gains that moves by `shift` positions. */
	__device__ __forceinline__ int32_t gain(int32_t profit, int32_t shift) const
	{
		return profit - slope * shift;
	}
};

/* What a block keeps about a tile: the lines of both halves, and what the values read must satisfy.
 */
struct pair_tile {
	struct pair_line line[2];
	int32_t least, most, none;
	int32_t fits; /* whether there is room for any values */
};
enum { PAIR_TILE_BYTES = 64 };
static_assert(sizeof(struct pair_tile) <= PAIR_TILE_BYTES, "room for the lines");

enum { PAIR_ROOM = 1 << 15, PAIR_SLACK = 8 };

/* The slope of a line through two cells at the positions `from` and `to`. */
static __device__ __forceinline__ int32_t pair_slope(int32_t from, int32_t to, int32_t at_from,
						     int32_t at_to)
{
	int32_t slope = to > from ? (at_to - at_from) / (to - from) : 0;

	return max(min(slope, PAIR_ROOM - 1), 0);
}

/* Called by the first warp with all lanes: the most that `count` items raise a value together (up),
 * and the most that one lowers it (down). An item moves by shift[i] positions, or by one. */
static __device__ __forceinline__ void pair_drift(int32_t slope, const int32_t *profit,
						  const int32_t *shift, int count, int32_t *up,
						  int32_t *down)
{
	const struct pair_line line = { 0, slope };
	int32_t rise = 0, fall = 0;

#pragma unroll 1
	for (int first = 0; first < count; first += warpSize) {
		const int i = min(first + (int)warp_lane(), count - 1);
		const int32_t g = line.gain(profit[i], shift ? shift[i] : 1);
		const int32_t near = max(min(g, (int32_t)PAIR_ROOM), -(int32_t)PAIR_ROOM);

		rise += first + (int)warp_lane() < count ? max(near, 0) : 0;
		fall = max(fall, -near);
	}
	*up = max(*up, __reduce_add_sync(WARP_ALL, rise));
	*down = max(*down, __reduce_max_sync(WARP_ALL, fall));
}

/* The range of the values, of which up to `at_once` items are added before a maximum is taken. */
static __device__ __forceinline__ void pair_range(struct pair_tile *t, int32_t up, int32_t down,
						  int at_once)
{
	down *= at_once;
	t->none = down - PAIR_ROOM;
	t->least = t->none + up;
	t->most = PAIR_ROOM - 1 - up;
	t->fits = down < PAIR_ROOM && t->most - t->least >= PAIR_ROOM / PAIR_SLACK;
}

/* The line of the given slope below a cell. Most of f lies above the line between two cells. */
static __device__ __forceinline__ struct pair_line
pair_below(const struct pair_tile *t, int32_t slope, int32_t position, int32_t cell)
{
	const int32_t start = t->least + (t->most - t->least) / PAIR_SLACK;

	return { (uint32_t)cell - (uint32_t)start - (uint32_t)slope * (uint32_t)position, slope };
}

/* Cell c of the source or, if that does not exist, its nearest up to `top`; at most two devices own
 * the cells. */
static __device__ __forceinline__ int32_t pair_read(const tile_source<int32_t> &source, int32_t top,
						    int32_t c)
{
	const int32_t near = max(min(c, min(top, source.saturated)), 0);
	const int32_t cell = __ldcg((near < source.cut ? source.below : source.beyond) + near);

	return min(c, top) > source.saturated ? source.above : cell;
}

/* The cell that half h of a pair stands for. */
static __device__ __forceinline__ int32_t pair_cell(uint32_t v, int h, uint32_t line)
{
	int32_t value = h ? (int32_t)v >> 16 : (int32_t)(int16_t)(uint16_t)v;

	return (int32_t)((uint32_t)value + line);
}

#endif
