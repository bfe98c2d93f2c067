/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The grid kernel (grid.h): the state of a block, barriers of the grid and shared memory, and
 * the step "select". */
#ifndef COPRA_KERNELS_GBOA_GRID_SELECT_CUH
#define COPRA_KERNELS_GBOA_GRID_SELECT_CUH

#include "kernels/common/warp.cuh"
#include "kernels/gboa/grid.h"
#include "kernels/gboa/arithmetic.h"

/* ---- the block ---- */

/* The state of a block, the same in all of its threads. */
struct grid_block {
	const boa_grid_arguments *a;
	uint32_t meetings; /* arrivals of all blocks at the barriers so far */
	uint32_t past;     /* generations of this launch */
	int32_t generation, kept, side, best;
	uint32_t edges; /* of the generation; block 0 */
};

/* The layout of shared memory: the stop watch, the task, copies of the factorials from
 * BOA_GRID_TABLE on, then memory that the steps use in turn from `region` on. */
enum { BOA_GRID_TASK = 16 };
static_assert(BOA_GRID_TASK + sizeof(struct boa_grid_task) <= BOA_GRID_TABLE, "the task has room");

static __device__ __forceinline__ boa_grid_task *grid_own_task(void)
{
	SHARED_MEMORY(unsigned char, shared);

	return (boa_grid_task *)(shared + BOA_GRID_TASK);
}

static __device__ __forceinline__ void grid_take_task(const boa_grid_arguments *a, int32_t number)
{
	if (number < a->tasks && threadIdx.x < sizeof(boa_grid_task) / 4)
		((uint32_t *)grid_own_task())[threadIdx.x] =
			((const uint32_t *)&a->task[number])[threadIdx.x];
	__syncthreads();
}
static __device__ __forceinline__ unsigned char *grid_table(void)
{
	SHARED_MEMORY(unsigned char, shared);

	return shared + BOA_GRID_TABLE;
}

static __device__ __forceinline__ unsigned char *grid_region(const boa_grid_arguments *a)
{
	SHARED_MEMORY(unsigned char, shared);

	return shared + a->region;
}

/* Adds the ticks since the last call to a step. Thread 0 of block 0 measures. */
static __device__ __forceinline__ void grid_lap(const boa_grid_arguments *a, int step)
{
	SHARED_MEMORY(unsigned long long, since);

	if (threadIdx.x == 0 && blockIdx.x == 0) {
		unsigned long long now = (unsigned long long)clock64();

		if (step >= 0)
			atomicAdd(&a->state->ticks[step], now - *since);
		*since = now;
	}
}

static __device__ __forceinline__ void grid_arrive(grid_block *b)
{
	b->meetings += gridDim.x;
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		atomicAdd(&b->a->counters->met, 1u);
	}
}

static __device__ __forceinline__ void grid_await(const uint32_t *counter, uint32_t least)
{
	SPIN_UNTIL(ld_acquire_gpu(counter) >= least);
}

static __device__ __forceinline__ void grid_wait(const grid_block *b)
{
	if (threadIdx.x == 0)
		grid_await(&b->a->counters->met, b->meetings);
	__syncthreads();
}

/* The survivors of the present generation, or the memory for the next survivors. (Not indexed
 * dynamically, so that the arguments need no local copy.) */
static __device__ __forceinline__ uint32_t *grid_rows(const boa_grid_arguments *a, int32_t side)
{
	return side ? a->rows_of[1] : a->rows_of[0];
}
static __device__ __forceinline__ int32_t *grid_kept_fitness(const boa_grid_arguments *a,
							     int32_t side)
{
	return side ? a->kept_fitness[1] : a->kept_fitness[0];
}

/* Divides shared memory into consecutive parts. */
struct grid_carve {
	size_t used;
};

static __host__ __device__ __forceinline__ size_t grid_part(grid_carve *c, size_t bytes)
{
	size_t at = c->used;

	c->used += (bytes + 15) & ~(size_t)15;
	return at;
}

