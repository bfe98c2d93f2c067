/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/common/gpu.cuh"

#include "kernels/dp-knapsack/reachable.h"

static const int BLOCK = 256;
static const int ROUNDS = 16; /* cells a thread, BLOCK apart: the search for a segment pays off */
static const int TILE = BLOCK * ROUNDS;

/* The segment that holds the cell. */
static __device__ int64_t segment_at(const struct dp_segment *segment, int64_t count, int64_t cell)
{
	int64_t low = 0, high = count;

	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (segment[middle].to <= cell)
			low = middle;
		else
			high = middle;
	}
	return low;
}

template <typename T>
static __global__ void reach_merge(const T *from, T *to, const struct dp_segment *segment,
				   int64_t count, int64_t cells, T profit, T lowest, uint32_t *bits)
{
	int64_t first = (int64_t)blockIdx.x * TILE;
	int64_t g = segment_at(segment, count, first);

	for (int i = 0; i < ROUNDS; i++) {
		int64_t c = first + i * BLOCK + threadIdx.x;
		bool inside = c < cells, taken = false;

		if (inside) {
			while (segment[g].to + segment[g].cells <= c)
				g++;
			int64_t at = c - segment[g].to, keep = segment[g].keep,
				take = segment[g].take;
			T without = keep < 0 ? lowest : from[keep + at];
			T with = take < 0 ? lowest : (T)(from[take + at] + profit);

			taken = with > without;
			to[c] = taken ? with : without;
		}
		if (!bits)
			continue;
		unsigned word = __ballot_sync(0xffffffffu, taken);

		if (inside && c % 32 == 0)
			bits[c / 32] = word;
	}
}

template <typename T>
static int launch_merge(struct dev_stream *s, const struct dp_reach_launch *l, struct err *e)
{
	int64_t blocks = (l->cells + TILE - 1) / TILE;

	if (blocks > INT32_MAX)
		return err_set(e, ERR_UNSUPPORTED, "%lld cells need more blocks than a grid holds",
			       (long long)l->cells);
	return LAUNCH(e, reach_merge<T>, (unsigned)blocks, BLOCK, 0, s, (const T *)l->from,
		      (T *)l->to, l->segment, l->count, l->cells, (T)l->profit, (T)l->lowest,
		      l->bits);
}

static int merge(struct dev_stream *s, const struct dp_reach_launch *l, struct err *e)
{
	return l->cells_64 ? launch_merge<int64_t>(s, l, e) : launch_merge<int32_t>(s, l, e);
}

extern "C" const struct dp_reach_kernels BACKEND_SYMBOL(dp_reach_kernels) = { merge };
