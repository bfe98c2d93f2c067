/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The grid kernel (grid.h): the steps "sample" and "evaluate", the loop over generations, and
 * the launch. */
#include "kernels/gboa/grid.h"

#include "kernels/gboa/fitness.h"
#include "kernels/gboa/arithmetic.h"
#include "kernels/gboa/grid_learn.cuh"
#include "kernels/gboa/grid_select.cuh"

enum { SAMPLE_CONFIGURATIONS = 1 << BOA_GRID_PARENTS };

struct sample_shared {
	uint32_t *candidate; /* candidate words of each configuration, all ranks */
	unsigned long long
		*family;  /* of a rank: its parents' ranks (three) and its variable, 16 bits each */
	uint32_t *word;   /* chosen word of a rank; 0 after the last rank */
	uint32_t *chosen; /* bit masks of the ranks that have chosen, 32 in a word, then a word of
			     ones; two copies, for reading and writing */
	uint32_t *column; /* chosen word of a variable */
	uint32_t *complete; /* traps that are all ones */
	int32_t *fitness;   /* 32 */
	uint32_t *edges;
};

static __host__ __device__ __forceinline__ uint32_t sample_ranks(const boa_grid_arguments *a)
{
	return ((uint32_t)a->n + 31) / 32 * 32;
}

static __host__ __device__ __forceinline__ size_t sample_carve(const boa_grid_arguments *a,
							       unsigned char *base,
							       sample_shared *s)
{
	grid_carve c = { 0 };
	size_t ranks = sample_ranks(a);

	s->candidate = (uint32_t *)(base + grid_part(&c, ranks * SAMPLE_CONFIGURATIONS * 4));
	s->family = (unsigned long long *)(base + grid_part(&c, ranks * 8));
	s->word = (uint32_t *)(base + grid_part(&c, ranks * 4 + 4));
	s->chosen = (uint32_t *)(base + grid_part(&c, (ranks / 32 + 1) * 8));
	s->column = (uint32_t *)(base + grid_part(&c, ranks * 4));
	s->fitness = (int32_t *)(base + grid_part(&c, 32 * 4));
	s->edges = (uint32_t *)(base + grid_part(&c, 4));
	s->complete = s->candidate;
	return c.used;
}

/* The family of a rank in the network. */
struct sample_family {
	uint32_t parent[BOA_GRID_PARENTS]; /* ranks, or the place after the last */
	int32_t count;
	const uint32_t *thresholds; /* valid if count > 0 */
};

static __device__ __forceinline__ sample_family sample_look_up(const boa_grid_arguments *a,
							       uint32_t rank)
{
	uint32_t none = sample_ranks(a);
	sample_family f = { { none, none, none }, 0, NULL };

#pragma unroll
	for (int r = 0; r < BOA_GRID_PARENTS; r++) {
		unsigned long long best =
			r < a->parents ?
				a->best[(uint32_t)(r * a->groups * BOA_GRID_GROUP) + rank] :
				0;

		if (best) {
			f.parent[r] = (uint32_t)(best & 0xffff);
			f.count = r + 1;
			f.thresholds =
				a->thresholds[r] +
				(((size_t)rank * (uint32_t)a->groups + f.parent[r] / BOA_GRID_GROUP)
				 << (r + 1));
		}
	}
	return f;
}

/* Thresholds of all configurations of a family; 0 for others. */
static __device__ __forceinline__ void sample_thresholds(const boa_grid_arguments *a,
							 const sample_family &f, uint32_t ones,
							 uint32_t t[SAMPLE_CONFIGURATIONS])
{
#pragma unroll
	for (int c = 0; c < SAMPLE_CONFIGURATIONS; c += 2) {
		uint2 two = make_uint2(0, 0);

		if (f.count > 0 && c < 1 << f.count)
			two = *(const uint2 *)(f.thresholds + c);
		t[c] = two.x;
		t[c + 1] = two.y;
	}
	if (f.count == 0)
		t[0] = boa_threshold(ones, (uint32_t)a->selected,
				     a->laplace ? BOA_SMOOTH_LAPLACE : BOA_SMOOTH_NONE);
}

