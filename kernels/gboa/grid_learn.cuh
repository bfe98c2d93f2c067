/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The step "learn" of the grid kernel (grid.h).
 *
 * C(s, j) is the number of individuals that have all of s and candidate j. The counts that a round
 * needs in addition to known ones are
 *
 *   1   C(x, j)
 *   2   C(a, j), C(ax, j)                        a: the first parent
 *   3   C(b, j), C(bx, j), C(ab, j), C(abx, j)   b: the second parent
 *
 * All other cells are differences of these. */
#ifndef COPRA_KERNELS_GBOA_GRID_LEARN_CUH
#define COPRA_KERNELS_GBOA_GRID_LEARN_CUH

#include "kernels/gboa/arithmetic.h"
#include "kernels/common/mma_b1.cuh"
#include "kernels/gboa/grid_select.cuh"

enum {
	LEARN_ROWS = BOA_GRID_TASK_GROUPS * BOA_GRID_GROUP,
	LEARN_STEPS = BOA_GRID_CHUNK / 16, /* steps of 16 words */
	LEARN_CONFIGURATIONS = 1 << BOA_GRID_PARENTS,
};

struct learn_shared {
	/* all << 16 | ones of the configurations of the parents so far */
	uint32_t known[LEARN_ROWS][LEARN_CONFIGURATIONS / 2];
	uint32_t score[LEARN_ROWS];
	int32_t open[LEARN_ROWS]; /* it got a parent in the previous round */
	uint32_t row[BOA_GRID_PARENTS][LEARN_ROWS][BOA_GRID_CHUNK]; /* x, a, b */
};

/* A warp's part of a task. */
struct learn_job {
	int32_t slot, against; /* -1: none */
	int32_t rank;          /* of its first variable */
	uint32_t column[2][2]; /* the lane's candidates: variable << 16 | ones */
	uint4 count[3];        /* of earlier rounds */
};

/* The lane's copy of the factorials: entry m is at byte m * unit + copy of the table. */
struct learn_table {
	uint32_t unit, copy;
};

static __device__ __forceinline__ uint32_t learn_ln(uint32_t place)
{
	return *(const uint32_t *)(grid_table() + place);
}

/* A configuration of `all` individuals, `ones` of them ones, as partial offsets into the table. */
struct learn_whole {
	uint32_t ones, zeros, total;
};

static __device__ __forceinline__ learn_whole learn_whole_of(const learn_table &t, uint32_t cell)
{
	uint32_t all = (cell >> 16) * t.unit, ones = (cell & 0xffffu) * t.unit;
	learn_whole w = { ones + 2 * t.copy, all - ones + 2 * t.copy, all + t.unit + 3 * t.copy };

	return w;
}

/* Score of a configuration split by a candidate: in `part` individuals the candidate is 1, and in
 * `hits` of these the variable is as well. Every sum of offsets contains `copy` exactly once. */
static __device__ __forceinline__ uint32_t learn_split(const learn_table &t, const learn_whole &w,
						       uint32_t part, uint32_t hits)
{
	uint32_t some = hits * t.unit + t.copy, both = part * t.unit + 2 * t.copy;

	return learn_ln(some) + learn_ln(both - some) - learn_ln(both + t.unit - t.copy) +
	       learn_ln(w.ones - some) + learn_ln(w.zeros - both + some) - learn_ln(w.total - both);
}

static __device__ __forceinline__ uint32_t learn_cell(const learn_table &t, uint32_t cell)
{
	uint32_t all = (cell >> 16) * t.unit + t.copy, ones = (cell & 0xffffu) * t.unit;

	return learn_ln(ones + t.copy) + learn_ln(all - ones) - learn_ln(all + t.unit);
}

static __device__ __forceinline__ int32_t learn_chunks(const boa_grid_arguments *a)
{
	return (a->row + BOA_GRID_CHUNK - 1) / BOA_GRID_CHUNK;
}

/* Steps of 16 words in a chunk. */
static __device__ __forceinline__ int32_t learn_steps(const boa_grid_arguments *a, int32_t chunk)
{
	return min(LEARN_STEPS, (a->row - chunk * BOA_GRID_CHUNK) / 16);
}

