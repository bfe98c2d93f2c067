/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Fused pass: a group of items of any weights, through shared memory.
 *
 * A block holds a window of f in shared memory, and each thread also holds its own neighbouring
 * cells in registers. An item costs a cell one shared load (f at c - w), one add-max and one shared
 * store. Two items whose weights are nearly equal, as neighbours in ascending order mostly are,
 * together cost two loads, three add-max and one store. Four items of equal weight cost four loads,
 * four add-max and one store. So each item costs each live cell at least one add-max, as published,
 * but the values of f between the items of a pair or a four are not stored. Equal weights matter
 * only for fours; pairs do not need them.
 *
 * An odd number of cells per thread keeps a warp's accesses in different banks. The first cells of
 * the window, as many as the sum of the weights so far, are dead: what they depend on was not read.
 * Warps whose cells are all dead skip the item; live cells read live cells only. */
#include "kernels/dp-knapsack/tuned_tile.cuh"

enum { FUSED_EQUAL = 4 }; /* items of equal weight applied at once */

/* cells per thread */
template <class V> struct fused_cells {
	static constexpr int count =
		sizeof(V) == 4 ? DP_TUNED_FUSED_CELLS : DP_TUNED_FUSED_CELLS_64;
};

/* cells per 16-byte copy */
template <class V> struct fused_unit {
	static constexpr int count = 16 / (int)sizeof(V);
};

/* Cells of the guard before the window, in whole units. */
template <class V> struct fused_guard {
	static constexpr int count = (fused_cells<V>::count + fused_unit<V>::count - 1) /
				     fused_unit<V>::count * fused_unit<V>::count;
};

/* Copies the `count` cells from `from` on, all of which exist. Window and source have the same
 * offset from a multiple of 16 bytes: `lead` cells. */
template <class V>
static __device__ __forceinline__ void fused_copy(const V *from, int lead, int count, V *window)
{
	constexpr int unit = fused_unit<V>::count;
	const int whole = lead + (count - lead) / unit * unit;

	for (int x = lead + (int)threadIdx.x * unit; x < whole; x += (int)blockDim.x * unit)
		copy_async_16(window + x, from + x);
	copy_async_commit();
	for (int x = (int)threadIdx.x; x < lead; x += (int)blockDim.x)
		window[x] = __ldcg(from + x);
	for (int x = whole + (int)threadIdx.x; x < count; x += (int)blockDim.x)
		window[x] = __ldcg(from + x);
}

/* Copies the cells start .. last to shared memory and fills the guard before them and the rest
 * after them with `none`. Returns the window, which is placed so that most of the copy uses 16
 * bytes at a time. */
template <class V>
static __device__ __forceinline__ V *fused_load(const tile_source<V> &source, int32_t start,
						int32_t last, V *storage)
{
	constexpr int unit = fused_unit<V>::count;
	const int size = (int)blockDim.x * fused_cells<V>::count;
	const int count = last - start + 1;
	const bool plain = source.owners == 1 && start >= 0 && last <= source.saturated;
	const V *from = plain ? source.at(start) : NULL;
	const int shift = (int)((uintptr_t)from / sizeof(V) % unit);
	const int lead = (unit - shift) % unit;
	V *window = storage + fused_guard<V>::count + shift;

	if (plain)
		fused_copy(from, lead < count ? lead : count, count, window);
	for (int x = (int)threadIdx.x; !plain && x < count; x += (int)blockDim.x)
		window[x] = source.read(start + x);
	for (int x = count + (int)threadIdx.x; x < size; x += (int)blockDim.x)
		window[x] = dp_none<V>::value;
	for (int x = (int)threadIdx.x; x < fused_cells<V>::count; x += (int)blockDim.x)
		window[-1 - x] = dp_none<V>::value;
	copy_async_wait<0>();
	__syncthreads();
	return window;
}

/* The guard: what a thread of a dead warp, or a dead thread of a live warp, may read instead of
 * cells before the window. */
static __device__ __forceinline__ int fused_from(int first, int weight, int guard)
{
	return first - weight > -guard ? first - weight : -guard;
}

template <int R, class V>
static __device__ __forceinline__ void fused_one(V (&v)[R], const V *window, int first, int w,
						 V gain)
{
	const V *from = window + fused_from(first, w, R);

#pragma unroll
	for (int i = 0; i < R; i++)
		v[i] = add_max(from[i], gain, v[i]);
}

/* Two items of weights w and w + D at once. What the heavier one reads for a cell, the lighter one
 * reads for the cell D above, so one load serves both. A second load covers the case that both are
 * taken. */
template <int D, int R, class V>
static __device__ __forceinline__ void fused_two(V (&v)[R], const V *window, int first, int w,
						 V light, V heavy)
{
	const V *from = window + fused_from(first, w + D, R);
	const V *both = window + fused_from(first, 2 * w + D, R);
	V near[R + D];

#pragma unroll
	for (int i = 0; i < D; i++)
		near[i] = from[i];
#pragma unroll
	for (int i = 0; i < R; i++) {
		near[i + D] = from[i + D];
		v[i] = add_max(near[i], heavy, v[i]);
		v[i] = add_max(near[i + D], light, v[i]);
		v[i] = add_max(both[i], (V)(light + heavy), v[i]);
	}
}

/* N items of weight w in order of descending profit. The best k of them are the first k, and any k
 * of them read f at c - k w. */
