/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Building rows of the bound table. If many are missing: 128 sets per warp, four per lane in the
 * halves of two words. For each machine u, all pairs (u, v) step through Johnson's order, which is
 * the same for all lanes.
 *
 * Let w be the sum over the jobs passed of (time on u - time on v), and y the maximum of w + time
 * on u + lag over the jobs in the set. Then C_uv = y - w + sum of times on u. A job that is not in
 * the set is multiplied by 0; w alone never exceeds y. Halves are kept positive by an offset, so
 * that plain 32-bit sums serve both. */
#ifndef COPRA_KERNELS_TREE_SEARCH_SETS_BOUND_CUH
#define COPRA_KERNELS_TREE_SEARCH_SETS_BOUND_CUH

#include "kernels/tree-search/sets_common.cuh"

enum { SETS_BUILT_TOGETHER = 128, SETS_FEW_WORDS = 4, SETS_FEW_TOGETHER = 2 * SETS_FEW_WORDS };

/* The warp's space: members[job] of all lanes, and the steps of two pairs of machines that take
 * turns (32 * job, time on u + lag, time on u - time on v). Arranging uses the same space. */
struct sets_members {
	union {
		alignas(16) uint2 member[SETS_JOBS * 32];
		uint32_t found[SETS_JOBS * 64];
	};
	alignas(16) uint4 step[2][32];
};

static __device__ __forceinline__ uint2 fetch_step(const struct sets_search &q, int u, int v)
{
	const uint2 *step =
		reinterpret_cast<const uint2 *>(q.step + (u * SETS_MACHINES + v) * q.jobs);

	return lane_of() < q.jobs && v < SETS_MACHINES ? __ldg(step + lane_of()) : make_uint2(0, 0);
}

/* y - w of all four sets, in the halves. */
static __device__ __forceinline__ uint2 pass(const uint2 *member, const uint4 *step, int jobs)
{
	uint2 w = make_uint2(0x80008000u, 0x80008000u), y = w;

#pragma unroll 5
	for (int i = 0; i < jobs; i++) {
		const uint4 c = step[i];
		const uint2 m = member[c.x];

		y.x = __vmaxu2(y.x, w.x + m.x * c.y);
		y.y = __vmaxu2(y.y, w.y + m.y * c.y);
		w.x += m.x * c.z;
		w.y += m.y * c.z;
	}
	return make_uint2(y.x - w.x, y.y - w.y);
}

/* E[.][u] of the lane's sets. */
static __device__ __forceinline__ uint2 bounds_of_machine(const struct sets_search &q,
							  const sets_block *block,
							  sets_members *space, int u)
{
	const int place = place_of_machine(u);
	const int shift = place % 2 * 16;

	const uint2 *member = space->member + lane_of();
	uint2 work = make_uint2(0, 0), best = make_uint2(both(q.tail[u]), both(q.tail[u]));
	uint2 step = fetch_step(q, u, u + 1);

#pragma unroll 2
	for (int j = 0; j < q.jobs; j++) {
		const int at = j * SETS_STRIDE + place / 2;
		const uint32_t p = (block->sum[at] - block->before[at]) >> shift & 0xffff;

		work.x += member[j * 32].x * p;
		work.y += member[j * 32].y * p;
	}
#pragma unroll 1
	for (int v = u + 1; v < SETS_MACHINES; v++) {
		const uint32_t tail = both(q.tail[v]);

		space->step[v % 2][lane_of()] =
			make_uint4(step.x & 0xffff, step.x >> 16, step.y, 0);
		__syncwarp();
		step = fetch_step(q, u, v + 1);
		uint2 c = pass(member, space->step[v % 2], q.jobs);

		best.x = __vmaxu2(best.x, c.x + tail);
		best.y = __vmaxu2(best.y, c.y + tail);
	}
	__syncwarp();
	return make_uint2(best.x + work.x, best.y + work.y);
}

/* Fills in the lane's four of the `group`-th 128 missing sets, and their unscheduled jobs. */
static __device__ __forceinline__ void fill_members(const struct sets_search &q,
						    sets_members *space, uint32_t missing,
						    uint32_t group, uint32_t (&number)[4])
{
	const uint32_t all = (1u << q.jobs) - 1;
	const uint32_t at = group * SETS_BUILT_TOGETHER + (uint32_t)lane_of();
	uint32_t left[4];

#pragma unroll
	for (int i = 0; i < 4; i++) {
		number[i] = q.missing[min(at + 32 * (uint32_t)i, missing - 1)];
		left[i] = all & ~q.set_of[number[i]];
	}
#pragma unroll 2
	for (int j = 0; j < q.jobs; j++)
		space->member[j * 32 + lane_of()] =
			make_uint2((left[0] >> j & 1) | (left[1] >> j & 1) << 16,
				   (left[2] >> j & 1) | (left[3] >> j & 1) << 16);
}

/* A task is one machine of 128 sets; those with the most pairs come first. */
static __device__ __forceinline__ void build_many(const struct sets_search &q,
						  const sets_block *block, sets_members *space,
						  uint32_t missing, uint32_t task)
{
	const uint32_t groups = (missing + SETS_BUILT_TOGETHER - 1) / SETS_BUILT_TOGETHER;
	const int u = (int)(task / groups);
	uint16_t *bound = reinterpret_cast<uint16_t *>(q.bound);
	uint32_t number[4];

	fill_members(q, space, missing, task % groups, number);
	const uint2 e = bounds_of_machine(q, block, space, u);

#pragma unroll
	for (int i = 0; i < 4; i++)
		bound[(size_t)number[i] * SETS_MACHINES + place_of_machine(u)] =
			(uint16_t)((i < 2 ? e.x : e.y) >> (i % 2 * 16));
}