/* ---- reading ---- */

/* The lane's part of a step of the candidates: words of rows lane / 4 and lane / 4 + 8. */
struct learn_columns {
	uint4 of[2];
};

static __device__ __forceinline__ const uint32_t *learn_column(const boa_grid_arguments *a,
							       const learn_job *job)
{
	unsigned lane = threadIdx.x & 31;

	return a->ranked +
	       (size_t)(job->against * BOA_GRID_GROUP + (int32_t)lane / 4) * (uint32_t)a->row +
	       lane % 4 * 4;
}

static __device__ __forceinline__ learn_columns learn_fetch(const boa_grid_arguments *a,
							    const uint32_t *column, int32_t step)
{
	const uint32_t *from = column + 16 * min(step, a->row / 16 - 1);
	learn_columns b = { { *(const uint4 *)from,
			      *(const uint4 *)(from + (size_t)8 * (uint32_t)a->row) } };

	return b;
}

static __device__ __forceinline__ uint32_t *learn_count(const boa_grid_arguments *a, int32_t task,
							int which)
{
	return a->counts + (((size_t)task * 3 + (size_t)which) * BOA_GRID_BLOCK + threadIdx.x) * 4;
}

/* Reads the data that does not depend on the previous round. */
static __device__ __forceinline__ void learn_begin(const boa_grid_task *task, learn_job *job)
{
	unsigned warp = threadIdx.x / 32;

	job->slot = task->slot[warp];
	job->against = max(task->against[warp], 0);
	job->rank = task->group[max(job->slot, 0)] * BOA_GRID_GROUP;
}

/* The rank of one of the lane's candidates. */
static __device__ __forceinline__ int32_t learn_candidate(const learn_job *job, int tile, int side)
{
	return job->against * BOA_GRID_GROUP + tile * 8 + (int32_t)(threadIdx.x % 4) * 2 + side;
}

/* Reads the candidates' variables and counts, and the counts of earlier rounds. */
template <int ROUND>
static __device__ __forceinline__ void learn_recall(const boa_grid_arguments *a, int32_t number,
						    learn_job *job)
{
#pragma unroll
	for (int tile = 0; tile < 2; tile++) {
		uint2 two = *(const uint2 *)&a->places[learn_candidate(job, tile, 0)];

		job->column[tile][0] = two.x;
		job->column[tile][1] = two.y;
	}
#pragma unroll
	for (int i = 0; i < (ROUND == 1 ? 0 : ROUND == 2 ? 1 : 3); i++)
		job->count[i] = *(const uint4 *)learn_count(a, number, i);
}

static __device__ __forceinline__ unsigned long long learn_best(const boa_grid_arguments *a,
								int round, int32_t rank)
{
	return a->best[(round - 1) * a->groups * BOA_GRID_GROUP + rank];
}

/* Reads the known cells and scores of the variables of the task. By threads 0 .. LEARN_ROWS - 1. */
template <int ROUND>
static __device__ __forceinline__ void learn_look_up(const boa_grid_arguments *a,
						     const boa_grid_task *task, learn_shared *sh,
						     const learn_table &t)
{
	uint32_t i = threadIdx.x;
	int32_t group = task->group[i / BOA_GRID_GROUP];
	int32_t rank = group * BOA_GRID_GROUP + (int32_t)(i % BOA_GRID_GROUP);
	uint32_t known[4] = { 0, 0, 0, 0 }, score = 0;
	int found = 0;

	if (group < 0)
		return;
	known[0] = (uint32_t)a->selected << 16 | (a->places[rank] & 0xffffu);
#pragma unroll
	for (int r = 1; r < ROUND; r++) {
		unsigned long long best = learn_best(a, r, rank);

		if (!best)
			break;
		const uint32_t *cells =
			a->cells[r - 1] +
			(((size_t)rank * (uint32_t)a->groups + (best & 0xffff) / BOA_GRID_GROUP)
			 << r);
#pragma unroll
		for (int c = 0; c < 1 << r; c++)
			known[c] = cells[c];
		found = r;
	}
#pragma unroll
	for (int c = 0; c < 1 << (ROUND - 1); c++) {
		score += learn_cell(t, known[c]);
		sh->known[i][c] = known[c];
	}
	sh->score[i] = score;
	sh->open[i] = rank < a->n && found == ROUND - 1;
}

