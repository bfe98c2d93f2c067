/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The warp operations of HIP's header, compared with sim's own. A wave is emulated by its warp on
 * sim: whatever the header reads from the other half of a wave of 64 lanes is garbage. */
#include "kernels/selftest/selftest.h"

#include "kernels/common/gpu.cuh"

#if defined(COPRA_SIM)

static const unsigned ALL = 0xffffffffu;

/* sim's operations, which the names below no longer mean once HIP's header is included */
static unsigned sim_votes(unsigned mask, int predicate)
{
	return __ballot_sync(mask, predicate);
}
template <class T> static T sim_shuffle(T v, int source)
{
	return __shfl_sync(ALL, v, source);
}

/* ---- the instructions of a wave ---- */

/* Lane numbers: those of a warp in a wave of 32 lanes, or the upper or lower half of a wave of 64.
 * The first warp of a block is a wave of 32, the others take turns in being the halves of one. */
static unsigned wave_lane()
{
	unsigned warp = threadIdx.x / 32;

	return threadIdx.x % 32 + (warp && warp % 2 == 0 ? 32 : 0);
}
static bool is_wide()
{
	return threadIdx.x / 32 > 0;
}
static unsigned long long wave_votes(int predicate)
{
	unsigned own = sim_votes(ALL, predicate);
	unsigned long long other = is_wide() ? own * 2654435761u ^ 0x5a5a5a5au : 0;

	return wave_lane() & 32 ? (unsigned long long)own << 32 | other : other << 32 | own;
}
static int wave_permute(int address, int v)
{
	unsigned source = (unsigned)address / 4;
	int got = sim_shuffle(v, (int)(source & 31));

	return source / 32 == wave_lane() / 32 ? got : 0x5a5a5a5a;
}
#define __builtin_amdgcn_mbcnt_lo(mask, add) wave_lane()
#define __builtin_amdgcn_mbcnt_hi(mask, add) (add)
#define __builtin_amdgcn_ds_bpermute wave_permute
#define __builtin_amdgcn_wave_barrier()
#define __builtin_amdgcn_fence(order, scope)
#define __ballot wave_votes

/* What sim computes for one set of arguments. */
struct expected {
	unsigned votes, same, lane_same;
	int shuffled, up, down, across;
	long long wide;
	int sum, least, most;
	unsigned both, either, odd;
	int any, all, alike;
};

/* The arguments of one round; `delta`, `width` and `lanes` are the same in all lanes of a warp. */
struct question {
	unsigned mask, delta;
	int width, v, source, lanes, predicate;
};

#define ANSWERS(name)                                                                              \
	static expected name(const question &q)                                                    \
	{                                                                                          \
		expected a;                                                                        \
		long long twice = (long long)q.v * 1048576;                                        \
		unsigned bits = (unsigned)q.v;                                                     \
		a.votes = __ballot_sync(q.mask, q.predicate);                                      \
		a.same = __match_any_sync(q.mask, q.v % 3);                                        \
		a.lane_same = __match_all_sync(q.mask, twice, &a.alike);                           \
		a.shuffled = __shfl_sync(ALL, q.v, q.source, q.width);                             \
		a.up = __shfl_up_sync(ALL, q.v, q.delta, q.width);                                 \
		a.down = __shfl_down_sync(ALL, q.v, q.delta, q.width);                             \
		a.across = __shfl_xor_sync(ALL, q.v, q.lanes, q.width);                            \
		a.wide = __shfl_sync(ALL, twice, q.source, q.width);                               \
		a.sum = __reduce_add_sync(q.mask, q.v);                                            \
		a.least = __reduce_min_sync(q.mask, q.v);                                          \
		a.most = __reduce_max_sync(q.mask, q.v);                                           \
		a.both = __reduce_and_sync(q.mask, bits);                                          \
		a.either = __reduce_or_sync(q.mask, bits);                                         \
		a.odd = __reduce_xor_sync(q.mask, bits);                                           \
		a.any = __any_sync(q.mask, q.predicate);                                           \
		a.all = __all_sync(q.mask, q.predicate);                                           \
		return a;                                                                          \
	}
ANSWERS(sim_answers)
#include "kernels/common/gpu_hip_warp.cuh"
ANSWERS(hip_answers)
#undef ANSWERS

static int differences(const expected &a, const expected &b)
{
	return (a.votes != b.votes) + (a.same != b.same) + (a.lane_same != b.lane_same) +
	       (a.shuffled != b.shuffled) + (a.up != b.up) + (a.down != b.down) +
	       (a.across != b.across) + (a.wide != b.wide) + (a.sum != b.sum) +
	       (a.least != b.least) + (a.most != b.most) + (a.both != b.both) +
	       (a.either != b.either) + (a.odd != b.odd) + (a.any != b.any) + (a.all != b.all) +
	       (a.alike != b.alike);
}

static unsigned mixed(unsigned x)
{
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return x ^ x >> 16;
}

/* In every fourth round all lanes have one value; in every third the mask is a half of the warp. */
static question ask(unsigned round)
{
	unsigned warp = threadIdx.x / 32, own = mixed(round * 128 + threadIdx.x);
	unsigned common = mixed(round * 4 + warp + 1000000);
	question q;

	q.mask = round % 3 ? ALL : threadIdx.x % 32 < 16 ? 0xffffu : 0xffff0000u;
	q.width = 1 << common % 6;
	q.delta = common >> 8 & (unsigned)(q.width - 1);
	q.v = (int)(round % 4 ? own : common);
	q.source = (int)(own >> 3 & 63);
	q.lanes = (int)(common >> 16 & 63);
	q.predicate = round % 5 ? own >> 9 & 1 : round & 1;
	return q;
}

static __global__ void hip_warp(int *wrong, unsigned rounds)
{
	for (unsigned round = 0; round < rounds; round++) {
		question q = ask(round);
		int n = differences(sim_answers(q), hip_answers(q));

		if (n)
			atomicAdd(wrong, n);
	}
}

int selftest_hip_warp_sim(struct dev_stream *s, int *wrong, unsigned rounds, struct err *e)
{
	return LAUNCH(e, hip_warp, 1, SELFTEST_BLOCK, 0, s, wrong, rounds);
}

#endif
