/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Merged pass: m identical items of one weight at once, in registers.
 *
 * Taking any 0..m of them is a maximum over a window of m + 1 rows. It is computed by operations
 * v[i] = max(v[i], v[i - s] + s profit) whose steps s add up to m. Each s is a power of two that is
 * at most one more than the sum of those before it, so every number of items can be reached. They
 * are powers of two because a register's index must be known at compile time. The s rows before a
 * thread's own come from the thread before it. */
#include "kernels/dp-knapsack/tuned_chain.cuh"

template <int S, int R, class V>
static __device__ __forceinline__ void merged_step(V (&v)[R], V gain, V *rows,
						   const struct chain_place &at, int columns)
{
	/* steps longer than a thread's rows reach `back` threads away, to the same row there */
	constexpr int given = S < R ? S : R, back = S < R ? 1 : S / R;
	static_assert(S < R || S % R == 0, "a step is a multiple of the rows, or shorter");
	const bool follows = at.segment >= back;

#pragma unroll
	for (int k = 0; k < given; k++)
		rows[k * (int)blockDim.x + (int)threadIdx.x] = v[R - given + k];
	__syncthreads();
#pragma unroll
	for (int i = R - 1; i >= given; i--)
		v[i] = add_max(v[i - given], gain, v[i]);
#pragma unroll
	for (int i = 0; i < given; i++) {
		V before = follows ? rows[i * (int)blockDim.x + (int)threadIdx.x - back * columns] :
				     dp_none<V>::value;
		v[i] = add_max(before, gain, v[i]);
	}
}

template <int R, class V>
static __device__ __noinline__ int32_t merged_tile(const struct dp_tuned_run &run,
						   struct tile_head *head, V *gain, int32_t *shift,
						   V *rows)
{
	const struct chain_place at = chain_place_of(head, 0);
	const int count = head->here.op_count, columns = head->here.columns;
	const V *gains = static_cast<const V *>(run.gain) + head->here.op_first;
	const int32_t *shifts = run.shift + head->here.op_first;
	V v[R];

	for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x) {
		gain[i] = __ldg(gains + i);
		shift[i] = __ldg(shifts + i);
	}
	/* the span is computed twice, since keeping it costs 2 % at n = 100,000 */
	chain_wait(run, head, chain_span_of(head)); /* has a barrier */
	chain_load(run, head, chain_span_of(head), at, v);
	for (int j = 0; j < count; j++) {
		V *turn = rows + (j & 1) * ((int)blockDim.x << DP_TUNED_SHIFT);

		switch (shift[j]) {
		case 0:
			merged_step<1>(v, gain[j], turn, at, columns);
			break;
		case 1:
			merged_step<2>(v, gain[j], turn, at, columns);
			break;
		case 2:
			merged_step<4>(v, gain[j], turn, at, columns);
			break;
		case 3:
			merged_step<8>(v, gain[j], turn, at, columns);
			break;
		case 4:
			merged_step<16>(v, gain[j], turn, at, columns);
			break;
		default:
			merged_step<32>(v, gain[j], turn, at, columns);
			break;
		}
	}
	int32_t ticket = ticket_draw(run);

	chain_store(run, head, at, v);
	tile_done(run, head->here, tile_band(head));
	return ticket;
}

template <class V> struct merged_apply {
	struct tile_head *head;
	V *gain, *rows;
	int32_t *shift;

	template <int R>
	__device__ __forceinline__ int32_t tile(const struct dp_tuned_run &run) const
	{
		return merged_tile<R>(run, head, gain, shift, rows);
	}
};

template <class V>
static __global__ void __launch_bounds__(DP_TUNED_THREADS, 1)
	merged_kernel(const __grid_constant__ struct dp_tuned_run run)
{
	SHARED_MEMORY(unsigned char, shared);
	merged_apply<V> apply;

	apply.head = reinterpret_cast<struct tile_head *>(shared);
	apply.gain = reinterpret_cast<V *>(shared + TILE_HEAD_BYTES);
	apply.shift = reinterpret_cast<int32_t *>(apply.gain + DP_TUNED_ITEMS);
	apply.rows = reinterpret_cast<V *>(apply.shift + DP_TUNED_ITEMS);
	chain_run<V>(run, apply.head, apply);
}

template <class V>
static int merged_launch(struct dev_stream *s, const struct dp_tuned_run *r, int blocks,
			 int threads, struct err *e)
{
	size_t ops = DP_TUNED_ITEMS * (sizeof(V) + sizeof(int32_t));
	size_t rows = ((size_t)threads << (DP_TUNED_SHIFT + 1)) * sizeof(V);

	return LAUNCH(e, merged_kernel<V>, blocks, threads, TILE_HEAD_BYTES + ops + rows, s, *r);
}

extern "C" int BACKEND_SYMBOL(dp_tuned_merged_pass)(struct dev_stream *s,
						    const struct dp_tuned_run *r, int blocks,
						    int threads, struct err *e)
{
	return r->cells_64 ? merged_launch<int64_t>(s, r, blocks, threads, e) :
			     merged_launch<int32_t>(s, r, blocks, threads, e);
}
