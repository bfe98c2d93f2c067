/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Class pass: all items of one weight, with one add-max per cell and item, in registers.
 *
 * An item moves every chain by one row: v[i] = max(v[i], v[i-1] + profit). A thread needs the last
 * row of the thread before it, as it was before each item. Threads hand over EXCHANGE rows every
 * EXCHANGE items and update them redundantly, which costs EXCHANGE (EXCHANGE - 1) / 2 add-max per
 * thread. */
#include "kernels/common/instructions.cuh"
#include "kernels/dp-knapsack/tuned_chain.cuh"
#include "kernels/dp-knapsack/tuned_pairs.cuh"

/* The rows that a thread hands over, in one access. */
template <int E, class V> struct alignas(E * sizeof(V)) class_rows {
	V row[E];
};

/* Applies E items from gain[0] on. The E rows before the thread's own are exchanged through `rows`,
 * which holds E per thread of the block; `me` is the thread. `none` stands for rows before the
 * tile. */
template <int E, int R, class V>
static __device__ __forceinline__ void class_items(V (&v)[R], const V *gain, V *rows,
						   const struct chain_place &at, int columns,
						   int me, V none)
{
	struct class_rows<E, V> *all = reinterpret_cast<struct class_rows<E, V> *>(rows), before;

#pragma unroll
	for (int k = 0; k < E; k++)
		before.row[k] = v[R - E + k];
	all[me] = before;
	__syncthreads();
	if (!at.busy)
		return;
#pragma unroll
	for (int k = 0; k < E; k++)
		before.row[k] = none;
	if (at.segment > 0)
		before = all[me - columns];
#pragma unroll
	for (int j = 0; j < E; j++) {
		V g = gain[j];
#pragma unroll
		for (int i = R - 1; i > 0; i--)
			v[i] = add_max(v[i - 1], g, v[i]);
		v[0] = add_max(before.row[E - 1], g, v[0]);
#pragma unroll
		for (int k = E - 1; k > j; k--)
			before.row[k] = add_max(before.row[k - 1], g, before.row[k]);
	}
}

template <int R, class V>
static __device__ __forceinline__ void class_all(V (&v)[R], const V *gain, V *rows,
						 const struct chain_place &at,
						 const struct dp_tuned_pass &p, V none)
{
	constexpr int E = DP_TUNED_EXCHANGE;
	const int count = p.op_count, columns = p.columns;
	const int me = afresh((int)threadIdx.x); /* addresses are not kept from tile to tile */
	int done = 0, turn = 0;

	for (; done + E <= count; done += E, turn ^= 1)
		class_items<E>(v, gain + done, rows + turn * E * (int)blockDim.x, at, columns, me,
			       none);
	for (; done < count; done++, turn ^= 1)
		class_items<1>(v, gain + done, rows + turn * E * (int)blockDim.x, at, columns, me,
			       none);
}

/* What a block keeps in shared memory. */
template <class V> struct class_shared {
	struct tile_head *head;
	struct pair_tile *pair;
	V *gain, *rows;
};

/* Each thread copies the gains that it may also change. */
template <class V>
static __device__ __forceinline__ void class_gains(const struct dp_tuned_run &run,
						   const struct class_shared<V> &s)
{
	const struct dp_tuned_pass &p = s.head->here;
	const V *table = static_cast<const V *>(run.gain) + p.op_first;

	for (int i = (int)threadIdx.x; i < p.op_count; i += (int)blockDim.x)
		s.gain[i] = __ldg(table + i);
}

/* One lane of a tile, with one cell in a register. Returns the next ticket if it is the last lane.
 */
template <int R, class V>
static __device__ __forceinline__ int32_t class_lane(const struct dp_tuned_run &run,
						     const struct class_shared<V> &s,
						     const struct chain_span &span,
						     const struct chain_place &at, int lane)
{
	const struct dp_tuned_pass &p = s.head->here;
	V v[R];

	chain_load(run, s.head, span, at, v);
	class_all(v, s.gain, s.rows, at, p, dp_none<V>::value);
	int32_t ticket = lane == p.lanes - 1 ? ticket_draw(run) : 0;

	chain_store(run, s.head, at, v);
	return ticket;
}

