/* Rows of the bound table: 128 sets a warp, four a lane in the halves of two words; for each machine u, all pairs
 * (u, v) step through Johnson's order, which is the same for all lanes.
 *
 * With w the sum over the jobs passed of (time on u - time on v) and y the maximum of w + time on u + lag of
 * the jobs in the set, C_uv = y - w + sum of times on u. A job that is not in the set is multiplied by 0; its w
 * alone never exceeds y. Halves are kept positive by an offset, so that plain 32-bit sums serve both. */
#ifndef COPRA_KERNELS_HELBECQUE_SETS_BOUND_CUH
#define COPRA_KERNELS_HELBECQUE_SETS_BOUND_CUH

#include "kernels/helbecque-pool/sets_common.cuh"

enum { SETS_BUILT_TOGETHER = 128, SETS_BUILD_TASKS = SETS_MACHINES / 2 };

/* The warp's space: members[job] of all lanes, and the steps of two pairs of machines that take turns. */
struct sets_members {
	uint2 member[SETS_JOBS * 32];
	uint2 step[2][32];
};

static __device__ __forceinline__ uint2 fetch_step(const struct sets_search &q, int u, int v)
{
	const uint2 *step = reinterpret_cast<const uint2 *>(q.step + (u * SETS_MACHINES + v) * q.jobs);

	return lane_of() < q.jobs && v < SETS_MACHINES ? __ldg(step + lane_of()) : make_uint2(0, 0);
}

/* y - w of all four sets, in the halves. */
static __device__ __forceinline__ uint2 pass(const uint2 *member, const uint2 *step, int jobs)
{
	uint2 w = make_uint2(0x80008000u, 0x80008000u), y = w;

#pragma unroll 5
	for (int i = 0; i < jobs; i++) {
		const uint2 c = step[i], m = member[c.x & 0xffff];
		const uint32_t rise = c.x >> 16;

		y.x = __vmaxu2(y.x, w.x + m.x * rise);
		y.y = __vmaxu2(y.y, w.y + m.y * rise);
		w.x += m.x * c.y;
		w.y += m.y * c.y;
	}
	return make_uint2(y.x - w.x, y.y - w.y);
}

/* E[.][u] of the lane's sets. */
static __device__ __forceinline__ uint2 bounds_of_machine(const struct sets_search &q, const sets_block *block,
							  sets_members *space, int u)
{
	const int place = place_of_machine(u);
	const int shift = place % 2 * 16;

	const uint2 *member = space->member + lane_of();
	uint2 work = make_uint2(0, 0), best = make_uint2(both(q.tail[u]), both(q.tail[u]));
	uint2 step = fetch_step(q, u, u + 1);

	for (int j = 0; j < q.jobs; j++) {
		const int at = j * SETS_STRIDE + place / 2;
		const uint32_t p = (block->sum[at] - block->before[at]) >> shift & 0xffff;

		work.x += member[j * 32].x * p;
		work.y += member[j * 32].y * p;
	}
	for (int v = u + 1; v < SETS_MACHINES; v++) {
		const uint32_t tail = both(q.tail[v]);

		space->step[v % 2][lane_of()] = step;
		__syncwarp();
		step = fetch_step(q, u, v + 1);
		uint2 c = pass(member, space->step[v % 2], q.jobs);

		best.x = __vmaxu2(best.x, c.x + tail);
		best.y = __vmaxu2(best.y, c.y + tail);
	}
	__syncwarp();
	return make_uint2(best.x + work.x, best.y + work.y);
}

static __device__ __forceinline__ uint32_t build_tasks(uint32_t missing)
{
	return (missing + SETS_BUILT_TOGETHER - 1) / SETS_BUILT_TOGETHER * SETS_BUILD_TASKS;
}

/* A task: 128 sets, machines u and 19 - u, which have 19 pairs together. */
static __device__ __forceinline__ void build_bounds(const struct sets_search &q, const sets_block *block,
						    sets_members *space, uint32_t missing, uint32_t task)
{
	const uint32_t all = (1u << q.jobs) - 1;
	const uint32_t at = task / SETS_BUILD_TASKS * SETS_BUILT_TOGETHER + (uint32_t)lane_of();
	uint16_t *bound = reinterpret_cast<uint16_t *>(q.bound);
	uint32_t number[4], left[4];

#pragma unroll
	for (int i = 0; i < 4; i++) {
		number[i] = q.missing[min(at + 32 * (uint32_t)i, missing - 1)];
		left[i] = all & ~q.set_of[number[i]];
	}
	for (int j = 0; j < q.jobs; j++)
		space->member[j * 32 + lane_of()] =
		    make_uint2((left[0] >> j & 1) | (left[1] >> j & 1) << 16,
			       (left[2] >> j & 1) | (left[3] >> j & 1) << 16);
	for (int turn = 0; turn < 2; turn++) {
		int u = (int)(task % SETS_BUILD_TASKS);

		u = turn ? SETS_MACHINES - 1 - u : u;
		uint2 e = bounds_of_machine(q, block, space, u);

#pragma unroll
		for (int i = 0; i < 4; i++)
			bound[(size_t)number[i] * SETS_MACHINES + place_of_machine(u)] =
			    (uint16_t)((i < 2 ? e.x : e.y) >> (i % 2 * 16));
	}
}

#endif