/* ---- selection ---- */

struct select_shared {
	uint32_t *rank; /* of the block's variables */
	uint32_t *ones; /* of the same variables, among the selected */
	uint32_t *key;  /* of all variables */
	uint32_t *bins;
	uint32_t *position; /* of the selected */
	uint32_t *source;   /* rows of the population, of the block's variables */
	int32_t *fitness;   /* of the population, if it is small enough */
	uint32_t *sums;     /* of warps */
	uint32_t *found; /* digit, individuals above it, greatest value, first individual that has
			       it */
};

enum { SELECT_SMALL = 384 }; /* words of a population whose fitness fits into shared memory */

static __host__ __device__ __forceinline__ bool select_small(const boa_grid_arguments *a)
{
	return a->population_words <= SELECT_SMALL;
}

static __host__ __device__ __forceinline__ size_t select_carve(const boa_grid_arguments *a,
							       unsigned char *base,
							       select_shared *s)
{
	grid_carve c = { 0 };
	size_t rows = (size_t)a->rows, words = (size_t)a->population_words;

	s->rank = (uint32_t *)(base + grid_part(&c, rows * 4));
	s->ones = (uint32_t *)(base + grid_part(&c, rows * 4));
	s->key = (uint32_t *)(base + grid_part(&c, ((size_t)a->n + 3) / 4 * 16));
	s->sums = (uint32_t *)(base + grid_part(&c, BOA_GRID_WARPS * 4));
	s->found = (uint32_t *)(base + grid_part(&c, 16));
	s->bins = (uint32_t *)(base + grid_part(&c, BOA_GRID_BINS * 4));
	s->position = (uint32_t *)(base + grid_part(&c, (size_t)a->selected * 4));
	s->source = (uint32_t *)(base + grid_part(&c, rows * words * 4));
	s->fitness = (int32_t *)(base + grid_part(&c, select_small(a) ? words * 128 : 0));
	return c.used;
}

/* The variables of the block. */
struct select_rows {
	uint32_t first, count;
};

static __device__ __forceinline__ select_rows select_own(const boa_grid_arguments *a)
{
	uint32_t first = blockIdx.x * (uint32_t)a->rows, n = (uint32_t)a->n;

	return { first, first < n ? min((uint32_t)a->rows, n - first) : 0 };
}

/* Computes the ranks of the variables of the block: the number of smaller keys. If there are fewer
 * variables than warps, several warps count for each. */
static __device__ void select_rank(const grid_block *b, const select_shared *s)
{
	const boa_grid_arguments *a = b->a;
	select_rows own = select_own(a);
	uint32_t fours = ((uint32_t)a->n + 3) / 4, lane = threadIdx.x & 31, shift = 0;

	for (uint32_t r = threadIdx.x; r < own.count; r += BOA_GRID_BLOCK)
		s->rank[r] = s->ones[r] = 0;
	for (uint32_t i = threadIdx.x; i < fours; i += BOA_GRID_BLOCK) {
		struct philox4 p = philox_7(i, 0, (uint32_t)b->generation, BOA_ORDER, a->seed);
		uint32_t left = (uint32_t)a->n - 4 * i;

		/* the keys after the last are not smaller than any */
		*(uint4 *)&s->key[4 * i] =
			make_uint4(p.word[0], left > 1 ? p.word[1] : ~0u,
				   left > 2 ? p.word[2] : ~0u, left > 3 ? p.word[3] : ~0u);
	}
	__syncthreads();
	while ((own.count << (shift + 1)) <= BOA_GRID_WARPS && shift < 4)
		shift++;
	for (uint32_t item = threadIdx.x / 32; item < own.count << shift; item += BOA_GRID_WARPS) {
		uint32_t r = item >> shift, part = item & ((1u << shift) - 1);
		uint32_t v = own.first + r, key = s->key[v], smaller = 0;

#pragma unroll 2
		for (uint32_t i = part * 32 + lane; i < fours; i += 32u << shift) {
			uint4 four = *(const uint4 *)&s->key[4 * i];
			uint32_t x[4] = { four.x, four.y, four.z, four.w };

#pragma unroll
			for (uint32_t k = 0; k < 4; k++)
				smaller += x[k] < key || (x[k] == key && 4 * i + k < v);
		}
		smaller = __reduce_add_sync(WARP_ALL, smaller);
		if (lane == 0)
			atomicAdd(&s->rank[r], smaller);
	}
}