/* Copies the rows of the task's variables (which = 0) or of their parents into shared memory. */
static __device__ __forceinline__ void learn_stage(const boa_grid_arguments *a,
						   const boa_grid_task *task, learn_shared *sh,
						   int which, int32_t chunk)
{
	uint32_t quads = (uint32_t)learn_steps(a, chunk) * 4;

	for (uint32_t q = threadIdx.x; q < LEARN_ROWS * (BOA_GRID_CHUNK / 4); q += BOA_GRID_BLOCK) {
		uint32_t i = q / (BOA_GRID_CHUNK / 4), quad = q % (BOA_GRID_CHUNK / 4);
		int32_t group = task->group[i / BOA_GRID_GROUP];
		int32_t rank = group * BOA_GRID_GROUP + (int32_t)(i % BOA_GRID_GROUP);
		uint32_t *to = &sh->row[which][i][quad * 4];

		if (group < 0 || quad >= quads)
			continue;
		if (which) {
			unsigned long long best = learn_best(a, which, rank);

			rank = best ? (int32_t)(best & 0xffff) : -1;
		}
		if (rank < 0)
			*(uint4 *)to = make_uint4(0, 0, 0, 0);
		else
			copy_async_16(to, a->ranked + (size_t)rank * (uint32_t)a->row +
						  (uint32_t)chunk * BOA_GRID_CHUNK + quad * 4);
	}
}

/* ---- the products ---- */

struct learn_fragment {
	uint32_t a[2][4]; /* two products of 256 bits */
};

static __device__ __forceinline__ learn_fragment learn_load(const uint32_t *upper,
							    const uint32_t *lower)
{
	uint4 u = *(const uint4 *)upper, l = *(const uint4 *)lower;
	learn_fragment f = { { { u.x, l.x, u.y, l.y }, { u.z, l.z, u.w, l.w } } };

	return f;
}

static __device__ __forceinline__ learn_fragment learn_and(const learn_fragment &x,
							   const learn_fragment &y)
{
	learn_fragment f;

#pragma unroll
	for (int i = 0; i < 8; i++)
		f.a[i / 4][i % 4] = x.a[i / 4][i % 4] & y.a[i / 4][i % 4];
	return f;
}

static __device__ __forceinline__ void learn_multiply(int32_t sum[2][4], const learn_fragment &f,
						      const uint4 b[2])
{
#pragma unroll
	for (int tile = 0; tile < 2; tile++) {
		uint32_t low[2] = { b[tile].x, b[tile].y }, high[2] = { b[tile].z, b[tile].w };

		mma_and_popc(sum[tile], f.a[0], low);
		mma_and_popc(sum[tile], f.a[1], high);
	}
}

/* Streams of a round: 1 {x}, 2 {a, ax}, 3 {b, bx, ab, abx}. */
template <int ROUND> struct learn_sums {
	enum { STREAMS = 1 << (ROUND - 1) };
	int32_t of[STREAMS][2][4];
};

/* One step of 16 words, at word `at` of the rows in shared memory. */
template <int ROUND>
static __device__ __forceinline__ void learn_count_step(const learn_shared *sh, uint32_t row,
							uint32_t at, const learn_columns &b,
							learn_sums<ROUND> *sums)
{
	enum { LAST = learn_sums<ROUND>::STREAMS - 1 };
	learn_fragment x = learn_load(&sh->row[0][row][at], &sh->row[0][row + 8][at]);

	if (ROUND == 1) {
		learn_multiply(sums->of[0], x, b.of);
		return;
	}
	learn_fragment y = learn_load(&sh->row[1][row][at], &sh->row[1][row + 8][at]);

	if (ROUND == 2) {
		learn_multiply(sums->of[0], y, b.of);
		learn_multiply(sums->of[1 & LAST], learn_and(x, y), b.of);
		return;
	}
	learn_fragment z = learn_load(&sh->row[2][row][at], &sh->row[2][row + 8][at]);
	learn_fragment both = learn_and(y, z);

	learn_multiply(sums->of[0], z, b.of);
	learn_multiply(sums->of[1 & LAST], learn_and(x, z), b.of);
	learn_multiply(sums->of[2 & LAST], both, b.of);
	learn_multiply(sums->of[3 & LAST], learn_and(x, both), b.of);
}

