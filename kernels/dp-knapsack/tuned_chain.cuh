/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of chains in registers, shared by the class and the merged pass. */
#ifndef COPRA_KERNELS_DP_KNAPSACK_TUNED_CHAIN_CUH
#define COPRA_KERNELS_DP_KNAPSACK_TUNED_CHAIN_CUH

#include "kernels/dp-knapsack/tuned_tile.cuh"

/* The position of the calling thread in its tile. */
struct chain_place {
	int32_t first; /* its lowest cell */
	int32_t weight;
	int32_t halo_rows; /* number of its rows that are halo; may be negative or above its number
			      of rows */
	int32_t last;      /* highest cell that the tile writes */
	bool real;         /* it holds cells */
	bool busy;         /* and some are written, or written ones depend on them */
	int32_t segment;   /* number of threads before it along the chain */
};

static __device__ __forceinline__ int tile_band(const struct tile_head *head)
{
	return head->here.bands - 1 - head->tile / head->here.groups;
}

/* `lane`: which of the thread's chains, if a pass has two. */
static __device__ __forceinline__ struct chain_place chain_place_of(const struct tile_head *head,
								    int lane)
{
	const struct dp_tuned_pass &p = head->here;
	int segment = (int)threadIdx.x / p.columns, group = head->tile % p.groups;
	int column = (group * p.lanes + lane) * p.columns + (int)threadIdx.x % p.columns;
	int row = segment * p.rows - p.halo;
	int32_t start = p.low + tile_band(head) * p.band_cells;
	struct chain_place at;

	at.first = start + row * p.weight + column;
	at.weight = p.weight;
	at.halo_rows = -row;
	at.last = p.cells - 1 - (start - p.low) < p.band_cells ? p.low + p.cells - 1 :
								 start + p.band_cells - 1;
	at.real = segment < p.segments && column < p.weight;
	at.segment = segment;
	at.busy = at.real && at.first <= at.last;
	return at;
}

/* The cells that a tile reads: low .. high. Chains continue beyond `high`, up to `end`. */
struct chain_span {
	int64_t low, high, end;
};

static __device__ __forceinline__ struct chain_span chain_span_of(const struct tile_head *head)
{
	const struct dp_tuned_pass &p = head->here;
	int64_t start = p.low + (int64_t)tile_band(head) * p.band_cells;
	int64_t last = (int64_t)p.low + p.cells - 1;
	struct chain_span s;

	s.low = start - (int64_t)p.halo * p.weight;
	s.high = last - start < p.band_cells ? last : start + p.band_cells - 1;
	s.end = s.low + (int64_t)p.segments * p.rows * p.weight - 1;
	return s;
}

/* Waits for the cells of a tile; has a barrier. */
static __device__ __forceinline__ void chain_wait(const struct dp_tuned_run &run,
						  const struct tile_head *head,
						  const struct chain_span &span)
{
	tile_wait(run, head->pass, span.low, span.high);
}

/* Whether the cells of a tile are all there, in one array. */
template <class V>
static __device__ __forceinline__ bool chain_whole(const tile_source<V> &source,
						   const struct chain_span &s)
{
	return source.owners == 1 && s.low >= 0 && s.end <= s.high && s.end <= source.saturated;
}

/* Reads R cells of one chain into v. */
template <int R, class V>
static __device__ __forceinline__ void
chain_load(const struct dp_tuned_run &run, const struct tile_head *head,
	   const struct chain_span &span, const struct chain_place &at, V (&v)[R])
{
	const tile_source<V> source(run, head, span.low, span.high);

	if (chain_whole(source, span)) {
		const V *from = source.below + at.first;
#pragma unroll
		for (int i = 0; i < R; i++)
			v[i] = at.real ? __ldcg(from + (ptrdiff_t)i * at.weight) :
					 dp_none<V>::value;
		return;
	}
#pragma unroll
	for (int i = 0; i < R; i++) {
		int32_t c = at.first + i * at.weight;

		v[i] = at.real && c <= at.last ? source.read(c) : dp_none<V>::value;
	}
}

template <int R, class V>
static __device__ __forceinline__ void chain_store(const struct dp_tuned_run &run,
						   const struct tile_head *head,
						   const struct chain_place &at, const V (&v)[R])
{
	V *to = static_cast<V *>(run.cell[run.self]) + head->here.store + at.first;
	/* rows halo_rows .. rows - 1 are written */
	int rows = at.last >= at.first ? (at.last - at.first) / at.weight + 1 : 0;

	if (!at.real)
		rows = 0;
#pragma unroll
	for (int i = 0; i < R; i++) {
		if (i >= at.halo_rows && i < rows)
			__stcg(to + (ptrdiff_t)i * at.weight, v[i]);
	}
}

/* Does all tiles of the run that this block draws. apply.tile<R> waits for the cells of one, does
 * it, and returns the next ticket, which is drawn while the tile is written. */
template <class V, class A>
static __device__ __forceinline__ void chain_run(const struct dp_tuned_run &run,
						 struct tile_head *head, A apply)
{
	int32_t ticket = ticket_draw(run);

	if (threadIdx.x == 0)
		head->pass = 0;
	/* Without it ptxas (13.0, sm_90) may join this test of thread 0 with that of tile_find.
	 * Then the loop has two entries, and the first warp does not converge after what thread 0
	 * does alone. */
	__syncthreads();
	while (tile_find(run, head, ticket)) {
		switch (head->here.rows) {
		case 8:
			ticket = apply.template tile<8>(run);
			break;
		case 16:
			ticket = apply.template tile<16>(run);
			break;
		case 32:
			ticket = apply.template tile<32>(run);
			break;
		case 48:
			ticket = apply.template tile<48>(run);
			break;
		default:
			if constexpr (sizeof(V) == 4) {
				switch (head->here.rows) {
				case 64:
					ticket = apply.template tile<64>(run);
					break;
				case 80:
					ticket = apply.template tile<80>(run);
					break;
				case 96:
					ticket = apply.template tile<96>(run);
					break;
				}
			}
		}
	}
}

#endif
