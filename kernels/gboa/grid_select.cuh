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
	uint32_t *key;  /* of all variables; the following arrays reuse its memory */
	uint32_t *bins;
	uint32_t *above, *equal; /* words: individuals above and at the threshold */
	uint32_t *before;        /* number of selected individuals before the word */
	uint32_t *position;      /* of the selected */
	uint32_t *source;        /* rows of the population, of the block's variables */
	int32_t *fitness;        /* of the population, if it is small enough */
	uint32_t *sums;          /* of warps, 2 x 32 */
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
	s->sums = (uint32_t *)(base + grid_part(&c, 256));
	s->found = (uint32_t *)(base + grid_part(&c, 16));
	size_t after = c.used;
	s->key = (uint32_t *)(base + grid_part(&c, (size_t)a->n * 4 + 16));
	size_t keyed = c.used;
	c.used = after;
	s->bins = (uint32_t *)(base + grid_part(&c, BOA_GRID_BINS * 4));
	s->above = (uint32_t *)(base + grid_part(&c, words * 4));
	s->equal = (uint32_t *)(base + grid_part(&c, words * 4));
	s->before = (uint32_t *)(base + grid_part(&c, words * 4));
	s->position = (uint32_t *)(base + grid_part(&c, (size_t)a->selected * 4));
	s->source = (uint32_t *)(base + grid_part(&c, rows * words * 4));
	s->fitness = (int32_t *)(base + grid_part(&c, select_small(a) ? words * 128 : 0));
	return c.used > keyed ? c.used : keyed;
}

/* Computes the ranks of the variables of the block: the number of smaller keys. */
static __device__ void select_rank(const grid_block *b, const select_shared *s)
{
	const boa_grid_arguments *a = b->a;
	unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	int32_t first = (int32_t)blockIdx.x * a->rows, end = min(a->n, first + a->rows);

	for (int32_t four = (int32_t)threadIdx.x * 4; four < a->n; four += BOA_GRID_BLOCK * 4) {
		struct philox4 p = philox_7((uint32_t)four >> 2, 0, (uint32_t)b->generation,
					    BOA_ORDER, a->seed);

		for (int32_t i = 0; i < 4; i++)
			s->key[four + i] = p.word[i];
	}
	__syncthreads();
	for (int32_t v = first + (int32_t)warp; v < end; v += BOA_GRID_WARPS) {
		uint32_t own = s->key[v], smaller = 0;

		for (int32_t u = (int32_t)lane; u < a->n; u += 32) {
			uint32_t key = s->key[u];

			smaller += key < own || (key == own && u < v);
		}
		smaller = __reduce_add_sync(WARP_ALL, smaller);
		if (lane == 0)
			s->rank[v - first] = smaller;
	}
	__syncthreads();
}

static __device__ __forceinline__ int32_t select_far_fitness(const grid_block *b, int32_t i)
{
	int32_t kept = b->kept * 32;

	return i < kept ? grid_kept_fitness(b->a, b->side)[i] : b->a->column_fitness[i - kept];
}
static __device__ __forceinline__ int32_t select_fitness(const grid_block *b,
							 const select_shared *s, int32_t i)
{
	return select_small(b->a) ? s->fitness[i] : select_far_fitness(b, i);
}
static __device__ __forceinline__ uint32_t select_value(const grid_block *b, const select_shared *s,
							int32_t i)
{
	return (uint32_t)select_fitness(b, s, i) - (uint32_t)b->a->fitness.least;
}

/* Starts to copy all fitness values to shared memory. */
static __device__ __forceinline__ void select_fetch_fitness(const grid_block *b,
							    const select_shared *s)
{
	const boa_grid_arguments *a = b->a;
	int32_t kept = b->kept * 32;

	if (select_small(a))
		for (int32_t i = (int32_t)threadIdx.x * 4; i < a->population;
		     i += BOA_GRID_BLOCK * 4)
			copy_async_16(&s->fitness[i], i < kept ? &grid_kept_fitness(a, b->side)[i] :
								 &a->column_fitness[i - kept]);
	copy_async_commit();
}