/* ---- gains ---- */

/* The best of a lane's candidates for one variable. */
template <int ROUND> struct learn_choice {
	unsigned long long key;
	uint32_t part[1 << (ROUND - 1)]; /* of each configuration: (individuals with the candidate)
					    << 16 | (ones among them) */
};

static __device__ __forceinline__ uint32_t learn_packed(const uint4 &c, int tile, int half,
							int side)
{
	uint32_t both = tile == 0 ? (half == 0 ? c.x : c.y) : (half == 0 ? c.z : c.w);

	return side ? both >> 16 : both & 0xffffu;
}

/* The number of individuals of each configuration in which the candidate is 1, and the ones among
 * them. */
template <int ROUND>
static __device__ __forceinline__ void
learn_parts(const learn_job *job, const learn_sums<ROUND> *sums, uint32_t column, int tile,
	    int half, int side, uint32_t part[4], uint32_t hits[4])
{
	enum { LAST = learn_sums<ROUND>::STREAMS - 1 };
	int i = half * 2 + side;

	if (ROUND == 1) {
		part[0] = column;
		hits[0] = (uint32_t)sums->of[0][tile][i];
		return;
	}
	uint32_t x = learn_packed(job->count[0], tile, half, side);

	if (ROUND == 2) {
		part[1] = (uint32_t)sums->of[0][tile][i];
		hits[1] = (uint32_t)sums->of[1 & LAST][tile][i];
		part[0] = column - part[1];
		hits[0] = x - hits[1];
		return;
	}
	uint32_t a = learn_packed(job->count[1], tile, half, side);
	uint32_t ax = learn_packed(job->count[2], tile, half, side);

	part[3] = (uint32_t)sums->of[2 & LAST][tile][i];
	hits[3] = (uint32_t)sums->of[3 & LAST][tile][i];
	part[2] = (uint32_t)sums->of[0][tile][i] - part[3];
	hits[2] = (uint32_t)sums->of[1 & LAST][tile][i] - hits[3];
	part[1] = a - part[3];
	hits[1] = ax - hits[3];
	part[0] = column - part[1] - part[2] - part[3];
	hits[0] = x - hits[1] - hits[2] - hits[3];
}

template <int ROUND>
static __device__ __forceinline__ void
learn_choose(const learn_shared *sh, const learn_table &t, const learn_job *job,
	     const learn_sums<ROUND> *sums, int half, learn_choice<ROUND> *best)
{
	enum { PARTS = 1 << (ROUND - 1) };
	uint32_t lane = threadIdx.x & 31, of = lane / 4 + 8 * (uint32_t)half;
	uint32_t row = (uint32_t)job->slot * BOA_GRID_GROUP + of, score = sh->score[row];
	int32_t rank = sh->open[row] ? job->rank + (int32_t)of : 0;
	learn_whole whole[PARTS];

#pragma unroll
	for (int c = 0; c < PARTS; c++)
		whole[c] = learn_whole_of(t, sh->known[row][c]);
	best->key = 0;
#pragma unroll
	for (int c = 0; c < PARTS; c++)
		best->part[c] = 0;
#pragma unroll
	for (int i = 0; i < 4; i++) {
		const int tile = i / 2, side = i % 2;
		uint32_t part[4], hits[4], sum = 0;

		learn_parts<ROUND>(job, sums, job->column[tile][side] & 0xffffu, tile, half, side,
				   part, hits);
#pragma unroll
		for (int c = 0; c < PARTS; c++)
			sum += learn_split(t, whole[c], part[c], hits[c]);
		int32_t gain = (int32_t)(sum - score);
		int32_t candidate = learn_candidate(job, tile, side);
		unsigned long long key = (unsigned long long)(uint32_t)gain << 32 |
					 (~job->column[tile][side] & 0xffff0000u) |
					 (uint32_t)candidate;

		if (gain > 0 && candidate < rank && key > best->key) {
			best->key = key;
#pragma unroll
			for (int c = 0; c < PARTS; c++)
				best->part[c] = part[c] << 16 | hits[c];
		}
	}
}