/* Four thresholds in bytes: byte i of `high` and `low` belongs to threshold i. */
struct sample_digits {
	uint32_t high, low;
};

static __device__ __forceinline__ sample_digits sample_split(const uint32_t t[4])
{
	uint32_t first = __byte_perm(t[0], t[1], 0x5140), second = __byte_perm(t[2], t[3], 0x5140);
	sample_digits d = { __byte_perm(first, second, 0x7632),
			    __byte_perm(first, second, 0x5410) };

	return d;
}

/* All bits of the result are the highest bit of byte i. */
template <int I> static __device__ __forceinline__ uint32_t sample_spread(uint32_t bytes)
{
#if defined(__CUDA_ARCH__)
	uint32_t all;

	asm("prmt.b32 %0, %1, %1, %2;" : "=r"(all) : "r"(bytes), "n"(0x8888 + 0x1111 * I));
	return all;
#else
	return 0u - (bytes >> (8 * I + 7) & 1);
#endif
}

/* One step of the comparison u < t, from the lowest digit to the highest. A 1 in the threshold
 * admits all numbers with a 0; a 0 excludes all numbers with a 1. */
static __device__ __forceinline__ uint32_t sample_step(uint32_t below, uint32_t digit, uint32_t set)
{
	return (~digit & (below | set)) | (below & set);
}

/* Compares 32 random numbers with four thresholds: u < t. */
static __device__ __forceinline__ void sample_below(const uint32_t digit[BOA_DIGITS],
						    const uint32_t t[4], uint32_t below[4])
{
	sample_digits d = sample_split(t);

#pragma unroll
	for (int i = 0; i < 4; i++)
		below[i] = 0;
#pragma unroll
	for (int place = 0; place < BOA_DIGITS; place++) {
		uint32_t bytes = (place < 8 ? d.low : d.high) << (7 - place % 8);
		uint32_t drawn = digit[BOA_DIGITS - 1 - place];

		below[0] = sample_step(below[0], drawn, sample_spread<0>(bytes));
		below[1] = sample_step(below[1], drawn, sample_spread<1>(bytes));
		below[2] = sample_step(below[2], drawn, sample_spread<2>(bytes));
		below[3] = sample_step(below[3], drawn, sample_spread<3>(bytes));
	}
#pragma unroll
	for (int i = 0; i < 4; i++)
		below[i] |= 0u - (t[i] >> BOA_DIGITS);
}

/* Draws the digits of a rank of a column. Does nothing for ranks beyond the last. Does not wait for
 * the network. */
static __device__ __forceinline__ void sample_draw(const grid_block *b, uint32_t rank,
						   uint32_t column, uint32_t digit[BOA_DIGITS])
{
	if (rank >= (uint32_t)b->a->n || column >= (uint32_t)b->a->offspring_words)
		return;
	uint32_t v = b->a->places[rank] >> 16;

#pragma unroll
	for (uint32_t q = 0; q < 4; q++) {
		struct philox4 p = boa_digits(b->a->seed, (uint32_t)b->generation, v, column, q);

#pragma unroll
		for (int i = 0; i < 4; i++)
			digit[4 * q + i] = p.word[i];
	}
}

/* Digits of the thread's first two ranks. */
struct sample_digits_drawn {
	uint32_t of[2][BOA_DIGITS];
};

static __device__ __forceinline__ void sample_draw_two(const grid_block *b, uint32_t column,
						       sample_digits_drawn *d)
{
	sample_draw(b, threadIdx.x, column, d->of[0]);
	sample_draw(b, threadIdx.x + BOA_GRID_BLOCK, column, d->of[1]);
}

/* Computes the words of a column for all configurations; ranks without parents choose. Returns the
 * number of parents of this thread's ranks. */
