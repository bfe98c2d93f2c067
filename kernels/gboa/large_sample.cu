/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Sampling, evaluation and the best individual of a large run (large.h). */
#include "kernels/gboa/large.h"

#include "kernels/gboa/arithmetic.h"
#include "kernels/common/warp.cuh"

enum { BLOCK = 256, LEVELS_BLOCK = 1024 };

static unsigned blocks_of(int64_t items, int64_t each)
{
	return (unsigned)((items + each - 1) / each);
}

/* ---- levels ---- */

/* Runs in one block. Each round places the ranks whose parents were all placed in earlier rounds.
 * An absent parent is stored as the rank itself. A thread handles the ranks threadIdx.x,
 * threadIdx.x + 1024, ...: at most 64, one for each bit of `left` and `ready`. */
static __global__ void find_levels(const __grid_constant__ boa_large_levels l, int32_t n, int32_t k,
				   const int32_t *rank, const uint32_t *records)
{
	SHARED_MEMORY(uint32_t, placed); /* n bits, and the number of bits set */
	uint32_t *count = placed + (n + 31) / 32;
	size_t width = (size_t)boa_large_record_words(k);
	uint64_t left = 0;
	int32_t level = 0;

	for (int32_t r = (int32_t)threadIdx.x, j = 0; r < n; r += LEVELS_BLOCK, j++) {
		const uint32_t *record = records + (size_t)r * width;

		for (int32_t i = 0; i < k; i++)
			l.scratch[(size_t)r * k + i] =
				(uint16_t)(i < (int32_t)record[0] ? rank[record[1 + i]] : r);
		left |= (uint64_t)1 << j;
		if (r % 32 == 0)
			placed[r / 32] = 0;
	}
	if (threadIdx.x == 0)
		*count = 0;
	__syncthreads();
	/* there are at most n levels: damaged records must not make the device hang */
	for (; *count < (uint32_t)n && level < n; level++) {
		uint64_t ready = 0;

		for (uint64_t rest = left; rest; rest &= rest - 1) {
			int32_t r = (int32_t)threadIdx.x +
				    (__ffsll((long long)rest) - 1) * LEVELS_BLOCK;
			const uint16_t *parents = l.scratch + (size_t)r * k;
			bool is = true;

			for (int32_t i = 0; i < k; i++)
				is &= parents[i] == r ||
				      (placed[parents[i] / 32] >> parents[i] % 32 & 1);
			ready |= is ? rest & (0 - rest) : 0;
		}
		__syncthreads();
		left ^= ready;
		for (; ready; ready &= ready - 1) {
			int32_t r = (int32_t)threadIdx.x +
				    (__ffsll((long long)ready) - 1) * LEVELS_BLOCK;

			atomicOr(&placed[r / 32], 1u << r % 32);
			l.sequence[atomicAdd(count, 1u)] = r;
		}
		__syncthreads();
		if (threadIdx.x == 0)
			l.end[level] = (int32_t)*count;
	}
	if (threadIdx.x == 0)
		*l.level_count = level;
}

static int levels(struct dev_stream *s, const struct boa_large_levels *l, int32_t n, int32_t k,
		  const int32_t *rank, const uint32_t *records, struct err *e)
{
	size_t shared = ((size_t)(n + 31) / 32 + 1) * sizeof(uint32_t);

	return LAUNCH(e, find_levels, 1, LEVELS_BLOCK, shared, s, *l, n, k, rank, records);
}

/* ---- sampling ---- */

/* All ones if digit i of a threshold is 1, else 0; i is a constant. (__byte_perm does not pass on
 * the selector bit for sign replication.) */
static __device__ __forceinline__ uint32_t large_digit(uint32_t spread, int i)
{
	uint32_t byte = (uint32_t)i / 4, shifted = spread << i % 4, filled;

#if !defined(__CUDACC__)
	filled = 0u - (shifted >> (8 * byte + 7) & 1);
#else
	asm("prmt.b32 %0, %1, 0, %2;" : "=r"(filled) : "r"(shifted), "r"(0x8888u + 0x1111u * byte));
#endif
	return filled;
}

/* A thread makes one word (32 individuals) of a variable. u < t is computed from the last digit to
 * the first for all configurations at once: below[a] is valid for the individuals whose parents
 * have the values of a. This does not need the parents, so a thread computes it for its next word
 * before it waits for the parents of that word. */
template <int K> struct sample_task {
	int32_t at; /* position in the sequence */
	uint32_t variable;
	uint32_t below[1 << K];
	uint32_t parents, parent[K > 0 ? K : 1];
};

