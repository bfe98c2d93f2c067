/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/common/gpu.cuh"

#include "kernels/dp-knapsack/wide.h"

static const int BLOCK = 256;
/* Cells per thread, BLOCK apart: enough independent loads to fill the memory pipeline. Eight were a
 * quarter slower on an H200, because they leave room for only half as many threads. */
static const int CELLS = 4;
static const int TILE = BLOCK * CELLS;

/* f before the launch's items. If a whole tile of cells is stored, its loads need no tests, and all
 * loads of a thread can be in flight at once. */
template <typename T> struct wide_cells {
	const T *f;
	int64_t first, top;
	T full;
	template <bool STORED> __device__ T at(int64_t c) const
	{
		if (STORED)
			return f[c - first];
		return c > top ? full : f[c - first];
	}
	/* f(c) + profit, or `otherwise` if c < 0 */
	template <bool STORED> __device__ T with(int64_t c, T profit, T otherwise) const
	{
		return STORED || c >= 0 ? at<STORED>(c) + profit : otherwise;
	}
};

template <typename T> struct wide_item {
	int64_t weight;
	T profit;
};

/* The place of the decision bits of a warp's 32 cells. */
struct wide_bits {
	uint32_t *words;
	int64_t first, row;
	__device__ void put(int64_t c, bool inside, bool first_taken, bool second_taken,
			    int items) const
	{
		const unsigned all = 0xffffffffu;
		unsigned any = __ballot_sync(all, inside);
		unsigned one = __ballot_sync(all, first_taken);
		unsigned two = __ballot_sync(all, second_taken);
		if (threadIdx.x % 32 || !any)
			return;
		int64_t word = (c - first) / 32;
		words[word] = one;
		if (items == 2)
			words[word + row] = two;
	}
};

/* Whether the tile's cells [from, from + TILE) are all inside [lo, end), all stored, and none below
 * `weight`. */
static __device__ bool wide_interior(int64_t from, int64_t lo, int64_t end, int64_t top,
				     int64_t weight)
{
	return from >= lo && from >= weight && from + TILE <= end && from + TILE - 1 <= top;
}

template <bool INTERIOR, typename T>
static __device__ void single_tile(wide_cells<T> in, wide_cells<T> below, T *out, int64_t from,
				   int64_t lo, int64_t end, wide_item<T> a, wide_bits bits)
{
	T old[CELLS], with[CELLS];
#pragma unroll
	for (int u = 0; u < CELLS; u++) {
		int64_t c = from + u * BLOCK + threadIdx.x;
		bool inside = INTERIOR || (c >= lo && c < end);
		old[u] = inside ? in.template at<INTERIOR>(c) : 0;
		with[u] =
			inside ? below.template with<INTERIOR>(c - a.weight, a.profit, old[u]) : 0;
	}
#pragma unroll
	for (int u = 0; u < CELLS; u++) {
		int64_t c = from + u * BLOCK + threadIdx.x;
		bool inside = INTERIOR || (c >= lo && c < end), take = with[u] > old[u];
		if (inside && (take || c > in.top || out != in.f))
			out[c - in.first] = take ? with[u] : old[u];
		if (bits.words)
			bits.put(c, inside, take, false, 1);
	}
}

template <typename T>
static __global__ void wide_single(wide_cells<T> in, wide_cells<T> below, T *out, int64_t lo,
				   int64_t end, wide_item<T> a, wide_bits bits)
{
	int64_t from = (lo & ~(int64_t)31) + (int64_t)blockIdx.x * TILE;
	if (wide_interior(from, lo, end, in.top, a.weight))
		single_tile<true>(in, below, out, from, lo, end, a, bits);
	else
		single_tile<false>(in, below, out, from, lo, end, a, bits);
}

template <bool INTERIOR, typename T>
static __device__ void pair_tile(wide_cells<T> in, T *out, int64_t from, int64_t lo, int64_t end,
				 wide_item<T> a, wide_item<T> b, wide_bits bits)
{
	int64_t both = a.weight + b.weight;
	T old[CELLS], x[CELLS], y[CELLS], z[CELLS];
#pragma unroll
	for (int u = 0; u < CELLS; u++) {
		int64_t c = from + u * BLOCK + threadIdx.x;
		bool inside = INTERIOR || (c >= lo && c < end);
		T o = old[u] = inside ? in.template at<INTERIOR>(c) : 0;
		x[u] = inside ? in.template with<INTERIOR>(c - a.weight, a.profit, o) : 0;
		y[u] = inside ? in.template with<INTERIOR>(c - b.weight, b.profit, o) : 0;
		z[u] = inside && (INTERIOR || c >= both) ?
			       in.template at<INTERIOR>(c - both) + a.profit + b.profit :
			       o;
	}
#pragma unroll
	for (int u = 0; u < CELLS; u++) {
		int64_t c = from + u * BLOCK + threadIdx.x;
		bool inside = INTERIOR || (c >= lo && c < end);
		T best = old[u];
		unsigned taken = 0;
		if (x[u] > best)
			best = x[u], taken = 1;
		if (y[u] > best)
			best = y[u], taken = 2;
		if (z[u] > best)
			best = z[u], taken = 3;
		if (inside && (taken || c > in.top || out != in.f))
			out[c - in.first] = best;
		if (bits.words)
			bits.put(c, inside, taken & 1, taken & 2, 2);
	}
}