static __device__ __forceinline__ const int32_t *select_far_fitness(const grid_block *b, int32_t i)
{
	int32_t kept = b->kept * 32;

	return i < kept ? &grid_kept_fitness(b->a, b->side)[i] : &b->a->column_fitness[i - kept];
}
static __device__ __forceinline__ const int32_t *select_fitness(const grid_block *b,
								const select_shared *s, int32_t i)
{
	return select_small(b->a) ? &s->fitness[i] : select_far_fitness(b, i);
}
static __device__ __forceinline__ uint32_t select_value(const grid_block *b, const select_shared *s,
							int32_t i)
{
	return (uint32_t)*select_fitness(b, s, i) - (uint32_t)b->a->fitness.least;
}

/* Copies all fitness values to shared memory, if there is room. */
static __device__ __forceinline__ void select_fetch_fitness(const grid_block *b,
							    const select_shared *s)
{
	enum { AT_ONCE = 3 };
	int32_t end = select_small(b->a) ? b->a->population : 0;

	for (int32_t i = (int32_t)threadIdx.x * 4; i < end; i += AT_ONCE * BOA_GRID_BLOCK * 4) {
		int4 four[AT_ONCE];

#pragma unroll
		for (int32_t k = 0, at = i; k < AT_ONCE; k++, at += BOA_GRID_BLOCK * 4)
			four[k] = at < end ? *(const int4 *)select_far_fitness(b, at) :
					     make_int4(0, 0, 0, 0);
#pragma unroll
		for (int32_t k = 0, at = i; k < AT_ONCE; k++, at += BOA_GRID_BLOCK * 4)
			if (at < end)
				*(int4 *)&s->fitness[at] = four[k];
	}
}

/* Starts to copy the block's rows of the population to shared memory. Up to 32 threads read the
 * rows of a column together. */
static __device__ __forceinline__ void select_fetch(const grid_block *b, const select_shared *s)
{
	const boa_grid_arguments *a = b->a;
	select_rows own = select_own(a);
	uint32_t words = (uint32_t)a->population_words, kept = (uint32_t)b->kept;
	uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	uint32_t shift = own.count > 1 ? min(32u - (uint32_t)__clz((int)own.count - 1), 5u) : 0;
	const uint32_t *row =
		grid_rows(a, b->side) + (size_t)own.first * (uint32_t)a->selected_words;

	for (uint32_t i = warp; i < 2 * own.count; i += BOA_GRID_WARPS)
		for (uint32_t w = (i & 1) * 32 + lane; w < kept; w += 64)
			copy_async_4(&s->source[i / 2 * words + w],
				     &row[i / 2 * (uint32_t)a->selected_words + w]);
	for (uint32_t w = threadIdx.x >> shift; w < words - kept; w += BOA_GRID_BLOCK >> shift)
		for (uint32_t r = threadIdx.x & ((1u << shift) - 1); r < own.count; r += 32)
			copy_async_4(&s->source[r * words + kept + w],
				     &a->columns[(size_t)w * (uint32_t)a->column + own.first + r]);
	copy_async_commit();
}

/* Returns the sum of s->sums over the warps before this one; *all becomes the sum over all warps.
 * All threads call it, after a barrier. */
static __device__ __forceinline__ uint32_t select_before(const select_shared *s, uint32_t *all)
{
	uint32_t lane = threadIdx.x & 31, sum = lane < BOA_GRID_WARPS ? s->sums[lane] : 0;

	*all = __reduce_add_sync(WARP_ALL, sum);
	return __reduce_add_sync(WARP_ALL, lane < threadIdx.x / 32 ? sum : 0);
}