template <int K>
static __device__ __forceinline__ void sample_all(sample_task<K> *task, const uint32_t *thresholds,
						  uint64_t seed, uint32_t generation, uint32_t word)
{
	uint32_t t[1 << K];

#pragma unroll
	for (int a = 0; a < 1 << K; a++) {
		t[a] = thresholds[a];
		task->below[a] = 0;
	}
#pragma unroll
	for (int q = BOA_DIGITS / 4 - 1; q >= 0; q--) {
		struct philox4 digits =
			boa_digits(seed, generation, task->variable, word, (uint32_t)q);

#pragma unroll
		for (int d = 3; d >= 0; d--) {
			uint32_t u = digits.word[d];

#pragma unroll
			for (int a = 0; a < 1 << K; a++) {
				uint32_t one = large_digit(t[a], q * 4 + d), b = task->below[a];

				task->below[a] = (~u & (one | b)) | (one & b);
			}
		}
	}
#pragma unroll
	for (int a = 0; a < 1 << K; a++)
		task->below[a] |= 0u - (t[a] & 1);
}

template <int K>
static __device__ __forceinline__ uint32_t sample_choose(const sample_task<K> &task,
							 const uint32_t *column, size_t stride)
{
	uint32_t below[1 << K];

#pragma unroll
	for (int a = 0; a < 1 << K; a++)
		below[a] = task.below[a];
#pragma unroll
	for (int i = K - 1; i >= 0; i--) {
		uint32_t parent =
			(uint32_t)i < task.parents ? column[(size_t)task.parent[i] * stride] : 0;

#pragma unroll
		for (int a = 0; a < 1 << i; a++)
			below[a] = (parent & below[a | 1 << i]) | (~parent & below[a]);
	}
	return below[0];
}

/* Prepares the task at `at`, if there is one. */
template <int K>
static __device__ __forceinline__ void
sample_prepare(sample_task<K> *task, const boa_large_sample &p, int32_t at, int32_t column)
{
	task->at = at;
	if (at >= p.n)
		return;
	int32_t r = p.levels.sequence[at];
	const uint32_t *record = p.records + (size_t)r * boa_large_record_words(K);

	task->variable = (uint32_t)p.order[r];
	task->parents = record[0];
#pragma unroll
	for (int i = 0; i < K; i++)
		task->parent[i] = record[1 + i];
	sample_all<K>(task, record + 1 + K, p.seed, p.generation, (uint32_t)(p.to.first + column));
}

/* A block samples `columns` words of the offspring (a power of two), all variables level by level.
 * The threads of a column go through the sequence together. */
template <int K>
static __global__ void __launch_bounds__(BLOCK)
	sample_columns(const __grid_constant__ boa_large_sample p, int32_t columns)
{
	int32_t column = (int32_t)blockIdx.x * columns + (int32_t)threadIdx.x % columns;
	int32_t step = BLOCK / columns, levels = *p.levels.level_count;
	uint32_t *words = p.to.words + column;
	size_t stride = (size_t)p.to.count;
	sample_task<K> task = {};

	/* threads beyond the last column have no task */
	sample_prepare<K>(&task, p, column < p.to.count ? (int32_t)threadIdx.x / columns : p.n,
			  column);
	for (int32_t l = 0; l < levels; l++) {
		int32_t end = p.levels.end[l];

		while (task.at < end) {
			words[task.variable * stride] = sample_choose<K>(task, words, stride);
			sample_prepare<K>(&task, p, task.at + step, column);
		}
		__syncthreads();
	}
}

/* Chooses columns as wide as possible with enough blocks to fill the device. */
template <int K>
static int launch_sample(struct dev_stream *s, const boa_large_sample &p, struct err *e)
{
	int32_t columns = 32;

	while (columns > 1 && p.to.count / columns < 4 * p.processors)
		columns /= 2;
	return LAUNCH(e, sample_columns<K>, blocks_of(p.to.count, columns), BLOCK, 0, s, p,
		      columns);
}

static int sample(struct dev_stream *s, const struct boa_large_sample *p, struct err *e)
{
	static int (*const launch[])(struct dev_stream *, const boa_large_sample &,
				     struct err *) = { launch_sample<0>, launch_sample<1>,
						       launch_sample<2>, launch_sample<3>,
						       launch_sample<4>, launch_sample<5>,
						       launch_sample<6> };

	return p->to.count == 0 ? 0 : launch[p->k](s, *p, e);
}

/* ---- evaluation ---- */

static __global__ void rate(const __grid_constant__ boa_fitness f, const uint32_t *words,
			    size_t stride, int32_t individuals, uint32_t *rating)
{
	int32_t i = (int32_t)(blockIdx.x * BLOCK + threadIdx.x);

	if (i < individuals)
		rating[i] = (uint32_t)f.greatest -
			    (uint32_t)boa_fitness_of(&f, words + i / 32, stride, (uint32_t)i % 32);
}

/* Traps are sums over consecutive variables, so they are staged in shared memory, some blocks of
 * variables at a time. A thread block has 8 words, one for each warp. */
enum { RATE_WORDS = BLOCK / 32, RATE_ROWS = 256 };

/* A constant number of variables in a block makes this several times as fast. */
static __device__ __forceinline__ int32_t rate_some(struct boa_fitness *f, const uint32_t *column,
						    uint32_t bit)
{
	switch (f->parameter) {
	case 3:
		f->parameter = 3;
		return boa_fitness_trap(f, column, RATE_WORDS, bit);
	case 4:
		f->parameter = 4;
		return boa_fitness_trap(f, column, RATE_WORDS, bit);
	case 5:
		f->parameter = 5;
		return boa_fitness_trap(f, column, RATE_WORDS, bit);
	default:
		return boa_fitness_trap(f, column, RATE_WORDS, bit);
	}
}

