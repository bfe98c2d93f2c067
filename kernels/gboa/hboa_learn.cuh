/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Learning of decision graphs, a block for each variable. A leaf is a mask of the selected
 * individuals. A thread counts how a candidate would split the new leaf of the last split; the
 * counts of the old leaf are the difference. With fewer candidates than threads, several threads
 * share the words of one candidate. */
#ifndef COPRA_KERNELS_GBOA_HBOA_LEARN_CUH
#define COPRA_KERNELS_GBOA_HBOA_LEARN_CUH

#include "kernels/common/warp.cuh"
#include "kernels/gboa/hboa.h"

/* ---- what all kernels share ---- */

enum { WARP = 32 };

/* The run of this block. */
static __device__ __forceinline__ struct hboa_progress *run_of(const struct hboa_arguments &t)
{
	return t.run + blockIdx.y;
}

/* True if the run ends because all selected are alike. Valid after gathering. */
static __device__ __forceinline__ bool has_converged(const struct hboa_arguments &t,
						     const struct hboa_progress *r)
{
	return t.stop_converged && r->differ != r->generations + 1;
}

static __device__ __forceinline__ uint64_t warp_greatest(uint64_t x)
{
	uint32_t high = __reduce_max_sync(WARP_ALL, (uint32_t)(x >> 32));
	uint32_t low = __reduce_max_sync(WARP_ALL, x >> 32 == high ? (uint32_t)x : 0u);

	return (uint64_t)high << 32 | low;
}

/* Bit j of lane i becomes bit i of lane j. */
static __device__ __forceinline__ uint32_t warp_transpose(uint32_t x, int32_t lane)
{
	uint32_t mine = 0;

	for (int32_t j = 0; j < WARP; j++) {
		uint32_t word = __ballot_sync(WARP_ALL, x >> j & 1);

		mine = lane == j ? word : mine;
	}
	return mine;
}

/* Greater for the fitter individual; ties: the lower index. Always above 0. */
static __device__ __forceinline__ uint64_t fitness_key(int32_t fitness, uint32_t index)
{
	return (uint64_t)((uint32_t)fitness ^ 0x80000000u) << 32 | (uint32_t)~index;
}

static __device__ __forceinline__ int32_t key_fitness(uint64_t key)
{
	return (int32_t)((uint32_t)(key >> 32) ^ 0x80000000u);
}

static __device__ __forceinline__ uint32_t key_index(uint64_t key)
{
	return ~(uint32_t)key;
}

/* Updates the best individual of the run. Called by all threads of one block, after the evaluation
 * of `rows`. */
static __device__ __forceinline__ void note_best(const struct hboa_arguments &t,
						 struct hboa_progress *r, const uint32_t *rows)
{
	uint64_t key = r->best_key;
	bool better = key_fitness(key) > r->best;

	for (int32_t j = threadIdx.x; better && j < t.row; j += blockDim.x)
		t.best_row[(size_t)blockIdx.y * t.row + j] =
			rows[(size_t)key_index(key) * t.row + j];
	__syncthreads(); /* all have read the old best */
	if (threadIdx.x == 0 && better) {
		r->best = key_fitness(key);
		r->done = t.stop_at_optimum && r->best == t.optimum;
	}
}

/* ---- learning ---- */

enum { LEARN_THREADS = 256, LEARN_WARPS = LEARN_THREADS / WARP };

/* A block's shared memory. */
struct growth {
	struct hboa_graph graph;
	uint64_t split[HBOA_LEAVES_MAX]; /* the best split of each leaf, as an operator */
	uint64_t best[2][LEARN_WARPS];   /* best of each warp, of two leaves */
	uint32_t zeros[HBOA_LEAVES_MAX], ones[HBOA_LEAVES_MAX];
	uint32_t moved, moved_ones; /* numbers of individuals that move to another leaf */
	uint32_t edges;
	int32_t rank;                          /* of the variable */
	uint8_t place[HBOA_LEAVES_MAX];        /* of a leaf's counts */
	struct hboa_count part[LEARN_THREADS]; /* of a share of the words */
	/* uint32_t own[words]: the variable itself; mask[leaves][words], if it fits */
};

struct learning {
	const struct hboa_arguments *t;
	struct growth *s;
	uint32_t *own, *mask;
	const uint32_t *data; /* of the run */
	const int32_t *order;
	struct hboa_count *counts;
	int32_t words, rank;
	uint32_t penalty;
};