static __device__ __forceinline__ uint32_t learn_threshold(const boa_grid_arguments *a,
							   uint32_t cell)
{
	uint32_t ones = cell & 0xffffu, all = cell >> 16;

	if (a->laplace) {
		ones += 1;
		all += 2;
	}
	return all ? ((ones << 16) + all / 2) / all : BOA_ONE / 2;
}

/* Publishes the best of a warp's candidates for a variable. Four lanes share a variable; each
 * writes every fourth configuration. */
template <int ROUND>
static __device__ __forceinline__ void learn_publish(const boa_grid_arguments *a,
						     const learn_shared *sh, const learn_job *job,
						     int half, const learn_choice<ROUND> *best)
{
	enum { PARTS = 1 << (ROUND - 1), LAST = PARTS - 1 };
	unsigned lane = threadIdx.x & 31, mine = lane % 4, of = lane / 4 + 8 * (unsigned)half;
	unsigned long long other = __shfl_xor_sync(WARP_ALL, best->key, 1),
			   key = max(best->key, other);

	other = __shfl_xor_sync(WARP_ALL, key, 2);
	key = max(key, other);
	/* candidate 16 group + 8 tile + 2 lane + side */
	int winner = (int)((lane & 28) | ((uint32_t)key >> 1 & 3));
	uint32_t part = __shfl_sync(WARP_ALL, best->part[0], winner);
#pragma unroll
	for (int c = 1; c < PARTS; c++) {
		uint32_t one = __shfl_sync(WARP_ALL, best->part[c], winner);

		part = (int)(mine & LAST) == c ? one : part;
	}
	if (!key)
		return;
	uint32_t rank = (uint32_t)job->rank + of;
	uint32_t known = sh->known[(uint32_t)job->slot * BOA_GRID_GROUP + of][mine & LAST];
	size_t at = ((size_t)rank * (uint32_t)a->groups + (uint32_t)job->against) << ROUND;

#pragma unroll
	for (unsigned c = 0; c < 2 * PARTS; c += 4) {
		uint32_t cell = c + mine < PARTS ? known - part : part;

		if (c + mine >= 2 * PARTS)
			break;
		a->thresholds[ROUND - 1][at + c + mine] = learn_threshold(a, cell);
		if (ROUND < a->parents)
			a->cells[ROUND - 1][at + c + mine] = cell;
	}
	if (mine == 0)
		atomicMax(&a->best[(uint32_t)((ROUND - 1) * a->groups * BOA_GRID_GROUP) + rank],
			  key);
}

/* ---- a round ---- */

/* Saves the counts of this round for the next round. */
template <int ROUND>
static __device__ __forceinline__ void learn_keep(const boa_grid_arguments *a, int32_t number,
						  const learn_sums<ROUND> *sums)
{
#pragma unroll
	for (int s = 0; s < learn_sums<ROUND>::STREAMS && ROUND < BOA_GRID_PARENTS; s++) {
		const int32_t(*of)[4] = sums->of[s];
		uint4 packed = make_uint4((uint32_t)of[0][0] | (uint32_t)of[0][1] << 16,
					  (uint32_t)of[0][2] | (uint32_t)of[0][3] << 16,
					  (uint32_t)of[1][0] | (uint32_t)of[1][1] << 16,
					  (uint32_t)of[1][2] | (uint32_t)of[1][3] << 16);

		*(uint4 *)learn_count(a, number, ROUND == 1 ? 0 : 1 + s) = packed;
	}
}