/* Finds the digit of the last of the `need` fittest individuals, and the number of individuals with
 * a greater digit. Stores both in s->found. */
static __device__ void select_digit(const select_shared *s, uint32_t need)
{
	enum { EACH = BOA_GRID_BINS / BOA_GRID_BLOCK };
	static_assert(EACH == 4, "a thread has four bins");
	unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	uint32_t top = BOA_GRID_BINS - 1 - threadIdx.x * EACH, all;
	uint4 bins = *(const uint4 *)&s->bins[top - 3];
	uint32_t sum = bins.x + bins.y + bins.z + bins.w;
	uint32_t upto = warp_scan(sum, lane);

	if (lane == 31)
		s->sums[warp] = upto;
	__syncthreads();
	upto += select_before(s, &all);
	if (upto - sum < need && need <= upto) {
		uint32_t above = upto - sum;
		uint32_t to[3] = { above + bins.w, above + bins.w + bins.z,
				   above + bins.w + bins.z + bins.y };
		uint32_t place = (to[0] < need) + (to[1] < need) + (to[2] < need);

		s->found[0] = top - place;
		s->found[1] = place == 0 ? above : place == 1 ? to[0] : place == 2 ? to[1] : to[2];
	}
	__syncthreads();
}

static __device__ __forceinline__ void select_clear(const select_shared *s)
{
	for (uint32_t i = threadIdx.x * 4; i < BOA_GRID_BINS; i += BOA_GRID_BLOCK * 4)
		*(uint4 *)&s->bins[i] = make_uint4(0, 0, 0, 0);
}

/* Returns the value of the last selected individual; *need becomes the number of individuals with
 * that value that are selected. The greatest value of all is left in s->found[2]. */
static __device__ uint32_t select_threshold(const grid_block *b, const select_shared *s,
					    uint32_t *need)
{
	const boa_grid_arguments *a = b->a;
	uint32_t prefix = 0, most = 0, least = (uint32_t)a->fitness.least;

	*need = (uint32_t)a->selected;
	for (int32_t d = a->digits - 1; d >= 0; d--) {
		unsigned shift = (unsigned)d * BOA_GRID_DIGIT;
		bool first = d == a->digits - 1;

		if (!first)
			select_clear(s);
		__syncthreads();
#pragma unroll 3
		for (int32_t i = (int32_t)threadIdx.x * 4; i < a->population;
		     i += BOA_GRID_BLOCK * 4) {
			int4 four = *(const int4 *)select_fitness(b, s, i);
			uint32_t value[4] = { (uint32_t)four.x - least, (uint32_t)four.y - least,
					      (uint32_t)four.z - least, (uint32_t)four.w - least };

#pragma unroll
			for (int k = 0; k < 4; k++) {
				most = max(most, value[k]);
				if (first || value[k] >> (shift + BOA_GRID_DIGIT) == prefix)
					atomicAdd(&s->bins[value[k] >> shift & (BOA_GRID_BINS - 1)],
						  1u);
			}
		}
		if (first) {
			most = __reduce_max_sync(WARP_ALL, most);
			if ((threadIdx.x & 31) == 0)
				atomicMax(&s->found[2], most);
		}
		__syncthreads();
		select_digit(s, *need);
		prefix = prefix << BOA_GRID_DIGIT | s->found[0];
		*need -= s->found[1];
	}
	return prefix;
}

/* Records the first of the best individuals if it is better than the best so far. Called by all
 * threads. */