/* Counts candidate `r` over the words from, from + step, ... */
static __device__ __forceinline__ struct hboa_count
count_words(const struct learning &l, const uint32_t *mask, int32_t r, int32_t from, int32_t step)
{
	struct hboa_count count = { 0, 0 };

#pragma unroll 8
	for (int32_t w = from; w < l.words; w += step) {
		uint32_t x = l.data[(size_t)w * l.t->n + r] & mask[w];

		count.there += __popc(x);
		count.ones += __popc(x & l.own[w]);
	}
	return count;
}

static __device__ __forceinline__ struct hboa_count *counts_of(const struct learning &l,
							       int32_t leaf)
{
	return l.counts + (size_t)l.s->place[leaf] * l.t->n;
}

static __device__ __forceinline__ bool worth(const struct learning &l, int32_t leaf)
{
	return hboa_worth_a_split(l.t->ln_factorial, l.s->zeros[leaf], l.s->ones[leaf], l.penalty);
}

static __device__ __forceinline__ uint64_t operator_for(const struct learning &l, int32_t leaf,
							int32_t r, struct hboa_count count)
{
	int32_t gain = hboa_split_gain(l.t->ln_factorial, l.s->zeros[leaf], l.s->ones[leaf],
				       count.there - count.ones, count.ones, l.penalty);

	return hboa_operator(gain, 0, leaf, gain > 0 ? l.order[r] : 0);
}

/* Adds the counts of `parts` threads for each of `width` candidates; valid in the first of them. */
static __device__ __forceinline__ struct hboa_count
add_parts(const struct learning &l, struct hboa_count count, int32_t parts, int32_t width)
{
	l.s->part[threadIdx.x] = count;
	__syncthreads();
	for (int32_t p = 1; p < parts && (int32_t)threadIdx.x < width; p++) {
		count.there += l.s->part[threadIdx.x + p * width].there;
		count.ones += l.s->part[threadIdx.x + p * width].ones;
	}
	return count;
}

/* Stores the greatest of best[i] over the block in split[leaf[i]]. */
static __device__ void keep_best_splits(const struct learning &l, const uint64_t best[2],
					const int32_t leaf[2])
{
	int32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

	for (int i = 0; i < 2; i++) {
		uint64_t most = warp_greatest(best[i]);

		if (lane == 0)
			l.s->best[i][warp] = most;
	}
	__syncthreads();
	if (threadIdx.x < 2 && leaf[threadIdx.x] >= 0) {
		uint64_t most = 0;

		for (int w = 0; w < LEARN_WARPS; w++)
			most = l.s->best[threadIdx.x][w] > most ? l.s->best[threadIdx.x][w] : most;
		l.s->split[leaf[threadIdx.x]] = most;
	}
	__syncthreads();
}

/* Finds the best splits of leaf `old` and of leaf `fresh`, which was just split off. The counts of
 * `old` still include those of `fresh`. With fresh < 0, finds only those of `old`, which has no
 * counts yet. Zeros and ones of both are visible to all threads. */
static __device__ void find_splits(const struct learning &l, int32_t old, int32_t fresh)
{
	int32_t width = WARP, leaf[2] = { old, fresh };
	bool first = worth(l, old), second = fresh >= 0 && worth(l, fresh);
	uint64_t best[2] = { 0, 0 };

	while (width < l.rank && width < LEARN_THREADS)
		width *= 2;
	int32_t parts = LEARN_THREADS / width, part = threadIdx.x / width;
	const uint32_t *mask = l.mask + (size_t)(fresh >= 0 ? fresh : old) * l.words;

	/* with several parts, all candidates are covered in one iteration */
	for (int32_t from = 0; (first || second) && from < l.rank; from += width) {
		int32_t r = from + threadIdx.x % width;
		struct hboa_count count = { 0, 0 };

		if (r < l.rank)
			count = count_words(l, mask, r, part, parts);
		if (parts > 1)
			count = add_parts(l, count, parts, width);
		if (part > 0 || r >= l.rank)
			continue;
		if (fresh >= 0) {
			struct hboa_count *whole = counts_of(l, old) + r;
			struct hboa_count rest = { whole->there - count.there,
						   whole->ones - count.ones };
			uint64_t op = second ? operator_for(l, fresh, r, count) : 0;

			counts_of(l, fresh)[r] = count;
			best[1] = op > best[1] ? op : best[1];
			count = rest;
		}
		uint64_t op = first ? operator_for(l, old, r, count) : 0;

		counts_of(l, old)[r] = count;
		best[0] = op > best[0] ? op : best[0];
	}
	keep_best_splits(l, best, leaf);
}