/* Starts to copy the block's rows of the population to shared memory. */
static __device__ void select_fetch(const grid_block *b, const select_shared *s)
{
	const boa_grid_arguments *a = b->a;
	uint32_t first = blockIdx.x * (uint32_t)a->rows;
	uint32_t rows = first < (uint32_t)a->n ? min((uint32_t)a->rows, (uint32_t)a->n - first) : 0;
	uint32_t words = (uint32_t)a->population_words, kept = (uint32_t)b->kept;
	const uint32_t *row = grid_rows(a, b->side) + (size_t)first * (uint32_t)a->selected_words;

	for (uint32_t i = threadIdx.x; i < rows * kept; i += BOA_GRID_BLOCK) {
		uint32_t r = i / kept, w = i - r * kept;

		copy_async_4(&s->source[r * words + w], &row[r * (uint32_t)a->selected_words + w]);
	}
	for (uint32_t i = threadIdx.x; i < rows * (words - kept); i += BOA_GRID_BLOCK) {
		uint32_t w = i / rows, r = i - w * rows;

		copy_async_4(&s->source[r * words + kept + w],
			     &a->columns[(size_t)w * (uint32_t)a->column + first + r]);
	}
	copy_async_commit();
}

/* Finds the digit of the last of the `need` fittest individuals, and the number of individuals with
 * a greater digit. Stores both in s->found. */
static __device__ void select_digit(const select_shared *s, uint32_t need)
{
	enum { EACH = BOA_GRID_BINS / BOA_GRID_BLOCK };
	unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	uint32_t top = BOA_GRID_BINS - 1 - threadIdx.x * EACH, sum = 0;

	for (uint32_t i = 0; i < EACH; i++)
		sum += s->bins[top - i];
	uint32_t upto = warp_scan(sum, lane);

	if (lane == 31)
		s->sums[warp] = upto;
	__syncthreads();
	for (unsigned w = 0; w < warp; w++)
		upto += s->sums[w];
	if (upto - sum < need && need <= upto) {
		uint32_t above = upto - sum;

		while (above + s->bins[top] < need)
			above += s->bins[top--];
		s->found[0] = top;
		s->found[1] = above;
	}
	__syncthreads();
}

/* Returns the value of the last selected individual; *need becomes the number of individuals with
 * that value that are selected. The greatest value of all is left in s->found[2]. */
static __device__ uint32_t select_threshold(const grid_block *b, const select_shared *s,
					    uint32_t *need)
{
	const boa_grid_arguments *a = b->a;
	uint32_t prefix = 0, most = 0;

	*need = (uint32_t)a->selected;
	if (threadIdx.x == 0)
		s->found[2] = 0;
	copy_async_wait<1>();
	for (int32_t d = a->digits - 1; d >= 0; d--) {
		unsigned shift = (unsigned)d * BOA_GRID_DIGIT;

		for (uint32_t i = threadIdx.x; i < BOA_GRID_BINS; i += BOA_GRID_BLOCK)
			s->bins[i] = 0;
		__syncthreads();
		for (int32_t i = (int32_t)threadIdx.x; i < a->population; i += BOA_GRID_BLOCK) {
			uint32_t value = select_value(b, s, i);

			most = max(most, value);
			if (d == a->digits - 1 || value >> (shift + BOA_GRID_DIGIT) == prefix)
				atomicAdd(&s->bins[value >> shift & (BOA_GRID_BINS - 1)], 1u);
		}
		__syncthreads();
		select_digit(s, *need);
		prefix = prefix << BOA_GRID_DIGIT | s->found[0];
		*need -= s->found[1];
	}
	most = __reduce_max_sync(WARP_ALL, most);
	if ((threadIdx.x & 31) == 0)
		atomicMax(&s->found[2], most);
	__syncthreads();
	return prefix;
}

/* Records the first of the best individuals if it is better than the best so far. Called by all
 * threads. */
