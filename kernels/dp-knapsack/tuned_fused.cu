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
#include "kernels/dp-knapsack/tuned_pairs.cuh"

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

/* Gains are in global memory, those of pairs in shared memory. */
template <class V> static __device__ __forceinline__ V fused_gain(const V *gain)
{
	return __ldg(gain);
}
static __device__ __forceinline__ uint32_t fused_gain(const uint32_t *gain)
{
	return *gain;
}

template <class V> static __device__ __forceinline__ V fused_sum(V a, V b)
{
	return a + b;
}
static __device__ __forceinline__ uint32_t fused_sum(uint32_t a, uint32_t b)
{
	return __vadd2(a, b);
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
	const V together = fused_sum(light, heavy);
	V near[R + D];

#pragma unroll
	for (int i = 0; i < D; i++)
		near[i] = from[i];
#pragma unroll
	for (int i = 0; i < R; i++) {
		near[i + D] = from[i + D];
		v[i] = add_max(near[i], heavy, v[i]);
		v[i] = add_max(near[i + D], light, v[i]);
		v[i] = add_max(both[i], together, v[i]);
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
		total[k] = k > 0 ? fused_sum(fused_gain(gain + k), total[k > 0 ? k - 1 : 0]) :
				   fused_gain(gain);
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
		fused_one(v, window, first, w, fused_gain(gain));
	else if (step.apart == 0)
		fused_two<0>(v, window, first, w, fused_gain(gain), fused_gain(gain + 1));
	else if (step.apart == 1)
		fused_two<1>(v, window, first, w, fused_gain(gain), fused_gain(gain + 1));
	else
		fused_two<2>(v, window, first, w, fused_gain(gain), fused_gain(gain + 1));
}

template <class V>
static __device__ __forceinline__ void
fused_items(const struct dp_tuned_run &run, const struct dp_tuned_pass &p, const V *gain, V *window)
{
	constexpr int R = fused_cells<V>::count;
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

/* The cells that a window writes. */
struct fused_span {
	int32_t first, last;
};

/* The cells of a tile, or of window `lane` of its two. */
static __device__ __forceinline__ struct fused_span fused_span_of(const struct tile_head *head,
								  int lane, int lanes)
{
	const struct dp_tuned_pass &p = head->here;
	const int band = p.bands - 1 - head->tile, count = p.band_cells / lanes;
	const int32_t end = p.low + p.cells - 1;
	struct fused_span s;

	s.first = p.low + band * p.band_cells + lane * count;
	s.last = end - s.first < count ? end : s.first + count - 1;
	return s;
}

/* One window whose cells were waited for, with one cell in a word. */
template <class V>
static __device__ __forceinline__ void fused_window(const struct dp_tuned_run &run,
						    const struct tile_head *head,
						    const struct fused_span &span, V *storage)
{
	const struct dp_tuned_pass &p = head->here;
	const int32_t from = span.first - p.halo;
	V *window =
		fused_load(tile_source<V>(run, head, from, span.last), from, span.last, storage);
	V *to = static_cast<V *>(run.cell[run.self]) + p.store;

	fused_items(run, p, static_cast<const V *>(run.gain) + p.op_first, window);
	for (int32_t c = span.first + (int)threadIdx.x; c <= span.last; c += (int)blockDim.x)
		__stcg(to + c, window[c - from]);
}

/* ---- two windows in one ---- */

/* One of the two windows of a tile: the cells that it reads and where these are. */
struct fused_half {
	int32_t from, last;
	bool empty; /* it writes nothing */
	bool whole; /* it is full, and all its cells are there, in one array */
	bool near;  /* at most two devices own its cells */
	tile_source<int32_t> source;

	__device__ __forceinline__ fused_half(const struct dp_tuned_run &run,
					      const struct tile_head *head, int lane, int size)
	    : from(fused_span_of(head, lane, 2).first - head->here.halo),
	      last(fused_span_of(head, lane, 2).last), empty(last < from + head->here.halo),
	      whole(false), near(false), source(run, head, from, last)
	{
		near = source.owners == 1 || source.owners == 2;
		whole = source.owners == 1 && from >= 0 && last == from + size - 1 &&
			last <= source.saturated;
	}
	/* The positions of the first and the last cell there is. */
	__device__ __forceinline__ int32_t first_position() const
	{
		return from < 0 ? -from : 0;
	}
	__device__ __forceinline__ int32_t last_position() const
	{
		return max(last - from, first_position());
	}
	__device__ __forceinline__ int32_t cell(int32_t position) const
	{
		return near ? pair_read(source, last, from + position) : 0;
	}
	__device__ __forceinline__ int32_t slope() const
	{
		return pair_slope(first_position(), last_position(), cell(first_position()),
				  cell(last_position()));
	}
};

/* The first warp draws the lines of both windows. */
static __device__ __forceinline__ void fused_lines(const struct dp_tuned_run &run,
						   const struct tile_head *head,
						   const int32_t *profit, const int32_t *weight,
						   struct pair_tile *pair)
{
	const struct dp_tuned_pass &p = head->here;
	const int size = (int)blockDim.x * fused_cells<int32_t>::count;
	const struct fused_half low(run, head, 0, size), high(run, head, 1, size);
	const int32_t slope = low.slope(), other = high.empty ? slope : high.slope();
	const int32_t at_low = low.cell(low.first_position());
	const int32_t at_high = high.cell(high.first_position());
	int32_t up = 0, down = 0;

	pair_drift(slope, profit, weight, p.op_count, &up, &down);
	pair_drift(other, profit, weight, p.op_count, &up, &down);
	if (threadIdx.x == 0) {
		pair_range(pair, up, down, FUSED_EQUAL);
		pair->fits &= low.near && (high.empty || high.near);
		pair->line[0] = pair_below(pair, slope, low.first_position(), at_low);
		pair->line[1] = pair_below(pair, other, high.first_position(), at_high);
	}
}

/* Cells of a window that a thread fetches before it uses any of them. */
enum { FUSED_BATCH = 19 };
static_assert(DP_TUNED_FUSED_CELLS % FUSED_BATCH == 0, "whole batches");

/* Fetches the cells at the positions x, x + blockDim.x, ... The branches are outside the loops, so
 * that all fetches are in flight at once. */
static __device__ __forceinline__ void fused_fetch(const struct fused_half &half, int x,
						   int32_t (&cell)[FUSED_BATCH])
{
	const int stride = (int)blockDim.x;

	if (half.whole) {
		const int32_t *from = half.source.below + half.from + x;
#pragma unroll
		for (int j = 0; j < FUSED_BATCH; j++)
			cell[j] = __ldcg(from + j * stride);
	} else if (!half.empty) {
#pragma unroll
		for (int j = 0; j < FUSED_BATCH; j++)
			cell[j] = pair_read(half.source, half.last, half.from + x + j * stride);
	}
}

/* Makes the fetched cells relative to the line of half h. `most` keeps the greatest value above
 * `least`. */
static __device__ __forceinline__ void fused_relate(const struct fused_half &half,
						    const struct pair_tile &pair, int h, int x,
						    int32_t (&cell)[FUSED_BATCH], uint32_t *most)
{
	const uint32_t step = (uint32_t)pair.line[h].slope * blockDim.x;
	uint32_t line = pair.line[h].at(x);

#pragma unroll
	for (int j = 0; j < FUSED_BATCH; j++) {
		const int32_t c = half.from + x + j * (int)blockDim.x;
		const bool has = half.whole || (!half.empty && c >= 0 && c <= half.last);
		const int32_t value = (int32_t)((uint32_t)cell[j] - line);

		*most = __viaddmax_u32((uint32_t)(has ? value : pair.least), (uint32_t)-pair.least,
				       *most);
		cell[j] = has ? value : pair.none;
		line += step;
	}
}

/* Reads both windows. Returns whether all values fit. */
static __device__ __forceinline__ bool fused_load_pairs(const struct fused_half &low,
							const struct fused_half &high,
							const struct pair_tile &pair,
							uint32_t *window)
{
	constexpr int R = fused_cells<int32_t>::count;
	uint32_t most = 0;

	for (int x = (int)threadIdx.x; x < R; x += (int)blockDim.x)
		window[-1 - x] = pair_of(pair.none, pair.none);
#pragma unroll 1
	for (int i = 0; i < R; i += FUSED_BATCH) {
		const int x = i * (int)blockDim.x + (int)threadIdx.x;
		int32_t a[FUSED_BATCH] = { 0 }, b[FUSED_BATCH] = { 0 };

		fused_fetch(low, x, a);
		fused_fetch(high, x, b);
		fused_relate(low, pair, 0, x, a, &most);
		fused_relate(high, pair, 1, x, b, &most);
#pragma unroll
		for (int j = 0; j < FUSED_BATCH; j++)
			window[x + j * (int)blockDim.x] = pair_of(a[j], b[j]);
	}
	return most <= (uint32_t)(pair.most - pair.least);
}

/* Both windows of a tile at once, whose lines are drawn; false if their values do not fit. */
static __device__ __forceinline__ bool fused_pairs(const struct dp_tuned_run &run,
						   const struct tile_head *head,
						   const struct pair_tile *shared,
						   const int32_t *profit, const int32_t *weight,
						   uint32_t *gain, uint32_t *storage)
{
	const struct dp_tuned_pass &p = head->here;
	const int size = (int)blockDim.x * fused_cells<int32_t>::count;
	const struct fused_half low(run, head, 0, size), high(run, head, 1, size);
	const struct pair_tile pair = *shared;
	uint32_t *window = storage + fused_guard<int32_t>::count;
	int32_t *to = static_cast<int32_t *>(run.cell[run.self]) + p.store;

	for (int i = (int)threadIdx.x; i < p.op_count; i += (int)blockDim.x)
		gain[i] = pair_of(pair.line[0].gain(profit[i], weight[i]),
				  pair.line[1].gain(profit[i], weight[i]));
	if (__syncthreads_or(!fused_load_pairs(low, high, pair, window)))
		return false;
	fused_items(run, p, gain, window);
#pragma unroll 8
	for (int x = p.halo + (int)threadIdx.x; x < size; x += (int)blockDim.x) {
		const uint32_t cells = window[x];

		if (low.from + x <= low.last)
			__stcg(to + low.from + x, pair_cell(cells, 0, pair.line[0].at(x)));
		if (high.from + x <= high.last)
			__stcg(to + high.from + x, pair_cell(cells, 1, pair.line[1].at(x)));
	}
	return true;
}

/* ---- tiles ---- */

/* What a block keeps in shared memory. */
template <class V> struct fused_shared {
	struct tile_head *head;
	struct pair_tile *pair;
	/* of the items of a pass of pairs; a block has a thread for each */
	int32_t *profit, *weight;
	V *gain, *storage;
};

template <class V>
static __device__ __forceinline__ void fused_tile(const struct dp_tuned_run &run,
						  const struct fused_shared<V> &s)
{
	const struct dp_tuned_pass &p = s.head->here;
	const struct fused_span tile = fused_span_of(s.head, 0, 1);
	bool done = false;

	if (sizeof(V) == 4 && p.lanes == 2 && (int)threadIdx.x < p.op_count) {
		const int i = p.op_first + (int)threadIdx.x;

		s.profit[threadIdx.x] = __ldg(static_cast<const int32_t *>(run.gain) + i);
		s.weight[threadIdx.x] = __ldg(run.shift + i);
	}
	tile_wait(run, s.head->pass, tile.first - p.halo, tile.last);
	if constexpr (sizeof(V) == 4) {
		if (p.lanes == 2) {
			if (threadIdx.x < warpSize)
				fused_lines(run, s.head, s.profit, s.weight, s.pair);
			__syncthreads();
			if (s.pair->fits)
				done = fused_pairs(run, s.head, s.pair, s.profit, s.weight,
						   reinterpret_cast<uint32_t *>(s.gain),
						   reinterpret_cast<uint32_t *>(s.storage));
		}
	}
#pragma unroll 1
	for (int lane = 0; !done && lane < p.lanes; lane++) {
		const struct fused_span span = fused_span_of(s.head, lane, p.lanes);

		__syncthreads();
		if (span.first <= span.last)
			fused_window(run, s.head, span, s.storage);
	}
	tile_done(run, p, p.bands - 1 - s.head->tile);
}

template <class V>
static __global__ void __launch_bounds__(DP_TUNED_THREADS, 1)
	fused_kernel(const __grid_constant__ struct dp_tuned_run run)
{
	SHARED_MEMORY(unsigned char, shared);
	struct fused_shared<V> s;

	s.head = reinterpret_cast<struct tile_head *>(shared);
	s.pair = reinterpret_cast<struct pair_tile *>(shared + TILE_HEAD_BYTES);
	s.profit = reinterpret_cast<int32_t *>(shared + TILE_HEAD_BYTES + PAIR_TILE_BYTES);
	s.weight = s.profit + DP_TUNED_FUSED_ITEMS;
	s.gain = reinterpret_cast<V *>(s.weight + DP_TUNED_FUSED_ITEMS);
	s.storage = s.gain + DP_TUNED_FUSED_ITEMS;
	if (threadIdx.x == 0)
		s.head->pass = 0;
	__syncthreads(); /* as in chain_run */
	while (tile_next(run, s.head))
		fused_tile(run, s);
}

template <class V>
static int fused_launch(struct dev_stream *s, const struct dp_tuned_run *r, int blocks, int threads,
			struct err *e)
{
	size_t cells = DP_TUNED_FUSED_ITEMS + (size_t)threads * fused_cells<V>::count +
		       fused_guard<V>::count + fused_unit<V>::count;
	size_t items = 2 * DP_TUNED_FUSED_ITEMS * sizeof(int32_t);

	return LAUNCH(e, fused_kernel<V>, blocks, threads,
		      TILE_HEAD_BYTES + PAIR_TILE_BYTES + items + cells * sizeof(V), s, *r);
}

extern "C" int BACKEND_SYMBOL(dp_tuned_fused_pass)(struct dev_stream *s,
						   const struct dp_tuned_run *r, int blocks,
						   int threads, struct err *e)
{
	return r->cells_64 ? fused_launch<int64_t>(s, r, blocks, threads, e) :
			     fused_launch<int32_t>(s, r, blocks, threads, e);
}