static __device__ __forceinline__ uint32_t sample_prepare(const grid_block *b,
							  const sample_shared *s, uint32_t column,
							  sample_digits_drawn *d)
{
	const boa_grid_arguments *a = b->a;
	uint32_t ranks = sample_ranks(a), edges = 0;

#pragma unroll 1
	for (uint32_t rank = threadIdx.x; rank < ranks; rank += BOA_GRID_BLOCK) {
		uint32_t there = min(rank, (uint32_t)a->n - 1);
		uint32_t place = a->places[there], v = place >> 16, ones = place & 0xffffu;
		sample_family f = sample_look_up(a, there);
		uint32_t t[SAMPLE_CONFIGURATIONS], below[4];

		sample_thresholds(a, f, ones, t);
		s->family[rank] = f.parent[0] | f.parent[1] << 16 |
				  (unsigned long long)(f.parent[2] | v << 16) << 32;
#pragma unroll
		for (int c = 0; c < SAMPLE_CONFIGURATIONS; c += 4) {
			if (c && !__any_sync(WARP_ALL, f.count == BOA_GRID_PARENTS))
				break;
			sample_below(d->of[0], t + c, below);
			if (!c)
				s->word[rank] = below[0];
#pragma unroll
			for (uint32_t i = 0; i < 4; i++)
				s->candidate[((uint32_t)c + i) * ranks + rank] = below[i];
		}
		uint32_t chosen = __ballot_sync(WARP_ALL, f.count == 0);
		if ((threadIdx.x & 31) == 0)
			s->chosen[rank / 32] = chosen;
		edges += there == rank ? (uint32_t)f.count : 0;
		if (rank == threadIdx.x) {
#pragma unroll
			for (int i = 0; i < BOA_DIGITS; i++)
				d->of[0][i] = d->of[1][i];
		} else {
			sample_draw(b, rank + BOA_GRID_BLOCK, column, d->of[0]);
		}
	}
	return edges;
}

static __device__ __forceinline__ uint32_t sample_either(uint32_t zero, uint32_t one,
							 uint32_t chosen)
{
	return (zero & ~chosen) | (one & chosen);
}

/* The bit of a rank. */
static __device__ __forceinline__ bool sample_has(const uint32_t *chosen, uint32_t rank)
{
	return chosen[rank / 32] >> (rank % 32) & 1;
}

static __device__ __forceinline__ uint32_t sample_word(const sample_shared *s, uint32_t ranks,
						       uint32_t rank, unsigned long long family)
{
	const uint32_t *c = s->candidate + rank;
	uint32_t x = s->word[family & 0xffff], y = s->word[family >> 16 & 0xffff];
	uint32_t z = s->word[family >> 32 & 0xffff];
	uint32_t low = sample_either(sample_either(c[0], c[ranks], x),
				     sample_either(c[2 * ranks], c[3 * ranks], x), y);
	uint32_t high = sample_either(sample_either(c[4 * ranks], c[5 * ranks], x),
				      sample_either(c[6 * ranks], c[7 * ranks], x), y);

	return sample_either(low, high, z);
}

/* Chooses the words of all ranks. In each pass those ranks choose whose parents had chosen before
 * it: as many passes as there are levels of dependencies. */
static __device__ __forceinline__ void sample_choose(const boa_grid_arguments *a,
						     const sample_shared *s)
{
	uint32_t ranks = sample_ranks(a), all = ranks / 32 + 1, lane = threadIdx.x & 31;
	uint32_t *before = s->chosen, *after = s->chosen + all;
	bool open;

	do {
		open = false;
#pragma unroll 1
		for (uint32_t rank = threadIdx.x; rank < ranks; rank += BOA_GRID_BLOCK) {
			uint32_t chosen = before[rank / 32];

			if (chosen != WARP_ALL) {
				bool has = chosen >> lane & 1;
				unsigned long long family = s->family[rank];

				if (!has && sample_has(before, family & 0xffff) &
						    sample_has(before, family >> 16 & 0xffff) &
						    sample_has(before, family >> 32 & 0xffff)) {
					s->word[rank] = sample_word(s, ranks, rank, family);
					has = true;
				}
				chosen = __ballot_sync(WARP_ALL, has);
				open |= chosen != WARP_ALL;
			}
			if (lane == 0)
				after[rank / 32] = chosen;
		}
		uint32_t *swap = before;
		before = after;
		after = swap;
	} while (__syncthreads_or(open));
}

/* The value of a trap of k bits is k if all are ones, else k - 1 minus the number of ones. The sum
 * of all traps is
 *
 *   traps (k - 1) - ones + complete (k + 1)
 *
 * Each lane evaluates one individual. */