template <typename T>
static __global__ void wide_pair(wide_cells<T> in, T *out, int64_t lo, int64_t end, wide_item<T> a,
				 wide_item<T> b, wide_bits bits)
{
	int64_t from = (lo & ~(int64_t)31) + (int64_t)blockIdx.x * TILE;
	if (wide_interior(from, lo, end, in.top, a.weight + b.weight))
		pair_tile<true>(in, out, from, lo, end, a, b, bits);
	else
		pair_tile<false>(in, out, from, lo, end, a, b, bits);
}

template <typename T>
static int launch_pass(struct dev_stream *s, const struct dp_wide_launch *p, struct err *e)
{
	int64_t blocks = (p->end - (p->lo & ~(int64_t)31) + TILE - 1) / TILE;
	if (blocks > INT32_MAX)
		return err_set(e, ERR_UNSUPPORTED, "%lld cells need more blocks than a grid holds",
			       (long long)(p->end - p->lo));
	wide_cells<T> in = { (const T *)p->in, p->in_first, p->top, (T)p->full };
	wide_item<T> a = { p->weight[0], (T)p->profit[0] }, b = { p->weight[1], (T)p->profit[1] };
	wide_bits bits = { p->bits, p->bits_first, p->bits_row };
	if (p->items == 2)
		return LAUNCH(e, wide_pair<T>, (unsigned)blocks, BLOCK, 0, s, in, (T *)p->out,
			      p->lo, p->end, a, b, bits);
	wide_cells<T> below = { (const T *)p->below, p->below_first, p->top, (T)p->full };
	return LAUNCH(e, wide_single<T>, (unsigned)blocks, BLOCK, 0, s, in, below, (T *)p->out,
		      p->lo, p->end, a, bits);
}

static int pass(struct dev_stream *s, const struct dp_wide_launch *p, struct err *e)
{
	if (p->lo >= p->end)
		return 0;
	return p->cells_64 ? launch_pass<int64_t>(s, p, e) : launch_pass<int32_t>(s, p, e);
}

template <typename T>
static __global__ void wide_best(const T *a, const T *b, int64_t capacity, int64_t lo, int64_t hi,
				 int64_t *value, int64_t *at)
{
	SHARED_MEMORY(int64_t, shared);
	int64_t *sum = shared, *where = shared + BLOCK;
	int t = (int)threadIdx.x;
	int64_t best = -1, best_at = lo;
	for (int64_t c = lo + (int64_t)blockIdx.x * BLOCK + t; c <= hi;
	     c += (int64_t)gridDim.x * BLOCK) {
		int64_t v = (int64_t)a[c] + b[capacity - c];
		if (v > best) {
			best = v;
			best_at = c;
		}
	}
	sum[t] = best;
	where[t] = best_at;
	__syncthreads();
	for (int half = BLOCK / 2; half > 0; half /= 2) {
		if (t < half && sum[t + half] > sum[t]) {
			sum[t] = sum[t + half];
			where[t] = where[t + half];
		}
		__syncthreads();
	}
	if (t == 0) {
		value[blockIdx.x] = sum[0];
		at[blockIdx.x] = where[0];
	}
}

static int best(struct dev_stream *s, const struct dp_wide_best *p, int *blocks, struct err *e)
{
	int64_t wanted = (p->hi - p->lo) / BLOCK + 1;
	size_t shared = 2 * BLOCK * sizeof(int64_t);
	*blocks = wanted < DP_WIDE_BEST_BLOCKS ? (int)wanted : (int)DP_WIDE_BEST_BLOCKS;
	if (p->cells_64)
		return LAUNCH(e, wide_best<int64_t>, *blocks, BLOCK, shared, s,
			      (const int64_t *)p->a, (const int64_t *)p->b, p->capacity, p->lo,
			      p->hi, p->value, p->at);
	return LAUNCH(e, wide_best<int32_t>, *blocks, BLOCK, shared, s, (const int32_t *)p->a,
		      (const int32_t *)p->b, p->capacity, p->lo, p->hi, p->value, p->at);
}

extern "C" const struct dp_wide_kernels BACKEND_SYMBOL(dp_wide_kernels) = { pass, best };
