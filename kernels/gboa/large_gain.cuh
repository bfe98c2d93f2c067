/* The best parent of each row, from counts: a block a row, threads over the candidates.
 *
 * `parents` = T the row has already: 2^T configurations, two counts for each. */
#ifndef COPRA_KERNELS_GBOA_LARGE_GAIN_CUH
#define COPRA_KERNELS_GBOA_LARGE_GAIN_CUH

#include "algorithms/gboa/k2.h"
#include "kernels/common/gpu.cuh"
#include "kernels/gboa/large.h"

enum { GAIN_BLOCK = 256, GAIN_WARPS = GAIN_BLOCK / 32 };

/* From the first count of a row of tiles to that of a column. */
static __device__ __forceinline__ size_t across(int32_t column)
{
	return (size_t)(column / LARGE_TILE) * LARGE_CELLS + (size_t)(column % LARGE_TILE);
}

/* Individuals with ones in both. */
static __device__ __forceinline__ uint32_t pair_of(const large_rows &q, int32_t a, int32_t b)
{
	int32_t row = max(a, b);
	size_t tiles = (size_t)large_tiles(row / LARGE_TILE) * LARGE_CELLS;

	return (uint32_t)
		q.pairs[tiles + (size_t)(row % LARGE_TILE) * LARGE_TILE + across(min(a, b))];
}

/* Of individuals with ones in all of S, and maybe more, to those of exactly S. */
template <int T> static __device__ __forceinline__ void to_exact(uint32_t (&count)[1 << T])
{
#pragma unroll
	for (int bit = 1; bit < 1 << T; bit *= 2)
#pragma unroll
		for (int set = 0; set < 1 << T; set++)
			if (!(set & bit))
				count[set] -= count[set | bit];
}

template <int T> struct gain_family {
	int32_t parent[T > 0 ? T : 1];
	const int32_t
		*counts[T > 0 ? T : 1]; /* of the row, in the first product that a parent added */
	uint32_t all[1 << T], ones[1 << T]; /* individuals of each configuration; with a one in x */
	uint32_t base;                      /* the score as it is */
};

template <int T>
static __device__ __forceinline__ void gain_family_of(gain_family<T> *f, const large_rows &q,
						      int32_t r)
{
	const uint32_t *totals = q.totals + ((size_t)r << (q.k + 1));

	for (int i = 0; i < T; i++) {
		f->parent[i] = q.parents[(size_t)r * q.k + i];
		f->counts[i] = q.counts + (size_t)large_products_before(i + 1) * q.counts_step +
			       q.where[(size_t)i * q.n + r];
	}
	f->all[0] = (uint32_t)q.selected;
	f->ones[0] = pair_of(q, r, r);
	for (int set = 1; set < 1 << T; set++) {
		f->all[set] = totals[set * 2];
		f->ones[set] = totals[set * 2 + 1];
	}
	to_exact<T>(f->all);
	to_exact<T>(f->ones);
	f->base = 0;
	for (int a = 0; a < 1 << T; a++)
		f->base += k2_cell(q.ln_factorial, f->all[a] - f->ones[a], f->ones[a]);
}

/* Individuals with ones in u and in all of a set S of parents: [0], and in x as well: [1]. The
 * newest parent of S has added that product, `rest` are those before it. */
template <int T>
static __device__ __forceinline__ void counts_of(const large_rows &q, const gain_family<T> &f,
						 int32_t u, int set, uint32_t (&count)[2])
{
	int newest = set >> 5 ? 5 : set >> 4 ? 4 : set >> 3 ? 3 : set >> 2 ? 2 : set >> 1;
	int rest = set ^ 1 << newest;
	const int32_t *with = f.counts[newest] + (size_t)(2 * rest) * q.counts_step + across(u);

	count[0] = rest ? (uint32_t) * (with - q.counts_step) : pair_of(q, f.parent[newest], u);
	count[1] = (uint32_t)*with;
}

template <int T>
static __device__ __forceinline__ int32_t gain_of(const large_rows &q, const gain_family<T> &f,
						  int32_t r, int32_t u)
{
	uint32_t there[1 << T], both[1 << T], score = 0u - f.base;

	there[0] = pair_of(q, u, u);
	both[0] = pair_of(q, r, u);
#pragma unroll
	for (int set = 1; set < 1 << T; set++) {
		uint32_t count[2];

		counts_of<T>(q, f, u, set, count);
		there[set] = count[0];
		both[set] = count[1];
	}
	to_exact<T>(there);
	to_exact<T>(both);
#pragma unroll
	for (int a = 0; a < 1 << T; a++) {
		uint32_t without = f.ones[a] - both[a];

		score += k2_cell(q.ln_factorial, there[a] - both[a], both[a]);
		score += k2_cell(q.ln_factorial, f.all[a] - there[a] - without, without);
	}
	return (int32_t)score;
}

template <int T>
static __device__ __forceinline__ bool is_parent(const gain_family<T> &f, int32_t u)
{
	bool is = false;

#pragma unroll
	for (int i = 0; i < T; i++)
		is |= f.parent[i] == u;
	return is;
}

static __device__ __forceinline__ uint64_t greatest_of_block(uint64_t key, uint64_t *room)
{
	for (int d = 16; d; d /= 2)
		key = max(key, __shfl_xor_sync(~0u, key, d));
	if (threadIdx.x % 32 == 0)
		room[threadIdx.x / 32] = key;
	__syncthreads();
	for (int w = 0; w < GAIN_WARPS; w++)
		key = max(key, room[w]);
	return key;
}

/* Of equal gains the lowest variable wins. */
template <int T> static __global__ void best_parents(const __grid_constant__ large_rows q)
{
	SHARED_MEMORY(uint64_t, room);
	gain_family<T> *f = (gain_family<T> *)(room + GAIN_WARPS);
	int32_t r = q.last - 1 - (int32_t)blockIdx.x; /* the longest rows first */

	if (q.parent_count[r] != T)
		return;
	if (threadIdx.x == 0)
		gain_family_of<T>(f, q, r);
	__syncthreads();
	gain_family<T> mine = *f;
	uint64_t best = 0;

	for (int32_t u = (int32_t)threadIdx.x; u < r; u += GAIN_BLOCK) {
		int32_t gain = gain_of<T>(q, mine, r, u);
		uint64_t key = (uint64_t)(uint32_t)gain << 32 | (uint32_t)~q.order[u];

		if (gain > 0 && !is_parent<T>(mine, u))
			best = max(best, key);
	}
	best = greatest_of_block(best, room);
	if (threadIdx.x || !best)
		return;
	q.parents[(size_t)r * q.k + T] = q.rank[~(uint32_t)best];
	q.parent_count[r] = T + 1;
}

#endif