static __device__ void sample_evaluate_traps(const boa_grid_arguments *a, const sample_shared *s)
{
	uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	uint32_t k = (uint32_t)a->fitness.parameter, traps = (uint32_t)a->n / k;

	for (uint32_t t = threadIdx.x; t < traps; t += BOA_GRID_BLOCK) {
		uint32_t all = WARP_ALL;

		for (uint32_t i = 0; i < k; i++)
			all &= s->column[t * k + i];
		s->complete[t] = all;
	}
	if (warp == 0)
		s->fitness[lane] = (int32_t)(traps * (k - 1));
	__syncthreads();
	uint32_t up = 1u << (31 - lane), ones = 0, complete = 0;

	for (uint32_t v = warp; v < (uint32_t)a->n; v += BOA_GRID_WARPS)
		ones += s->column[v] * up >> 31;
	for (uint32_t t = warp; t < traps; t += BOA_GRID_WARPS)
		complete += s->complete[t] * up >> 31;
	atomicAdd(&s->fitness[lane], (int32_t)(complete * (k + 1)) - (int32_t)ones);
	__syncthreads();
}

/* Copies the column from shared memory to memory and evaluates it. */
static __device__ void sample_finish(const boa_grid_arguments *a, const sample_shared *s,
				     uint32_t column)
{
	uint32_t lane = threadIdx.x;

	for (uint32_t v = threadIdx.x; v < (uint32_t)a->n; v += BOA_GRID_BLOCK)
		a->columns[(size_t)column * (uint32_t)a->column + v] = s->column[v];
	if (a->fitness.kind == BOA_TRAP) {
		sample_evaluate_traps(a, s);
		if (lane < 32)
			a->column_fitness[column * 32 + lane] = s->fitness[lane];
	} else if (lane < 32) {
		a->column_fitness[column * 32 + lane] =
			boa_fitness_of(&a->fitness, s->column, 1, lane);
	}
	__syncthreads();
}

/* Population 0. */
static __device__ void sample_first(const grid_block *b)
{
	const boa_grid_arguments *a = b->a;
	sample_shared s;

	sample_carve(a, grid_region(a), &s);
	for (uint32_t column = blockIdx.x; column < (uint32_t)a->population_words;
	     column += gridDim.x) {
		for (uint32_t v = threadIdx.x; v < (uint32_t)a->n; v += BOA_GRID_BLOCK)
			s.column[v] = boa_initial_word(a->seed, v, column);
		__syncthreads();
		sample_finish(a, &s, column);
	}
}

/* `d` holds digits of the block's first column. */
static __device__ __forceinline__ void sample_offspring(grid_block *b, sample_digits_drawn *d)
{
	const boa_grid_arguments *a = b->a;
	uint32_t ranks = sample_ranks(a);
	sample_shared s;

	sample_carve(a, grid_region(a), &s);
	for (uint32_t column = blockIdx.x; column < (uint32_t)a->offspring_words;
	     column += gridDim.x) {
		if (threadIdx.x == 0) {
			*s.edges = 0;
			s.word[ranks] = 0;
			s.chosen[ranks / 32] = s.chosen[2 * (ranks / 32) + 1] = WARP_ALL;
		}
		if (column != blockIdx.x)
			sample_draw_two(b, column, d);
		uint32_t edges = sample_prepare(b, &s, column, d);

		__syncthreads();
		if (column == blockIdx.x) {
			edges = __reduce_add_sync(WARP_ALL, edges);
			if ((threadIdx.x & 31) == 0)
				atomicAdd(s.edges, edges);
		}
		sample_choose(a, &s);
		for (uint32_t rank = threadIdx.x; rank < (uint32_t)a->n; rank += BOA_GRID_BLOCK)
			s.column[s.family[rank] >> 48] = s.word[rank];
		__syncthreads();
		if (column == blockIdx.x)
			b->edges = *s.edges;
		grid_lap(a, BOA_GRID_SAMPLE);
		sample_finish(a, &s, column);
	}
}

/* ---- runs ---- */