static __device__ void select_best(grid_block *b, const select_shared *s)
{
	const boa_grid_arguments *a = b->a;
	uint32_t most = s->found[2];
	int32_t best = (int32_t)(most + (uint32_t)a->fitness.least);
	select_rows own = select_own(a);

	if (best <= b->best)
		return;
	b->best = best;
	if (threadIdx.x == 0)
		s->found[3] = 0xffffffffu;
	__syncthreads();
	for (int32_t i = (int32_t)threadIdx.x; i < a->population; i += BOA_GRID_BLOCK)
		if (select_value(b, s, i) == most) {
			atomicMin(&s->found[3], (uint32_t)i);
			break;
		}
	copy_async_wait<0>();
	__syncthreads();
	for (uint32_t r = threadIdx.x; r < own.count; r += BOA_GRID_BLOCK) {
		uint32_t i = s->found[3];
		uint32_t word = s->source[r * (uint32_t)a->population_words + i / 32];

		a->best_bits[own.first + r] = (uint8_t)(word >> (i % 32) & 1);
	}
}

/* The lowest `count` set bits of `word`. */
static __device__ __forceinline__ uint32_t select_lowest(uint32_t word, int32_t count)
{
	uint32_t rest = word;

	if (count >= __popc(word))
		return word;
	for (int32_t i = 0; i < count; i++)
		rest &= rest - 1;
	return word ^ rest;
}

/* Positions of the selected; one block keeps their fitness. A warp takes up to 32 consecutive
 * words, one per lane. */
static __device__ void select_place(const grid_block *b, const select_shared *s, uint32_t threshold,
				    uint32_t need)
{
	const boa_grid_arguments *a = b->a;
	unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	uint32_t words = (uint32_t)a->population_words, fitter = 0, alike = 0;
	bool keeper = blockIdx.x == gridDim.x - 1;

	for (uint32_t start = 0; start < words; start += BOA_GRID_BLOCK) {
		uint32_t each =
			(min(words - start, (uint32_t)BOA_GRID_BLOCK) + BOA_GRID_WARPS - 1) /
			BOA_GRID_WARPS;
		uint32_t first = start + warp * each, more = 0, same = 0, all;
		uint32_t own = first < words ? min(each, words - first) : 0;
		int32_t last = (int32_t)(threshold + (uint32_t)a->fitness.least);

		if (start)
			__syncthreads(); /* the sums have been used */
#pragma unroll 5
		for (uint32_t j = 0; j < own; j++) {
			int32_t value = *select_fitness(b, s, (int32_t)(32 * (first + j) + lane));
			uint32_t over = __ballot_sync(WARP_ALL, value > last);
			uint32_t equal = __ballot_sync(WARP_ALL, value == last);

			more = lane == j ? over : more;
			same = lane == j ? equal : same;
		}
		/* counts of both in one number: 512 words have 16,384 individuals */
		uint32_t count = (uint32_t)__popc(more) << 16 | (uint32_t)__popc(same);
		uint32_t upto = warp_scan(count, lane);

		if (lane == 31)
			s->sums[warp] = upto;
		__syncthreads();
		uint32_t before = select_before(s, &all) + upto - count;
		uint32_t alike_before = alike + (before & 0xffff);
		int32_t left = (int32_t)need - (int32_t)alike_before;
		uint32_t taken = more | (left > 0 ? select_lowest(same, left) : 0);
		uint32_t place = fitter + (before >> 16) + min(alike_before, need);

#pragma unroll 5
		for (uint32_t j = 0; j < own; j++) {
			uint32_t bits = __shfl_sync(WARP_ALL, taken, (int)j);
			uint32_t at = __shfl_sync(WARP_ALL, place, (int)j) + warp_rank(bits, lane);
			uint32_t i = 32 * (first + j) + lane;

			if (!(bits >> lane & 1))
				continue;
			s->position[at] = i;
			if (keeper)
				grid_kept_fitness(a, b->side ^ 1)[at] =
					*select_fitness(b, s, (int32_t)i);
		}
		fitter += all >> 16;
		alike += all & 0xffff;
	}
}