/* The best operator, the same in all threads. */
static __device__ uint64_t best_operator(const struct learning &l)
{
	int32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, leaves = l.s->graph.leaves;
	uint64_t best = (int32_t)threadIdx.x < leaves ? l.s->split[threadIdx.x] : 0;

	for (int32_t a = warp; a < leaves && l.t->merges; a += LEARN_WARPS)
		for (int32_t b = a + 1 + lane; b < leaves; b += WARP) {
			uint64_t op = hboa_merge_operator(l.t->ln_factorial, l.s->zeros, l.s->ones,
							  a, b, l.penalty);

			best = op > best ? op : best;
		}
	best = warp_greatest(best);
	if (lane == 0)
		l.s->best[0][warp] = best;
	if (threadIdx.x == 0) {
		l.s->moved = 0;
		l.s->moved_ones = 0;
	}
	__syncthreads();
	for (int w = 0; w < LEARN_WARPS; w++)
		best = l.s->best[0][w] > best ? l.s->best[0][w] : best;
	return best;
}

/* Adds to the sums of the block, which are 0 before. */
static __device__ __forceinline__ void count_moved(const struct learning &l, uint32_t all,
						   uint32_t ones)
{
	all = __reduce_add_sync(WARP_ALL, all);
	ones = __reduce_add_sync(WARP_ALL, ones);
	if (threadIdx.x % WARP == 0 && all) {
		atomicAdd(&l.s->moved, all);
		atomicAdd(&l.s->moved_ones, ones);
	}
}

static __device__ __forceinline__ void redirect(struct hboa_graph *g, int32_t from, int32_t to)
{
	for (int x = 0; x < 2 && (int32_t)threadIdx.x < g->splits; x++)
		if (g->split[threadIdx.x].child[x] == from)
			g->split[threadIdx.x].child[x] = (int16_t)to;
}

static __device__ void apply_split(const struct learning &l, int32_t leaf, int32_t v, int32_t rank)
{
	struct hboa_graph *g = &l.s->graph;
	int32_t there = g->leaves, splits = g->splits;
	uint32_t *mask = l.mask + (size_t)leaf * l.words, *gone = l.mask + (size_t)there * l.words;
	uint32_t all = 0, ones = 0;

	for (int32_t w = threadIdx.x; w < l.words; w += LEARN_THREADS) {
		uint32_t u = l.data[(size_t)w * l.t->n + rank], here = mask[w];

		gone[w] = here & u;
		mask[w] = here & ~u;
		all += __popc(here & u);
		ones += __popc(here & u & l.own[w]);
	}
	count_moved(l, all, ones);
	redirect(g, -1 - leaf, splits);
	__syncthreads(); /* all threads know the sizes of the old graph */
	if (threadIdx.x == 0) {
		uint32_t zeros = l.s->moved - l.s->moved_ones;

		g->split[splits].variable = v;
		g->split[splits].child[0] = (int16_t)(-1 - leaf);
		g->split[splits].child[1] = (int16_t)(-1 - there);
		g->splits = splits + 1;
		g->leaves = there + 1;
		l.s->zeros[there] = zeros;
		l.s->ones[there] = l.s->moved_ones;
		l.s->zeros[leaf] -= zeros;
		l.s->ones[leaf] -= l.s->moved_ones;
	}
	__syncthreads();
	find_splits(l, leaf, there);
}

static __device__ void apply_merge(const struct learning &l, int32_t leaf, int32_t other)
{
	struct hboa_graph *g = &l.s->graph;
	int32_t last = g->leaves - 1;
	uint32_t *mask = l.mask + (size_t)leaf * l.words, *from = l.mask + (size_t)other * l.words;
	const uint32_t *mover = l.mask + (size_t)last * l.words;

	for (int32_t w = threadIdx.x; w < l.words; w += LEARN_THREADS) {
		mask[w] |= from[w];
		from[w] = mover[w];
	}
	redirect(g, -1 - other, -1 - leaf);
	redirect(g, -1 - last, -1 - other);
	__syncthreads(); /* all threads know the sizes of the old graph */
	if (threadIdx.x == 0) {
		uint64_t moved = l.s->split[last];

		g->leaves = last;
		l.s->zeros[leaf] += l.s->zeros[other];
		l.s->ones[leaf] += l.s->ones[other];
		l.s->zeros[other] = l.s->zeros[last];
		l.s->ones[other] = l.s->ones[last];
		l.s->split[other] = hboa_operator(hboa_operator_gain(moved), 0, other,
						  hboa_operator_other(moved));
		uint8_t place = l.s->place[other];

		l.s->place[other] = l.s->place[last];
		l.s->place[last] = place;
	}
	__syncthreads();
	find_splits(l, leaf, -1);
}