static __device__ void grid_fill_table(const grid_block *b)
{
	const boa_grid_arguments *a = b->a;
	uint32_t copies = (1u << a->shift) / 4, all = ((uint32_t)a->selected + 2) * copies;

	for (uint32_t i = threadIdx.x; i < all; i += BOA_GRID_BLOCK)
		((uint32_t *)grid_table())[i] = a->factorial[i / copies];
}

static __device__ void grid_load(const boa_grid_arguments *a, grid_block *b)
{
	const boa_grid_state *s = a->state;

	b->generation = s->generation;
	b->kept = s->kept;
	b->side = s->side;
	b->best = s->best;
}

static __device__ void grid_store(const grid_block *b, int64_t edges, bool converged)
{
	boa_grid_state *s = b->a->state;

	s->generation = b->generation;
	s->kept = b->kept;
	s->side = b->side;
	s->best = b->best;
	s->optimum = b->a->optimum_known && b->best == b->a->optimum;
	s->converged = converged;
	s->edges += edges;
}

static __device__ __forceinline__ void grid_learn(const grid_block *b)
{
	if (b->a->parents >= 1)
		learn_round<1>(b);
	if (b->a->parents >= 2)
		learn_round<2>(b);
	if (b->a->parents >= 3)
		learn_round<3>(b);
}

/* Learns and samples a generation whose selected individuals are in place. */
static __device__ __forceinline__ void grid_generation(grid_block *b)
{
	const boa_grid_arguments *a = b->a;

	sample_digits_drawn drawn = {};

	grid_learn(b);
	sample_draw_two(b, blockIdx.x, &drawn);
	b->past++;
	learn_wait(b);
	grid_lap(a, BOA_GRID_LEARN);
	sample_offspring(b, &drawn);
	grid_lap(a, BOA_GRID_EVALUATE);
	b->side ^= a->replace_all ? 0 : 1;
	b->kept = a->replace_all ? 0 : a->selected_words;
	b->generation++;
}

static __global__ void __launch_bounds__(BOA_GRID_BLOCK, 1)
	grid_run(const __grid_constant__ boa_grid_arguments arguments)
{
	const boa_grid_arguments *a = &arguments;
	grid_block b = { a, 0, 0, 0, 0, 0, 0, 0 };
	uint32_t threshold, need;
	int64_t edges = 0;
	bool converged = false;

	grid_load(a, &b);
	grid_fill_table(&b);
	grid_take_task(a, (int32_t)blockIdx.x);
	grid_lap(a, -1);
	if (b.generation == 0 && b.kept == 0)
		sample_first(&b);
	for (;;) {
		grid_arrive(&b);
		select_prepare(&b);
		grid_wait(&b);
		bool ended = select_look(&b, &threshold, &need);

		if (ended)
			break;
		select_take(&b, threshold, need);
		grid_arrive(&b);
		grid_wait(&b);
		grid_lap(a, BOA_GRID_SELECT);
		converged = a->stop_converged &&
			    ld_acquire_gpu(&a->counters->varied) != (uint32_t)b.generation + 1;
		if (converged)
			break;
		grid_generation(&b);
		edges += b.edges;
	}
	select_hand_out(&b);
	copy_async_wait<0>();
	if (blockIdx.x == 0 && threadIdx.x == 0)
		grid_store(&b, edges, converged);
}

/* ---- launches ---- */

static int blocks(struct dev_stream *s, size_t shared_bytes, int *count, struct err *e)
{
	return GPU_RESIDENT(e, count, grid_run, BOA_GRID_BLOCK, shared_bytes, s);
}

static int run(struct dev_stream *s, int count, size_t shared_bytes,
	       const struct boa_grid_arguments *a, struct err *e)
{
	return LAUNCH_COOPERATIVE(e, grid_run, count, BOA_GRID_BLOCK, shared_bytes, s, *a);
}

static size_t region_bytes(const struct boa_grid_arguments *a)
{
	select_shared select;
	sample_shared sample;
	size_t most = sizeof(struct learn_shared), other = select_carve(a, NULL, &select);

	most = other > most ? other : most;
	other = sample_carve(a, NULL, &sample);
	return other > most ? other : most;
}

extern "C" const struct boa_grid_kernels BACKEND_SYMBOL(boa_grid_kernels) = { blocks, run,
									      region_bytes };
