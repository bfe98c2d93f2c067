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

/* E[.][u] of the lane's sets, whose jobs are in member[job * 32]. */
static __device__ __forceinline__ uint2 bounds_of_machine(const struct sets_search &q, const sets_block *block,
							  const uint2 *member, int u)
{
	const uint32_t offset = 0x80008000u;
	uint2 work = make_uint2(0, 0), best = make_uint2(both(q.tail[u]), both(q.tail[u]));

	for (int j = 0; j < q.jobs; j++) {
		uint32_t p = block->time[j * SETS_WORDS + u / 2] >> (u % 2 * 16) & 0xffff;

		work.x += member[j * 32].x * p;
		work.y += member[j * 32].y * p;
	}
	for (int v = u + 1; v < SETS_MACHINES; v++) {
		const struct sets_step *step = q.step + (u * SETS_MACHINES + v) * q.jobs;
		const uint32_t tail = both(q.tail[v]);
		uint2 w = make_uint2(offset, offset), y = w;

#pragma unroll 4
		for (int i = 0; i < q.jobs; i++) {
			const uint4 c = __ldg(reinterpret_cast<const uint4 *>(step + i));
			const uint2 m = member[c.x * 32];

			y.x = __vmaxu2(y.x, w.x + m.x * c.y);
			y.y = __vmaxu2(y.y, w.y + m.y * c.y);
			w.x += m.x * c.z;
			w.y += m.y * c.z;
		}
		best.x = __vmaxu2(best.x, y.x - w.x + tail);
		best.y = __vmaxu2(best.y, y.y - w.y + tail);
	}
	return make_uint2(best.x + work.x, best.y + work.y);
}

static __device__ __forceinline__ void build_bounds(const struct sets_search &q, const sets_block *block,
						    uint2 *space, uint32_t missing)
{
	const int lane = lane_of();
	const uint32_t all = (1u << q.jobs) - 1;
	const uint32_t tasks = (missing + SETS_BUILT_TOGETHER - 1) / SETS_BUILT_TOGETHER * SETS_BUILD_TASKS;
	uint2 *member = space + lane;
	uint16_t *bound = reinterpret_cast<uint16_t *>(q.bound);

	for (uint32_t task = warp_of_grid(); task < tasks; task += warps_of_grid()) {
		uint32_t at = task / SETS_BUILD_TASKS * SETS_BUILT_TOGETHER + (uint32_t)lane;
		uint32_t number[4], left[4];

#pragma unroll
		for (int i = 0; i < 4; i++) {
			number[i] = q.missing[min(at + 32 * (uint32_t)i, missing - 1)];
			left[i] = all & ~q.set_of[number[i]];
		}
		for (int j = 0; j < q.jobs; j++)
			member[j * 32] = make_uint2((left[0] >> j & 1) | (left[1] >> j & 1) << 16,
						    (left[2] >> j & 1) | (left[3] >> j & 1) << 16);
		for (int turn = 0; turn < 2; turn++) {
			int u = (int)(task % SETS_BUILD_TASKS);

			u = turn ? SETS_MACHINES - 1 - u : u;
			uint2 e = bounds_of_machine(q, block, member, u);

			for (int i = 0; i < 4; i++)
				bound[(size_t)number[i] * SETS_MACHINES + u] =
				    (uint16_t)((i < 2 ? e.x : e.y) >> (i % 2 * 16));
		}
	}
}

#endif