static __global__ void rate_traps(const __grid_constant__ boa_fitness f, const uint32_t *words,
				  size_t stride, int32_t count, uint32_t *rating)
{
	SHARED_MEMORY(uint32_t, tile);
	int32_t first = (int32_t)blockIdx.x * RATE_WORDS, warp = (int32_t)threadIdx.x / 32;
	int32_t lane = (int32_t)threadIdx.x % 32, rows = RATE_ROWS / f.parameter * f.parameter;
	int32_t word = min(first + (int32_t)threadIdx.x % RATE_WORDS, count - 1), sum = 0;
	struct boa_fitness some = f;

	for (int32_t v = 0; v < f.n; v += rows) {
		some.n = min(rows, f.n - v);
		for (int32_t i = (int32_t)threadIdx.x / RATE_WORDS; i < some.n; i += 32)
			tile[i * RATE_WORDS + (int32_t)threadIdx.x % RATE_WORDS] =
				words[(size_t)(v + i) * stride + (size_t)word];
		__syncthreads();
		sum += rate_some(&some, tile + warp, (uint32_t)lane);
		__syncthreads();
	}
	if (first + warp < count)
		rating[(first + warp) * 32 + lane] = (uint32_t)f.greatest - (uint32_t)sum;
}

static int evaluate(struct dev_stream *s, const struct boa_fitness *f, const uint32_t *words,
		    size_t stride, int32_t count, uint32_t *rating, struct err *e)
{
	if (count == 0)
		return 0;
	if (f->kind == BOA_TRAP)
		return LAUNCH(e, rate_traps, blocks_of(count, RATE_WORDS), BLOCK,
			      RATE_ROWS * RATE_WORDS * sizeof(uint32_t), s, *f, words, stride,
			      count, rating);
	return LAUNCH(e, rate, blocks_of(count * 32, BLOCK), BLOCK, 0, s, *f, words, stride,
		      count * 32, rating);
}

/* ---- the best ---- */

enum { JUDGE_BLOCK = 1024, JUDGE_SHARE = 8 * JUDGE_BLOCK };

static __device__ __forceinline__ uint8_t bit_of(const boa_large_population &p, int32_t position,
						 int32_t variable)
{
	uint32_t word;

	if (position < p.kept) {
		word = p.selected[(size_t)p.rank[variable] * p.stride + position / 32];
	} else {
		int32_t column = (position - p.kept) / 32, part = 0;

		while (part + 1 < p.parts && column >= p.part[part + 1].first)
			part++;
		word = p.part[part].words[(size_t)variable * p.part[part].count +
					  (column - p.part[part].first)];
	}
	return (uint8_t)(word >> position % 32 & 1);
}

/* The last block to finish sees all minima. */
static __global__ void judge_all(const __grid_constant__ boa_large_population p, int32_t count,
				 const uint32_t *rating, struct boa_large_status *status,
				 uint8_t *bits)
{
	int32_t first = (int32_t)blockIdx.x * JUDGE_SHARE, last = min(first + JUDGE_SHARE, count);
	uint64_t least = UINT64_MAX;
	bool through = false;

	for (int32_t i = first + (int32_t)threadIdx.x; i < last; i += JUDGE_BLOCK)
		least = min(least, (uint64_t)rating[i] << 32 | (uint32_t)i);
	least = warp_min(least);
	if (threadIdx.x % 32 == 0)
		atomicMin((unsigned long long *)&status->top, (unsigned long long)least);
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		through = atomicAdd(&status->tickets, 1u) == gridDim.x - 1;
	if (!__syncthreads_or(through))
		return;
	__threadfence();
	uint64_t top = __ldcg((const unsigned long long *)&status->top);
	bool better = (uint32_t)(top >> 32) < status->best_rating;

	__syncthreads();
	for (int32_t v = p.first + (int32_t)threadIdx.x; better && v < p.last; v += JUDGE_BLOCK)
		bits[v] = bit_of(p, (int32_t)(uint32_t)top, v);
	if (threadIdx.x == 0) {
		if (better)
			status->best_rating = (uint32_t)(top >> 32);
		status->top = UINT64_MAX;
		status->tickets = 0;
	}
}

static int judge(struct dev_stream *s, const struct boa_large_population *p, int32_t count,
		 const uint32_t *rating, struct boa_large_status *status, uint8_t *bits,
		 struct err *e)
{
	return LAUNCH(e, judge_all, blocks_of(count, JUDGE_SHARE), JUDGE_BLOCK, 0, s, *p, count,
		      rating, status, bits);
}

extern "C" const struct boa_large_sample_kernels
	BACKEND_SYMBOL(boa_large_sample_kernels) = { levels, sample, evaluate, judge };