template <int N, int R, class V>
static __device__ __forceinline__ void fused_equal(V (&v)[R], const V *window, int first, int w,
						   const V *gain)
{
	const V *from[N];
	V total[N];

#pragma unroll
	for (int k = 0; k < N; k++) {
		from[k] = window + fused_from(first, (k + 1) * w, R);
		total[k] = __ldg(gain + k) + (k > 0 ? total[k > 0 ? k - 1 : 0] : 0);
	}
#pragma unroll
	for (int i = 0; i < R; i++) {
#pragma unroll
		for (int k = 0; k < N; k++)
			v[i] = add_max(from[k][i], total[k], v[i]);
	}
}

/* The items applied at once: how many, and how far apart their weights are. */
struct fused_step {
	int taken, apart, weight; /* weight: the sum of their weights */
};

/* The next group if `left` items are left. */
static __device__ __forceinline__ fused_step fused_next(const int32_t *weight, int left)
{
	const int w = __ldg(weight);
	const int apart = left > 1 ? __ldg(weight + 1) - w : -1;

	/* the order is ascending, so those between are equal too */
	if (left >= FUSED_EQUAL && __ldg(weight + FUSED_EQUAL - 1) == w)
		return { FUSED_EQUAL, 0, FUSED_EQUAL * w };
	if (apart >= 0 && apart <= 2)
		return { 2, apart, 2 * w + apart };
	return { 1, 0, w };
}

/* One step from the window into v. */
template <int R, class V>
static __device__ __forceinline__ void fused_apply(V (&v)[R], const V *window, int first, int w,
						   const V *gain, fused_step step)
{
	if (step.taken == FUSED_EQUAL)
		fused_equal<FUSED_EQUAL>(v, window, first, w, gain);
	else if (step.taken == 1)
		fused_one(v, window, first, w, __ldg(gain));
	else if (step.apart == 0)
		fused_two<0>(v, window, first, w, __ldg(gain), __ldg(gain + 1));
	else if (step.apart == 1)
		fused_two<1>(v, window, first, w, __ldg(gain), __ldg(gain + 1));
	else
		fused_two<2>(v, window, first, w, __ldg(gain), __ldg(gain + 1));
}

template <class V>
static __device__ __forceinline__ void fused_items(const struct dp_tuned_run &run,
						   const struct dp_tuned_pass &p, V *window)
{
	constexpr int R = fused_cells<V>::count;
	const V *gain = static_cast<const V *>(run.gain) + p.op_first;
	const int32_t *weight = run.shift + p.op_first;
	const int first = (int)threadIdx.x * R;
	const int warp_end = ((int)threadIdx.x | (warpSize - 1)) * R + R;
	V *mine = window + first;
	V v[R];
	int dead = 0;
	fused_step step;

#pragma unroll
	for (int i = 0; i < R; i++)
		v[i] = mine[i];
	for (int j = 0; j < p.op_count; j += step.taken) {
		step = fused_next(weight + j, p.op_count - j);
		dead += step.weight;
		if (dead < warp_end)
			fused_apply(v, window, first, __ldg(weight + j), gain + j, step);
		__syncthreads();
		if (dead < warp_end) {
#pragma unroll
			for (int i = 0; i < R; i++)
				mine[i] = v[i];
		}
		__syncthreads();
	}
}

template <class V>
static __device__ __noinline__ void fused_tile(const struct dp_tuned_run &run,
					       struct tile_head *head, V *storage)
{
	const struct dp_tuned_pass &p = head->here;
	const int band = p.bands - 1 - head->tile;
	const int32_t first = p.low + band * p.band_cells;
	const int32_t last = p.low + p.cells - 1 - first < p.band_cells ? p.low + p.cells - 1 :
									  first + p.band_cells - 1;

	tile_wait(run, head->pass, first - p.halo, last);
	V *window = fused_load(tile_source<V>(run, head, first - p.halo, last), first - p.halo,
			       last, storage);
	fused_items(run, p, window);
	V *to = static_cast<V *>(run.cell[run.self]) + p.store;
	for (int32_t c = first + (int)threadIdx.x; c <= last; c += (int)blockDim.x)
		__stcg(to + c, window[c - first + p.halo]);
	tile_done(run, p, band);
}

template <class V>
static __global__ void __launch_bounds__(DP_TUNED_THREADS, 1)
	fused_kernel(const __grid_constant__ struct dp_tuned_run run)
{
	SHARED_MEMORY(unsigned char, shared);
	struct tile_head *head = reinterpret_cast<struct tile_head *>(shared);

	if (threadIdx.x == 0)
		head->pass = 0;
	__syncthreads(); /* as in chain_run */
	while (tile_next(run, head))
		fused_tile(run, head, reinterpret_cast<V *>(shared + TILE_HEAD_BYTES));
}

template <class V>
static int fused_launch(struct dev_stream *s, const struct dp_tuned_run *r, int blocks, int threads,
			struct err *e)
{
	size_t cells = (size_t)threads * fused_cells<V>::count + fused_guard<V>::count +
		       fused_unit<V>::count;

	return LAUNCH(e, fused_kernel<V>, blocks, threads, TILE_HEAD_BYTES + cells * sizeof(V), s,
		      *r);
}

extern "C" int BACKEND_SYMBOL(dp_tuned_fused_pass)(struct dev_stream *s,
						   const struct dp_tuned_run *r, int blocks,
						   int threads, struct err *e)
{
	return r->cells_64 ? fused_launch<int64_t>(s, r, blocks, threads, e) :
			     fused_launch<int32_t>(s, r, blocks, threads, e);
}