/* Starts with one leaf that holds all individuals. */
static __device__ void begin_graph(const struct learning &l)
{
	uint32_t ones = 0;

	if (threadIdx.x == 0) {
		l.s->graph.splits = 0;
		l.s->graph.leaves = 1;
		l.s->moved = 0;
		l.s->moved_ones = 0;
		l.s->edges = 0;
	}
	if (threadIdx.x < HBOA_LEAVES_MAX)
		l.s->place[threadIdx.x] = (uint8_t)threadIdx.x;
	__syncthreads();
	for (int32_t w = threadIdx.x; w < l.words; w += LEARN_THREADS) {
		l.own[w] = l.data[(size_t)w * l.t->n + l.rank];
		l.mask[w] = 0xffffffffu;
		ones += __popc(l.own[w]);
	}
	count_moved(l, ones, ones);
	__syncthreads();
	if (threadIdx.x == 0) {
		l.s->ones[0] = l.s->moved_ones;
		l.s->zeros[0] = (uint32_t)l.t->selected - l.s->moved_ones;
	}
	__syncthreads();
	find_splits(l, 0, -1);
}

static __device__ void end_graph(const struct learning &l, struct hboa_graph *to,
				 struct hboa_progress *r)
{
	const struct hboa_graph *g = &l.s->graph;
	int32_t i = threadIdx.x;

	if (i == 0) {
		to->splits = g->splits;
		to->leaves = g->leaves;
	}
	if (i < g->leaves)
		to->threshold[i] = boa_threshold(l.s->ones[i], l.s->zeros[i] + l.s->ones[i],
						 (enum boa_smoothing)l.t->smoothing);
	if (i < g->splits) {
		bool new_edge = true;

		to->split[i] = g->split[i];
		for (int32_t s = 0; s < i; s++)
			new_edge &= g->split[s].variable != g->split[i].variable;
		if (new_edge)
			atomicAdd(&l.s->edges, 1u);
	}
	__syncthreads();
	if (i == 0 && l.s->edges)
		atomicAdd((unsigned long long *)&r->edges, (unsigned long long)l.s->edges);
	__syncthreads(); /* before the next graph */
}

static __device__ __forceinline__ int32_t next_rank(const struct learning &l,
						    struct hboa_progress *r)
{
	if (threadIdx.x == 0)
		l.s->rank = atomicSub(&r->next_rank, 1);
	__syncthreads();
	return l.s->rank;
}

static __global__ void __launch_bounds__(LEARN_THREADS, 4) learn_kernel(struct hboa_arguments t)
{
	SHARED_MEMORY(unsigned char, shared);
	struct hboa_progress *r = run_of(t);

	if (r->done || has_converged(t, r))
		return;
	struct learning l;
	const int32_t *rank = t.rank + (size_t)blockIdx.y * t.n;
	size_t block = (size_t)blockIdx.y * gridDim.x + blockIdx.x;

	l.t = &t;
	l.s = (struct growth *)shared;
	l.words = t.selected / WARP;
	l.own = (uint32_t *)(l.s + 1);
	l.mask = t.masks ? t.masks + block * HBOA_LEAVES_MAX * l.words : l.own + l.words;
	l.counts = t.counts + block * HBOA_LEAVES_MAX * t.n;
	l.data = t.data + (size_t)blockIdx.y * l.words * t.n;
	l.order = t.order + (size_t)blockIdx.y * t.n;
	l.penalty = hboa_penalty(t.ln_factorial, t.selected);
	while ((l.rank = next_rank(l, r)) >= 0) {
		uint64_t op = 0;

		begin_graph(l);
		while (l.s->graph.splits < HBOA_SPLITS_MAX && (op = best_operator(l)) != 0) {
			int32_t leaf = (int32_t)hboa_operator_leaf(op);
			int32_t other = (int32_t)hboa_operator_other(op);

			if (hboa_operator_merges(op))
				apply_merge(l, leaf, other);
			else
				apply_split(l, leaf, other, rank[other]);
		}
		end_graph(l, t.graph + (size_t)blockIdx.y * t.n + l.order[l.rank], r);
	}
}

#endif
