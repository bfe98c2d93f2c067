/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Population 0, selection and the permutation of a generation in a large run (large.h). */
#include "kernels/gboa/large.h"

#include "kernels/gboa/arithmetic.h"
#include "kernels/common/choose.cuh"
#include "kernels/common/warp.cuh"

enum { BLOCK = 256, ROW_BLOCKS = 65535 };

static unsigned blocks_of(int64_t items, int64_t each)
{
	return (unsigned)((items + each - 1) / each);
}

/* ---- population 0 ---- */

static __global__ void first_words(uint64_t seed, int32_t n, int32_t first, int32_t count,
				   uint32_t *words, size_t stride)
{
	int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;

	if (i >= (int64_t)n * count)
		return;
	uint32_t v = (uint32_t)(i / count), w = (uint32_t)(i % count);

	words[v * stride + w] = boa_initial_word(seed, v, (uint32_t)first + w);
}

static int first_population(struct dev_stream *s, uint64_t seed, int32_t n, int32_t first,
			    int32_t count, uint32_t *words, size_t stride, struct err *e)
{
	if (count == 0)
		return 0;
	return LAUNCH(e, first_words, blocks_of((int64_t)n * count, BLOCK), BLOCK, 0, s, seed, n,
		      first, count, words, stride);
}

/* ---- choice of the best ---- */

/* The last word of the scratch memory receives the number selected, which always equals
 * `selected`. */
static size_t choose_scratch(void)
{
	return sizeof(select_scratch) + sizeof(uint32_t);
}

static int choose(struct dev_stream *s, const uint32_t *rating, int32_t count, int32_t selected,
		  uint32_t *position, void *scratch, struct err *e)
{
	select_scratch *own = (select_scratch *)scratch;

	return select_launch(s, rating, (uint32_t)count, (uint32_t)selected, position,
			     (uint32_t *)(own + 1), own, e);
}

/* ---- permutation ---- */

/* A block compares 256 variables with a share of all. */
static __global__ void count_before(uint64_t seed, uint32_t generation, int32_t n, int32_t share,
				    int32_t *rank)
{
	SHARED_MEMORY(uint32_t, keys);
	uint32_t v = blockIdx.x * BLOCK + threadIdx.x;
	uint32_t own = boa_order_key(seed, generation, v);
	uint32_t from = blockIdx.y * (uint32_t)share, before = 0;
	uint32_t to = min(from + (uint32_t)share, (uint32_t)n);

	for (uint32_t tile = from; tile < to; tile += BLOCK) {
		__syncthreads();
		keys[threadIdx.x] = boa_order_key(seed, generation, tile + threadIdx.x);
		__syncthreads();
		uint32_t there = min((uint32_t)BLOCK, to - tile);

		for (uint32_t i = 0; i < there; i++)
			before += keys[i] < own || (keys[i] == own && tile + i < v);
	}
	if (v < (uint32_t)n && before)
		atomicAdd(&rank[v], (int32_t)before);
}

static __global__ void invert(const int32_t *rank, int32_t *order, int32_t n)
{
	int32_t v = (int32_t)(blockIdx.x * BLOCK + threadIdx.x);

	if (v < n)
		order[rank[v]] = v;
}

static int order_of(struct dev_stream *s, uint64_t seed, uint32_t generation, int32_t n,
		    int32_t *rank, int32_t *order, struct err *e)
{
	unsigned blocks = blocks_of(n, BLOCK), shares = min(blocks, max(1u, 1024 / blocks));
	int32_t share = (int32_t)blocks_of(blocks, shares) * BLOCK;
	int status = dev_fill(s, rank, 0, (size_t)n * sizeof(*rank), e);

	if (!status)
		status = LAUNCH(e, count_before, dim3(blocks, blocks_of(n, share)), BLOCK,
				BLOCK * sizeof(uint32_t), s, seed, generation, n, share, rank);
	return status ? status : LAUNCH(e, invert, blocks, BLOCK, 0, s, rank, order, n);
}

/* ---- the columns of the selected ---- */

enum {
	GATHER_WARPS = 32, /* each gathers one word */
	GATHER_BLOCK = GATHER_WARPS * 32,
	GATHER_ROWS = 32,               /* rows gathered at a time; a warp writes one of them */
	GATHER_AHEAD = 8,               /* loads in flight */
	GATHER_SHARE = 8 * GATHER_ROWS, /* rows that a block gathers */
	GATHER_TILE = GATHER_ROWS * (GATHER_WARPS + 1),
};

/* A row to make: the positions of its variable in the rows by variable and in the rows by rank, its
 * bit in the first selected individual, and its place. */
struct gather_rows_of {
	uint2 row[GATHER_SHARE];
	uint32_t bit[GATHER_SHARE];
	int32_t to[GATHER_SHARE];
};

struct gather_source {
	const uint32_t *word; /* of row 0 */
	uint32_t stride, bit;
	bool by_rank;
};

static __device__ __forceinline__ gather_source source_of(const boa_large_population &p,
							  int32_t position)
{
	gather_source s;

	s.bit = 1u << position % 32;
	s.by_rank = position < p.kept;
	if (s.by_rank) {
		s.word = p.selected + position / 32;
		s.stride = (uint32_t)p.stride;
		return s;
	}
	int32_t word = (position - p.kept) / 32, part = 0;

	while (part + 1 < p.parts && word >= p.part[part + 1].first)
		part++;
	s.word = p.part[part].words + (word - p.part[part].first);
	s.stride = (uint32_t)p.part[part].count;
	return s;
}

