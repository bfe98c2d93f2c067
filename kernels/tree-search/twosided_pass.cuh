/* Bounds of two children of K nodes at once, on both sides: see twosided.h. */
#ifndef COPRA_KERNELS_TREE_SEARCH_TWOSIDED_PASS_CUH
#define COPRA_KERNELS_TREE_SEARCH_TWOSIDED_PASS_CUH

#include "kernels/tree-search/twosided_common.cuh"

static __device__ __forceinline__ uint32_t word_of(const uint4 &v, int i)
{
	return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

/* Where the entry of machines u, u + 1 is. */
static __device__ __forceinline__ constexpr int first_entry(int u)
{
	return (SETS_MACHINES - 1) * u - u * (u - 1) / 2;
}

/* All unrolled: two loops over parts of the pairs, with half as much code, take 11 % longer.
 *
 * `pair`: of the two children; `node`: the first one's spread row, the others `apart` words from
 * each other. begin[], end[]: LB2 of both children in the halves, put at the front, at the end. */
template <int K>
static __device__ __forceinline__ void bound_both(const uint32_t *pair, const uint32_t *node,
						  int apart, uint32_t (&begin)[K],
						  uint32_t (&end)[K])
{
	const uint4 *entries = reinterpret_cast<const uint4 *>(pair);
	uint32_t back[K][SETS_MACHINES], g[K][SETS_MACHINES], front[K], late[K];
	uint4 entry = make_uint4(0, 0, 0, 0), times = entry, f[K];

#pragma unroll
	for (int k = 0; k < K; k++) {
		words_load<SETS_MACHINES>(node + k * apart + SETS_MACHINES, back[k]);
		begin[k] = end[k] = front[k] = late[k] = 0;
		f[k] = entry;
	}
#pragma unroll
	for (int u = 0; u < SETS_MACHINES; u++) {
		uint32_t start[K], h[K];

		if (u % 2 == 0)
			times = entries[TWOSIDED_TIMES / 4 + u / 2];
		const uint32_t rem = word_of(times, u % 2 * 2),
			       time = word_of(times, u % 2 * 2 + 1);
#pragma unroll
		for (int k = 0; k < K; k++) {
			if (u % 4 == 0)
				f[k] = reinterpret_cast<const uint4 *>(node + k * apart)[u / 4];
			const uint32_t at = word_of(f[k], u % 4);

			start[k] = at + rem;
			late[k] =
				(u ? __vimax3_s16x2(late[k], g[k][u], start[k]) : start[k]) + time;
			end[k] = __viaddmax_s16x2(late[k], back[k][u], end[k]);
			front[k] = __vmaxs2(front[k], at) + time;
			h[k] = back[k][u];
		}
#pragma unroll
		for (int v = u + 1; v < SETS_MACHINES; v++) {
			const int e = first_entry(u) + v - u - 1;

			if (e % 4 == 0)
				entry = entries[e / 4];
			const uint32_t y = word_of(entry, e % 4);
#pragma unroll
			for (int k = 0; k < K; k++) {
				g[k][v] = u ? __viaddmax_s16x2(start[k], y, g[k][v]) : start[k] + y;
				h[k] = __viaddmax_s16x2(y, back[k][v], h[k]);
			}
		}
#pragma unroll
		for (int k = 0; k < K; k++)
			begin[k] = __viaddmax_s16x2(front[k] + rem, h[k], begin[k]);
	}
}

#endif