static __device__ void select_best(grid_block *b, const select_shared *s)
{
	const boa_grid_arguments *a = b->a;
	uint32_t most = s->found[2];
	int32_t best = (int32_t)(most + (uint32_t)a->fitness.least);
	uint32_t first = blockIdx.x * (uint32_t)a->rows;

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
	for (uint32_t r = threadIdx.x; r < (uint32_t)a->rows && first + r < (uint32_t)a->n;
	     r += BOA_GRID_BLOCK) {
		uint32_t i = s->found[3];
		uint32_t word = s->source[r * (uint32_t)a->population_words + i / 32];

		a->best_bits[first + r] = (uint8_t)(word >> (i % 32) & 1);
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

/* Changes s->above to the selected individuals, and sets s->before to the number of them before
 * each word. */
static __device__ void select_mark(const grid_block *b, const select_shared *s, uint32_t threshold,
				   uint32_t need)
{
	const boa_grid_arguments *a = b->a;
	unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	uint32_t words = (uint32_t)a->population_words, above = 0, equal = 0;

	for (uint32_t w = warp; w < words; w += BOA_GRID_WARPS) {
		uint32_t value = select_value(b, s, (int32_t)(32 * w + lane));
		uint32_t more = __ballot_sync(WARP_ALL, value > threshold);
		uint32_t same = __ballot_sync(WARP_ALL, value == threshold);

		if (lane == 0) {
			s->above[w] = more;
			s->equal[w] = same;
		}
	}
	__syncthreads();
	for (uint32_t start = 0; start < words; start += BOA_GRID_BLOCK) {
		uint32_t w = start + threadIdx.x;
		uint32_t more = w < words ? s->above[w] : 0, same = w < words ? s->equal[w] : 0;
		uint32_t fitter = (uint32_t)__popc(more), alike = (uint32_t)__popc(same);
		uint32_t upto_fitter = fitter, upto_alike = alike;

		/* two scans side by side */
		for (unsigned step = 1; step < 32; step *= 2) {
			uint32_t x = __shfl_up_sync(WARP_ALL, upto_fitter, step);
			uint32_t y = __shfl_up_sync(WARP_ALL, upto_alike, step);

			upto_fitter += lane >= step ? x : 0;
			upto_alike += lane >= step ? y : 0;
		}
		if (lane == 31) {
			s->sums[warp] = upto_fitter;
			s->sums[32 + warp] = upto_alike;
		}
		__syncthreads();
		upto_fitter += above;
		upto_alike += equal;
		for (unsigned i = 0; i < BOA_GRID_WARPS; i++) {
			upto_fitter += i < warp ? s->sums[i] : 0;
			upto_alike += i < warp ? s->sums[32 + i] : 0;
			above += s->sums[i];
			equal += s->sums[32 + i];
		}
		uint32_t alike_before = upto_alike - alike;
		int32_t left = (int32_t)need - (int32_t)alike_before;

		if (w < words) {
			s->above[w] = more | (left > 0 ? select_lowest(same, left) : 0);
			s->before[w] = upto_fitter - fitter + min(alike_before, need);
		}
		__syncthreads();
	}
}

/* Positions of the selected; one block keeps their fitness. */
static __device__ void select_place(const grid_block *b, const select_shared *s)
{
	const boa_grid_arguments *a = b->a;
	unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	bool keeper = blockIdx.x == gridDim.x - 1;

	for (uint32_t w = warp; w < (uint32_t)a->population_words; w += BOA_GRID_WARPS) {
		uint32_t taken = s->above[w], i = 32 * w + lane;

		if (taken >> lane & 1) {
			uint32_t at = s->before[w] + warp_rank(taken, lane);

			s->position[at] = i;
			if (keeper)
				grid_kept_fitness(a, b->side ^ 1)[at] =
					select_fitness(b, s, (int32_t)i);
		}
	}
	__syncthreads();
}

/* Gathers the bits of the selected individuals, for the variables of the block. */
static __device__ void select_gather(const grid_block *b, const select_shared *s)
{
	const boa_grid_arguments *a = b->a;
	unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	uint32_t first = blockIdx.x * (uint32_t)a->rows;
	uint32_t rows = first < (uint32_t)a->n ? min((uint32_t)a->rows, (uint32_t)a->n - first) : 0;
	uint32_t *kept = grid_rows(a, b->side ^ 1);

	for (uint32_t start = 0; start < rows; start += 32) {
		uint32_t some = min(32u, rows - start), ones = 0, own = start + lane;

		for (uint32_t w = warp; w < (uint32_t)a->selected_words; w += BOA_GRID_WARPS) {
			uint32_t from = s->position[32 * w + lane], word = 0;
			const uint32_t *source =
				s->source + start * (uint32_t)a->population_words + from / 32;

			for (uint32_t r = 0; r < some; r++) {
				uint32_t bit = *source >> (from % 32) & 1;
				uint32_t all = __ballot_sync(WARP_ALL, (int)bit);

				word = lane == r ? all : word;
				source += a->population_words;
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

		a->variable[rank] = (int32_t)(first + r);
		a->ones[rank] = (int32_t)ones;
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
	select_rank(b, &s);
	for (uint32_t r = threadIdx.x; r < (uint32_t)b->a->rows; r += BOA_GRID_BLOCK)
		s.ones[r] = 0;
	__syncthreads();
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
	select_mark(b, &s, threshold, need);
	select_place(b, &s);
	copy_async_wait<0>();
	__syncthreads();
	grid_lap(b->a, BOA_GRID_MARK);
	select_gather(b, &s);
	grid_lap(b->a, BOA_GRID_GATHER);
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
		a->out_fitness[i] = select_far_fitness(b, (int32_t)i);
}

#endif
