/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Class pass: all items of one weight, with one add-max per cell and item, in registers.
 *
 * An item moves every chain by one row: v[i] = max(v[i], v[i-1] + profit). A thread needs the last
 * row of the thread before it, as it was before each item. Threads hand over EXCHANGE rows every
 * EXCHANGE items and update them redundantly, which costs EXCHANGE (EXCHANGE - 1) / 2 add-max per
 * thread. */
#include "kernels/dp-knapsack/tuned_chain.cuh"

/* Applies E items from gain[0] on. The E rows before the thread's own are exchanged through `rows`,
 * which holds E per thread of the block. */
template <int E, int R, class V>
static __device__ __forceinline__ void class_items(V (&v)[R], const V *gain, V *rows,
						   const struct chain_place &at, int columns)
{
	V before[E];

#pragma unroll
	for (int k = 0; k < E; k++)
		rows[k * (int)blockDim.x + (int)threadIdx.x] = v[R - E + k];
	__syncthreads();
	if (!at.busy)
		return;
#pragma unroll
	for (int k = 0; k < E; k++)
		before[k] = at.segment > 0 ?
				    rows[k * (int)blockDim.x + (int)threadIdx.x - columns] :
				    dp_none<V>::value;
#pragma unroll
	for (int j = 0; j < E; j++) {
		V g = gain[j];
#pragma unroll
		for (int i = R - 1; i > 0; i--)
			v[i] = add_max(v[i - 1], g, v[i]);
		v[0] = add_max(before[E - 1], g, v[0]);
#pragma unroll
		for (int k = E - 1; k > j; k--)
			before[k] = add_max(before[k - 1], g, before[k]);
	}
}

template <int R, class V>
static __device__ __noinline__ int32_t class_tile(const struct dp_tuned_run &run,
						  struct tile_head *head, V *gain, V *rows)
{
	constexpr int E = DP_TUNED_EXCHANGE;
	const struct chain_place at = chain_place_of(head);
	const int count = head->here.op_count, columns = head->here.columns;
	const V *table = static_cast<const V *>(run.gain) + head->here.op_first;
	V v[R];

	for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x)
		gain[i] = __ldg(table + i);
	chain_load(run, head, at, v); /* has a barrier */
	int done = 0, turn = 0;
	for (; done + E <= count; done += E, turn ^= 1)
		class_items<E>(v, gain + done, rows + turn * E * (int)blockDim.x, at, columns);
	for (; done < count; done++, turn ^= 1)
		class_items<1>(v, gain + done, rows + turn * E * (int)blockDim.x, at, columns);
	int32_t ticket = ticket_draw(run);

	chain_store(run, head, at, v);
	tile_done(run, head->here, tile_band(head));
	return ticket;
}

template <class V> struct class_apply {
	struct tile_head *head;
	V *gain, *rows;

	template <int R>
	__device__ __forceinline__ int32_t tile(const struct dp_tuned_run &run) const
	{
		return class_tile<R>(run, head, gain, rows);
	}
};

template <class V>
static __global__ void __launch_bounds__(DP_TUNED_THREADS, 1)
	class_kernel(const __grid_constant__ struct dp_tuned_run run)
{
	SHARED_MEMORY(unsigned char, shared);
	class_apply<V> apply;

	apply.head = reinterpret_cast<struct tile_head *>(shared);
	apply.gain = reinterpret_cast<V *>(shared + TILE_HEAD_BYTES);
	apply.rows = apply.gain + DP_TUNED_ITEMS;
	chain_run<V>(run, apply.head, apply);
}

template <class V>
static int class_launch(struct dev_stream *s, const struct dp_tuned_run *r, int blocks, int threads,
			struct err *e)
{
	size_t cells = DP_TUNED_ITEMS + 2 * DP_TUNED_EXCHANGE * (size_t)threads;

	return LAUNCH(e, class_kernel<V>, blocks, threads, TILE_HEAD_BYTES + cells * sizeof(V), s,
		      *r);
}

extern "C" int BACKEND_SYMBOL(dp_tuned_class_pass)(struct dev_stream *s,
						   const struct dp_tuned_run *r, int blocks,
						   int threads, struct err *e)
{
	return r->cells_64 ? class_launch<int64_t>(s, r, blocks, threads, e) :
			     class_launch<int32_t>(s, r, blocks, threads, e);
}