template <int ROUND>
static __device__ __forceinline__ void
learn_sum(const boa_grid_arguments *a, const boa_grid_task *task, learn_shared *sh,
	  const learn_table &t, const learn_job *job, bool resident, learn_sums<ROUND> *sums)
{
	unsigned lane = threadIdx.x & 31;
	int32_t chunks = learn_chunks(a), step = 0;
	const uint32_t *column = learn_column(a, job);
	uint32_t row = (uint32_t)max(job->slot, 0) * BOA_GRID_GROUP + lane / 4;
	learn_columns now = learn_fetch(a, column, 0), next = learn_fetch(a, column, 1);

#pragma unroll
	for (int i = 0; i < learn_sums<ROUND>::STREAMS * 8; i++)
		sums->of[i / 8][i / 4 % 2][i % 4] = 0;
	for (int32_t chunk = 0; chunk < chunks; chunk++) {
		int32_t steps = learn_steps(a, chunk);

		if (chunk > 0)
			__syncthreads();
		for (int which = resident ? ROUND - 1 : 0; which < ROUND; which++)
			learn_stage(a, task, sh, which, chunk);
		copy_async_commit();
		if (chunk == 0 && threadIdx.x < LEARN_ROWS)
			learn_look_up<ROUND>(a, task, sh, t);
		copy_async_wait<0>();
		__syncthreads();
		if (job->slot < 0)
			continue;
#pragma unroll 1
		for (int32_t s = 0; s < steps; s++, step++) {
			learn_columns later = learn_fetch(a, column, step + 2);

			learn_count_step<ROUND>(sh, row, lane % 4 * 4 + 16 * (uint32_t)s, now,
						sums);
			now = next;
			next = later;
		}
	}
}

/* Waits until all warps that have this group have finished `rounds` rounds in this launch. */
static __device__ __forceinline__ void learn_await(const boa_grid_arguments *a, int32_t group,
						   uint32_t rounds)
{
	grid_await(&a->arrived[group], (uint32_t)(group + 1) * rounds);
}

template <int ROUND>
static __device__ __forceinline__ void learn_task(const grid_block *b, int32_t number,
						  bool resident)
{
	const boa_grid_arguments *a = b->a;
	const boa_grid_task *task = grid_own_task();
	learn_shared *sh = (learn_shared *)grid_region(a);
	unsigned lane = threadIdx.x & 31, copies = (1u << a->shift) / 4;
	learn_table t = { 4 * copies, (lane & (copies - 1)) * 4 };
	learn_job job;
	learn_sums<ROUND> sums;

	if (!resident)
		grid_take_task(a, number);
	learn_begin(task, &job);
	WAVE_SYNC(); /* the group's warps may include those of this wave */
	if (ROUND > 1 && threadIdx.x < BOA_GRID_TASK_GROUPS && task->group[threadIdx.x] >= 0)
		learn_await(a, task->group[threadIdx.x],
			    b->past * (uint32_t)a->parents + ROUND - 1);
	__syncthreads();
	learn_sum<ROUND>(a, task, sh, t, &job, resident, &sums);
	if (job.slot < 0)
		return;
	learn_recall<ROUND>(a, number, &job);
	if (ROUND < a->parents)
		learn_keep<ROUND>(a, number, &sums);
#pragma unroll
	for (int half = 0; half < 2; half++) {
		learn_choice<ROUND> best;

		learn_choose<ROUND>(sh, t, &job, &sums, half, &best);
		learn_publish<ROUND>(a, sh, &job, half, &best);
	}
	__syncwarp();
	if (lane == 0) {
		__threadfence();
		atomicAdd(&a->arrived[job.rank / BOA_GRID_GROUP], 1u);
	}
}

template <int ROUND> static __device__ __forceinline__ void learn_round(const grid_block *b)
{
	const boa_grid_arguments *a = b->a;
	bool resident = a->tasks <= (int32_t)gridDim.x && learn_chunks(a) == 1;

	for (int32_t task = (int32_t)blockIdx.x; task < a->tasks; task += (int32_t)gridDim.x) {
		learn_task<ROUND>(b, task, resident);
		if (!resident)
			__syncthreads();
	}
}

/* Waits until the network is complete. */
static __device__ __forceinline__ void learn_wait(const grid_block *b)
{
	const boa_grid_arguments *a = b->a;

	WAVE_SYNC();
	for (int32_t group = (int32_t)threadIdx.x; a->parents && group < a->groups;
	     group += BOA_GRID_BLOCK)
		learn_await(a, group, b->past * (uint32_t)a->parents);
	__syncthreads();
}

#endif