static __device__ __forceinline__ uint32_t word_of(const gather_source &s, uint2 row)
{
	return s.word[(uint64_t)(s.by_rank ? row.y : row.x) * s.stride];
}

/* Finds the rows to make, starting with variable `from`; past the end, the last repeats. */
static __device__ __forceinline__ void find_rows(gather_rows_of *rows, const boa_large_gather &g,
						 int32_t from)
{
	gather_source one = source_of(g.from, (int32_t)g.position[0]);

	for (int32_t i = (int32_t)threadIdx.x; i < GATHER_SHARE; i += GATHER_BLOCK) {
		uint32_t v = (uint32_t)min(from + i, g.from.last - 1);
		uint2 row = make_uint2(v, g.from.kept ? (uint32_t)g.from.rank[v] : 0);

		rows->row[i] = row;
		rows->bit[i] = g.compare && (word_of(one, row) & one.bit) ? ~0u : 0;
		rows->to[i] = g.rank[v];
	}
	__syncthreads();
}

/* A warp makes one word of `GATHER_ROWS` rows: lane b finds the bit of individual b. Returns the
 * bits that differ from those of the first selected individual. */
static __device__ __forceinline__ uint32_t gather_words(uint32_t *tile, const gather_source &mine,
							const uint2 *row, const uint32_t *bit,
							bool compare)
{
	uint32_t differ = 0;

	for (int32_t i = 0; i < GATHER_ROWS; i += GATHER_AHEAD) {
		uint32_t there[GATHER_AHEAD];

#pragma unroll
		for (int32_t j = 0; j < GATHER_AHEAD; j++)
			there[j] = word_of(mine, row[i + j]);
#pragma unroll
		for (int32_t j = 0; j < GATHER_AHEAD; j++) {
			uint32_t made = __ballot_sync(WARP_ALL, (there[j] & mine.bit) != 0);

			if (threadIdx.x % 32 == 0)
				tile[(i + j) * (GATHER_WARPS + 1)] = made;
			if (compare)
				differ |= made ^ bit[i + j];
		}
	}
	return differ;
}

/* 32 warps make words of 32 rows. The words are exchanged in shared memory, so that rows are
 * written 32 words at a time. */
static __global__ void __launch_bounds__(GATHER_BLOCK)
	gather_rows(const __grid_constant__ boa_large_gather g)
{
	SHARED_MEMORY(gather_rows_of, rows);
	uint32_t *tile = (uint32_t *)(rows + 1);
	int32_t warp = (int32_t)threadIdx.x / 32, lane = (int32_t)threadIdx.x % 32;
	int32_t words = g.selected / 32, first = (int32_t)blockIdx.x * GATHER_WARPS;
	int32_t word = min(first + warp, words - 1);
	gather_source mine = source_of(g.from, (int32_t)g.position[word * 32 + lane]);
	int32_t from = g.from.first + (int32_t)blockIdx.y * GATHER_SHARE;
	uint32_t differ = 0;

	find_rows(rows, g, from);
	for (int32_t i = 0; i < GATHER_SHARE && from + i < g.from.last; i += GATHER_ROWS) {
		differ |= gather_words(tile + warp, mine, rows->row + i, rows->bit + i, g.compare);
		__syncthreads();
		if (from + i + warp < g.from.last && first + lane < words) {
			uint32_t made = tile[warp * (GATHER_WARPS + 1) + lane];
			size_t at =
				(size_t)rows->to[i + warp] * g.to_stride + (size_t)(first + lane);

			for (int32_t c = 0; c < g.copies; c++)
				g.to[c][at] = made;
		}
		__syncthreads();
	}
	if (differ && lane == 0)
		atomicOr(&g.status->differ, 1u);
}

static __global__ void gather_ratings(const uint32_t *position, const uint32_t *rating,
				      uint32_t *to, int32_t count)
{
	int32_t i = (int32_t)(blockIdx.x * BLOCK + threadIdx.x);

	if (i < count)
		to[i] = rating[position[i]];
}

static int gather(struct dev_stream *s, const struct boa_large_gather *g, struct err *e)
{
	int32_t rows = g->from.last - g->from.first;
	dim3 grid(blocks_of(g->selected / 32, GATHER_WARPS), blocks_of(rows, GATHER_SHARE));
	int status = dev_fill(s, &g->status->differ, 0, sizeof(g->status->differ), e);

	if (!status && rows)
		status = LAUNCH(e, gather_rows, grid, GATHER_BLOCK,
				GATHER_TILE * sizeof(uint32_t) + sizeof(gather_rows_of), s, *g);
	return status || !g->to_rating ?
		       status :
		       LAUNCH(e, gather_ratings, blocks_of(g->selected, BLOCK), BLOCK, 0, s,
			      g->position, g->rating, g->to_rating, g->selected);
}

extern "C" const struct boa_large_select_kernels BACKEND_SYMBOL(boa_large_select_kernels) = {
	first_population, choose_scratch, choose, order_of, gather
};