/* ---- two chains in a thread ---- */

/* The first warp draws the line of a tile, from its first chain. Both halves have the same one,
 * since it is a line of rows. */
static __device__ __forceinline__ void class_line(const struct dp_tuned_run &run,
						  const struct class_shared<int32_t> &s)
{
	const struct dp_tuned_pass &p = s.head->here;
	const struct chain_span span = chain_span_of(s.head);
	const tile_source<int32_t> source(run, s.head, span.low, span.high);
	const bool near = source.owners == 1 || source.owners == 2;
	const int32_t low = (int32_t)span.low, high = (int32_t)span.high, w = p.weight;
	const int32_t from = low < 0 ? (w - 1 - low) / w : 0;
	const int32_t to = max((high - low) / w, from);
	const int32_t at_from = near ? pair_read(source, high, low + from * w) : 0;
	const int32_t at_to = near ? pair_read(source, high, low + to * w) : 0;
	const int32_t slope = pair_slope(from, to, at_from, at_to);
	int32_t up = 0, down = 0;

	pair_drift(slope, s.gain, NULL, p.op_count, &up, &down);
	if (threadIdx.x == 0) {
		pair_range(s.pair, up, down, 1);
		s.pair->fits &= near;
		s.pair->line[0] = pair_below(s.pair, slope, from, at_from);
	}
}

/* Reads one chain of each thread into half h of v, the lower half first. Returns whether all values
 * fit. */
template <int R>
static __device__ __forceinline__ bool class_load(const tile_source<int32_t> &source, bool whole,
						  const struct class_shared<int32_t> &s, int h,
						  uint32_t (&v)[R])
{
	const struct chain_place at = chain_place_of(s.head, h);
	const int32_t weight = afresh(at.weight), slope = afresh(s.pair->line[0].slope);
	const int32_t least = s.pair->least, none = s.pair->none;
	uint32_t line = s.pair->line[0].at(at.segment * R), most = 0;

	if (whole) {
		const int32_t *from = source.below + at.first;
#pragma unroll
		for (int i = 0; i < R; i++) {
			int32_t cell = at.real ? __ldcg(from + (ptrdiff_t)i * weight) : 0;
			int32_t value = (int32_t)((uint32_t)cell - line);

			most = __viaddmax_u32((uint32_t)value, (uint32_t)-least, most);
			v[i] = h ? pair_of((int32_t)v[i], value) : (uint32_t)value;
			line += (uint32_t)slope;
		}
	} else {
#pragma unroll
		for (int i = 0; i < R; i++) {
			const int32_t c = at.first + i * weight;
			const bool has = at.real && c >= 0 && c <= at.last;
			int32_t value = (int32_t)((uint32_t)pair_read(source, at.last, c) - line);

			most = __viaddmax_u32((uint32_t)(has ? value : least), (uint32_t)-least,
					      most);
			value = has ? value : none;
			v[i] = h ? pair_of((int32_t)v[i], value) : (uint32_t)value;
			line += (uint32_t)slope;
		}
	}
	return !at.real || most <= (uint32_t)(s.pair->most - least);
}

template <int R>
static __device__ __forceinline__ void class_store(const struct dp_tuned_run &run,
						   const struct class_shared<int32_t> &s, int h,
						   const uint32_t (&v)[R])
{
	const struct chain_place at = chain_place_of(s.head, h);
	int32_t *to = static_cast<int32_t *>(run.cell[run.self]) + s.head->here.store + at.first;
	const int32_t weight = afresh(at.weight), slope = afresh(s.pair->line[0].slope);
	const int rows = at.busy ? (at.last - at.first) / at.weight + 1 : 0;
	uint32_t line = s.pair->line[0].at(at.segment * R);

#pragma unroll
	for (int i = 0; i < R; i++) {
		if (i >= at.halo_rows && i < rows)
			__stcg(to + (ptrdiff_t)i * weight, pair_cell(v[i], h, line));
		line += (uint32_t)slope;
	}
}