/* Gathers the bits of the selected individuals, for the variables of the block. */
static __device__ void select_gather(const grid_block *b, const select_shared *s)
{
	const boa_grid_arguments *a = b->a;
	unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	uint32_t first = select_own(a).first, rows = select_own(a).count;
	uint32_t words = (uint32_t)a->population_words;
	uint32_t *kept = grid_rows(a, b->side ^ 1);

	for (uint32_t start = 0; start < rows; start += 32) {
		uint32_t some = min(32u, rows - start), ones = 0, own = start + lane;

		for (uint32_t w = warp; w < (uint32_t)a->selected_words; w += BOA_GRID_WARPS) {
			uint32_t from = s->position[32 * w + lane], bit = 1u << (from % 32);
			uint32_t word = 0;
			const uint32_t *source = s->source + start * words + from / 32;

#pragma unroll 8
			for (uint32_t r = 0; r < some; r++, source += words) {
				uint32_t all = __ballot_sync(WARP_ALL, *source & bit);

				word = lane == r ? all : word;
			}
			if (lane < some) {
				ones += (uint32_t)__popc(word);
				kept[(size_t)(first + own) * (uint32_t)a->selected_words + w] =
					word;
				a->ranked[(size_t)s->rank[own] * (uint32_t)a->row + w] = word;
			}
		}
		if (lane < some)
			atomicAdd(&s->ones[own], ones);
	}
	__syncthreads();
	bool varied = false;
	for (uint32_t r = threadIdx.x; r < rows; r += BOA_GRID_BLOCK) {
		uint32_t rank = s->rank[r], ones = s->ones[r];

		a->places[rank] = (first + r) << 16 | ones;
		varied |= ones > 0 && ones < (uint32_t)a->selected;
	}
	if (varied)
		atomicMax(&a->counters->varied, (uint32_t)b->generation + 1);
	for (uint32_t i = blockIdx.x * BOA_GRID_BLOCK + threadIdx.x;
	     i < (uint32_t)(a->parents * a->groups * BOA_GRID_GROUP);
	     i += gridDim.x * BOA_GRID_BLOCK)
		a->best[i] = 0;
}

/* The part of selection that does not need the fitness values. */
static __device__ void select_prepare(const grid_block *b)
{
	select_shared s;

	select_carve(b->a, grid_region(b->a), &s);
	select_clear(&s);
	if (threadIdx.x == 0)
		s.found[2] = 0;
	select_rank(b, &s);
}

/* Updates the run's best individual. True if the run ends here. */
static __device__ bool select_look(grid_block *b, uint32_t *threshold, uint32_t *need)
{
	const boa_grid_arguments *a = b->a;
	select_shared s;

	select_carve(a, grid_region(a), &s);
	select_fetch_fitness(b, &s);
	select_fetch(b, &s);
	*threshold = select_threshold(b, &s, need);
	select_best(b, &s);
	return b->generation >= a->last ||
	       (a->stop_at_optimum && a->optimum_known && b->best == a->optimum);
}

static __device__ void select_take(const grid_block *b, uint32_t threshold, uint32_t need)
{
	select_shared s;

	select_carve(b->a, grid_region(b->a), &s);
	select_place(b, &s, threshold, need);
	copy_async_wait<0>();
	__syncthreads();
	select_gather(b, &s);
}

/* Writes the present population row by row. */
static __device__ void select_hand_out(const grid_block *b)
{
	const boa_grid_arguments *a = b->a;
	uint32_t words = (uint32_t)a->population_words, kept = (uint32_t)b->kept;
	size_t all = (size_t)a->n * words, threads = (size_t)gridDim.x * BOA_GRID_BLOCK;
	size_t first = (size_t)blockIdx.x * BOA_GRID_BLOCK + threadIdx.x;

	for (size_t i = first; a->out_words && i < all; i += threads) {
		size_t v = i / words;
		uint32_t w = (uint32_t)(i - v * words);

		a->out_words[i] =
			w < kept ? grid_rows(a, b->side)[v * (uint32_t)a->selected_words + w] :
				   a->columns[(size_t)(w - kept) * (uint32_t)a->column + v];
	}
	for (size_t i = first; a->out_fitness && i < (size_t)a->population; i += threads)
		a->out_fitness[i] = *select_far_fitness(b, (int32_t)i);
}

#endif