/* ---- few rows are missing: one lane per pair of machines, so that a task is short ---- */

/* Which sets of unscheduled jobs have job `job`, one set per half. */
static __device__ __forceinline__ uint32_t members_of(const uint32_t *left, uint32_t job)
{
	return (left[0] >> job & 1) | (left[1] >> job & 1) << 16;
}

/* y - w of SETS_FEW_TOGETHER sets of unscheduled jobs, two per word. Each lane has its own
 * machines. */
static __device__ __forceinline__ void pass_few(const struct sets_search &q, int u, int v,
						const uint32_t *left, uint32_t *y)
{
	const uint2 *step =
		reinterpret_cast<const uint2 *>(q.step + (u * SETS_MACHINES + v) * q.jobs);
	uint32_t w[SETS_FEW_WORDS];

#pragma unroll
	for (int i = 0; i < SETS_FEW_WORDS; i++)
		w[i] = y[i] = 0x80008000u;
#pragma unroll 4
	for (int i = 0; i < q.jobs; i++) {
		const uint2 c = __ldg(step + i);
		const uint32_t job = (c.x & 0xffff) / 32, rise = c.x >> 16;

#pragma unroll
		for (int k = 0; k < SETS_FEW_WORDS; k++) {
			const uint32_t m = members_of(left + 2 * k, job);

			y[k] = __vmaxu2(y[k], w[k] + m * rise);
			w[k] += m * c.y;
		}
	}
#pragma unroll
	for (int k = 0; k < SETS_FEW_WORDS; k++)
		y[k] -= w[k];
}

/* The maximum over the lanes, by halves. */
static __device__ __forceinline__ uint32_t greatest(uint32_t v)
{
	return __reduce_max_sync(~0u, v >> 16) << 16 | __reduce_max_sync(~0u, v & 0xffff);
}

/* E[.][u] in lane order. `best` holds C + tail in the lanes that have a pair (u, v), else 0. */
static __device__ __forceinline__ void store_few(const struct sets_search &q,
						 const sets_block *block, const uint32_t *number,
						 const uint32_t *left, const uint32_t *best, int u)
{
	const int lane = lane_of(), place = place_of_machine(u);
	const int at = min(lane, q.jobs - 1) * SETS_STRIDE + place / 2;
	const uint32_t time = (block->sum[at] - block->before[at]) >> (place % 2 * 16) & 0xffff;
	uint16_t *bound = reinterpret_cast<uint16_t *>(q.bound) + place;

#pragma unroll
	for (int w = 0; w < SETS_FEW_WORDS; w++) {
		const uint32_t part =
			lane < q.jobs ? members_of(left + 2 * w, (uint32_t)lane) * time : 0;
		const uint32_t e =
			__vmaxu2(greatest(best[w]), both(q.tail[u])) + __reduce_add_sync(~0u, part);

		if (lane < 2)
			bound[(size_t)(lane ? number[2 * w + 1] : number[2 * w]) * SETS_MACHINES] =
				(uint16_t)(e >> (16 * lane));
	}
}

/* A task: 8 sets, machines u and 19 - u. The first 19 - u lanes have the pairs of u. */
static __device__ __forceinline__ void
build_few(const struct sets_search &q, const sets_block *block, uint32_t missing, uint32_t task)
{
	const int lane = lane_of(), low = (int)(task % SETS_WORDS), high = SETS_MACHINES - 1 - low;
	const bool of_low = lane < high;
	const int u = of_low ? low : high, v = of_low ? low + 1 + lane : lane + 1;
	const bool busy = v < SETS_MACHINES;
	const uint32_t tail = busy ? both(q.tail[v]) : 0, all = (1u << q.jobs) - 1;
	uint32_t number[SETS_FEW_TOGETHER], left[SETS_FEW_TOGETHER];
	uint32_t y[SETS_FEW_WORDS], other[SETS_FEW_WORDS];

#pragma unroll
	for (int i = 0; i < SETS_FEW_TOGETHER; i++) {
		number[i] = q.missing[min(task / SETS_WORDS * SETS_FEW_TOGETHER + (uint32_t)i,
					  missing - 1)];
		left[i] = all & ~q.set_of[number[i]];
	}
	pass_few(q, busy ? u : 0, busy ? v : 1, left, y);
#pragma unroll
	for (int k = 0; k < SETS_FEW_WORDS; k++) {
		const uint32_t value = busy ? y[k] + tail : 0;

		y[k] = of_low ? value : 0;
		other[k] = of_low ? 0 : value;
	}
#pragma unroll 1
	for (int turn = 0; turn < 2; turn++) {
		store_few(q, block, number, left, y, turn ? high : low);
#pragma unroll
		for (int k = 0; k < SETS_FEW_WORDS; k++)
			y[k] = other[k];
	}
}

/* ---- both ---- */

static __device__ __forceinline__ bool few_missing(uint32_t missing)
{
	return missing <= 4 * warps_of_grid();
}

static __device__ __forceinline__ uint32_t bound_tasks(uint32_t missing)
{
	if (few_missing(missing))
		return (missing + SETS_FEW_TOGETHER - 1) / SETS_FEW_TOGETHER * SETS_WORDS;
	return (missing + SETS_BUILT_TOGETHER - 1) / SETS_BUILT_TOGETHER * SETS_MACHINES;
}

static __device__ __forceinline__ void build_bounds(const struct sets_search &q,
						    const sets_block *block, sets_members *space,
						    uint32_t missing, uint32_t task)
{
	if (few_missing(missing))
		build_few(q, block, missing, task);
	else
		build_many(q, block, space, missing, task);
}

#endif