/* Both lanes of a tile at once, and the next ticket; false if its values do not fit. */
template <int R>
static __device__ __forceinline__ bool
class_pairs(const struct dp_tuned_run &run, const struct class_shared<int32_t> &s, int32_t *ticket)
{
	const struct dp_tuned_pass &p = s.head->here;
	const struct chain_span span = chain_span_of(s.head);
	const tile_source<int32_t> source(run, s.head, span.low, span.high);
	const bool whole = chain_whole(source, span);
	uint32_t v[R];
	bool fits = class_load(source, whole, s, 0, v);

	fits &= class_load(source, whole, s, 1, v);
	for (int i = (int)threadIdx.x; i < p.op_count; i += (int)blockDim.x) {
		const int32_t gain = s.pair->line[0].gain(s.gain[i], 1);

		s.gain[i] = (int32_t)pair_of(gain, gain);
	}
	if (__syncthreads_or(!fits)) {
		class_gains(run, s);
		return false;
	}
	class_all(v, reinterpret_cast<const uint32_t *>(s.gain),
		  reinterpret_cast<uint32_t *>(s.rows), chain_place_of(s.head, 0), p,
		  pair_of(s.pair->none, s.pair->none));
	*ticket = ticket_draw(run);
	class_store(run, s, 0, v);
	class_store(run, s, 1, v);
	return true;
}

/* ---- tiles ---- */

template <class V> struct class_apply {
	struct class_shared<V> shared;
	struct chain_span span;   /* of the tile */
	struct chain_place first; /* the thread's place in the tile's first lane */

	__device__ __forceinline__ void ready(const struct dp_tuned_run &run)
	{
		span = chain_span_of(shared.head);
		first = chain_place_of(shared.head, 0);
		class_gains(run, shared);
		chain_wait(run, shared.head, span); /* has a barrier */
		if constexpr (sizeof(V) == 4) {
			if (shared.head->here.lanes == 2) {
				if (threadIdx.x < warpSize)
					class_line(run, shared);
				__syncthreads();
			}
		}
	}
	template <int R> __device__ __forceinline__ int32_t tile(const struct dp_tuned_run &run)
	{
		const struct dp_tuned_pass &p = shared.head->here;
		int32_t ticket = 0;
		bool done = false;

		ready(run);
		if constexpr (sizeof(V) == 4)
			done = p.lanes == 2 && shared.pair->fits &&
			       class_pairs<R>(run, shared, &ticket);
#pragma unroll 1
		for (int lane = 0; !done && lane < p.lanes; lane++) {
			if (lane > 0)
				__syncthreads();
			ticket = class_lane<R>(run, shared, span,
					       lane ? chain_place_of(shared.head, lane) : first,
					       lane);
		}
		tile_done(run, p, tile_band(shared.head));
		return ticket;
	}
};

template <class V>
static __global__ void __launch_bounds__(DP_TUNED_THREADS, 1)
	class_kernel(const __grid_constant__ struct dp_tuned_run run)
{
	SHARED_MEMORY(unsigned char, shared);
	struct class_apply<V> apply;

	apply.shared.head = reinterpret_cast<struct tile_head *>(shared);
	apply.shared.pair = reinterpret_cast<struct pair_tile *>(shared + TILE_HEAD_BYTES);
	apply.shared.gain = reinterpret_cast<V *>(shared + TILE_HEAD_BYTES + PAIR_TILE_BYTES);
	apply.shared.rows = apply.shared.gain + DP_TUNED_ITEMS;
	chain_run<V>(run, apply.shared.head, apply);
}

template <class V>
static int class_launch(struct dev_stream *s, const struct dp_tuned_run *r, int blocks, int threads,
			struct err *e)
{
	size_t cells = DP_TUNED_ITEMS + 2 * DP_TUNED_EXCHANGE * (size_t)threads;

	return LAUNCH(e, class_kernel<V>, blocks, threads,
		      TILE_HEAD_BYTES + PAIR_TILE_BYTES + cells * sizeof(V), s, *r);
}

extern "C" int BACKEND_SYMBOL(dp_tuned_class_pass)(struct dev_stream *s,
						   const struct dp_tuned_run *r, int blocks,
						   int threads, struct err *e)
{
	return r->cells_64 ? class_launch<int64_t>(s, r, blocks, threads, e) :
			     class_launch<int32_t>(s, r, blocks, threads, e);
}
