/* Step learn of kernels/gboa/grid.cu.
 *
 * With C(s, j) the individuals that have all of s and candidate j, a round needs, beyond what is known,
 *   1   C(x, j)
 *   2   C(a, j), C(ax, j)                      a the first parent
 *   3   C(b, j), C(bx, j), C(ab, j), C(abx, j) b the second
 * all other cells are differences. Counts are scaled by the bytes from a factorial to the next, so that
 * they are places in the table. */
#ifndef COPRA_GBOA_GRID_LEARN_CUH
#define COPRA_GBOA_GRID_LEARN_CUH

#include "algorithms/gboa/network.h"
#include "kernels/common/mma_b1.cuh"
#include "kernels/gboa/grid_parts.cuh"

enum {
	LEARN_ROWS = GRID_TASK_GROUPS * GRID_GROUP,
	LEARN_STEPS = GRID_CHUNK / 16, /* of 16 words */
	LEARN_CONFIGURATIONS = 1 << GRID_PARENTS,
};

struct learn_shared {
	unsigned long long key[LEARN_ROWS];                 /* the best candidate of the task */
	uint32_t cells[LEARN_ROWS][LEARN_CONFIGURATIONS];   /* with it: all << 16 | ones */
	uint32_t known[LEARN_ROWS][LEARN_CONFIGURATIONS / 2]; /* without it */
	uint32_t ones[LEARN_ROWS];
	uint32_t score[LEARN_ROWS];
	int32_t parent[2][LEARN_ROWS]; /* rank, or -1 */
	int32_t open[LEARN_ROWS];      /* it had a parent in the round before */
	uint32_t row[GRID_PARENTS][LEARN_ROWS][GRID_CHUNK]; /* x, a, b */
};

/* A warp's part of a task. */
struct learn_job {
	int32_t slot, against; /* -1: none */
	int32_t rank;          /* of the first of its variables */
	int32_t column[2][2];  /* the lane's candidates */
	uint32_t column_ones[2][2];
	uint32_t tie[2][2];    /* ~variable << 16 | rank */
	uint4 count[3];        /* of earlier rounds */
};

struct learn_table {
	const unsigned char *at; /* the lane's copy */
	uint32_t shift;
};

static __device__ __forceinline__ uint32_t learn_ln(const learn_table &t, uint32_t scaled)
{
	return *(const uint32_t *)(t.at + scaled);
}

/* Score of a configuration of `all` individuals, `ones` of them ones, that a candidate splits: `part` of
 * them have it, `hits` of those are ones. All scaled. */
static __device__ __forceinline__ uint32_t learn_split(const learn_table &t, uint32_t part,
						       uint32_t hits, uint32_t all, uint32_t ones)
{
	uint32_t unit = 1u << t.shift, rest = all - part, others = ones - hits;

	return learn_ln(t, hits) + learn_ln(t, part - hits) - learn_ln(t, part + unit) +
	       learn_ln(t, others) + learn_ln(t, rest - others) - learn_ln(t, rest + unit);
}

static __device__ __forceinline__ uint32_t learn_cell(const learn_table &t, uint32_t cell)
{
	uint32_t all = cell >> 16 << t.shift, ones = (cell & 0xffffu) << t.shift;

	return learn_ln(t, ones) + learn_ln(t, all - ones) - learn_ln(t, all + (1u << t.shift));
}

static __device__ __forceinline__ int32_t learn_chunks(const grid_arguments *a)
{
	return (a->row + GRID_CHUNK - 1) / GRID_CHUNK;
}

/* Steps of 16 words in a chunk. */
static __device__ __forceinline__ int32_t learn_steps(const grid_arguments *a, int32_t chunk)
{
	return min(LEARN_STEPS, (a->row - chunk * GRID_CHUNK) / 16);
}

/* ---- before the products ---- */

/* The lane's part of a step of the candidates: words of rows lane / 4 and lane / 4 + 8. */
struct learn_columns {
	uint4 of[2];
};

static __device__ __forceinline__ const uint32_t *learn_column(const grid_arguments *a,
							       const learn_job *job)
{
	unsigned lane = threadIdx.x & 31;

	return a->ranked +
	       (size_t)(job->against * GRID_GROUP + (int32_t)lane / 4) * (uint32_t)a->row +
	       lane % 4 * 4;
}

static __device__ __forceinline__ learn_columns learn_fetch(const grid_arguments *a,
							    const uint32_t *column, int32_t step)
{
	const uint32_t *from = column + 16 * min(step, a->row / 16 - 1);
	learn_columns b = {{*(const uint4 *)from,
			    *(const uint4 *)(from + (size_t)8 * (uint32_t)a->row)}};

	return b;
}

static __device__ __forceinline__ uint32_t *learn_count(const grid_arguments *a, int32_t task, int which)
{
	return a->counts + (((size_t)task * 3 + (size_t)which) * GRID_BLOCK + threadIdx.x) * 4;
}

/* What does not depend on the round before. */
static __device__ __forceinline__ void learn_begin(const grid_task *task, learn_job *job)
{
	unsigned warp = threadIdx.x / 32;

	job->slot = task->slot[warp];
	job->against = max(task->against[warp], 0);
	job->rank = task->group[max(job->slot, 0)] * GRID_GROUP;
}

/* What is known of the candidates, and the counts of earlier rounds. */
template <int ROUND>
static __device__ __forceinline__ void learn_recall(const grid_arguments *a, int32_t number,
						    learn_job *job)
{
	unsigned lane = threadIdx.x & 31;

#pragma unroll
	for (int i = 0; i < 4; i++) {
		int32_t j = job->against * GRID_GROUP + i / 2 * 8 + (int32_t)(lane % 4) * 2 + i % 2;
		uint32_t v = (uint32_t)a->variable[j];

		job->column[i / 2][i % 2] = j;
		job->column_ones[i / 2][i % 2] = (uint32_t)a->ones[j];
		job->tie[i / 2][i % 2] = (~v & 0xffffu) << 16 | (uint32_t)j;
	}
#pragma unroll
	for (int i = 0; i < (ROUND == 1 ? 0 : ROUND == 2 ? 1 : 3); i++)
		job->count[i] = *(const uint4 *)learn_count(a, number, i);
}

/* The variables of the task: what is known of them so far. Threads 0 .. LEARN_ROWS - 1. */
template <int ROUND>
static __device__ __forceinline__ void learn_look_up(const grid_arguments *a, const grid_task *task,
						     learn_shared *sh, const learn_table &t)
{
	uint32_t i = threadIdx.x;
	int32_t group = task->group[i / GRID_GROUP];
	int32_t rank = group * GRID_GROUP + (int32_t)(i % GRID_GROUP);
	uint32_t known[4] = {0, 0, 0, 0}, score = 0;
	int32_t parent[2] = {-1, -1};

	sh->key[i] = 0;
	if (group < 0)
		return;
	uint32_t ones = (uint32_t)a->ones[rank];

	known[0] = (uint32_t)a->selected << 16 | ones;
#pragma unroll
	for (int r = 0; r < ROUND - 1; r++) {
		unsigned long long best = a->best[r * a->groups * GRID_GROUP + rank];

		if (!best)
			break;
		parent[r] = (int32_t)(best & 0xffff);
		const uint32_t *cells =
		    a->cells[r] + (((size_t)rank * (uint32_t)a->groups +
				    (size_t)parent[r] / GRID_GROUP)
				   << (r + 1));
		for (int c = 0; c < 2 << r; c++)
			known[c] = cells[c];
	}
#pragma unroll
	for (int c = 0; c < 1 << (ROUND - 1); c++) {
		score += learn_cell(t, known[c]);
		sh->known[i][c] = known[c];
	}
	sh->ones[i] = ones;
	sh->score[i] = score;
	sh->parent[0][i] = parent[0];
	sh->parent[1][i] = parent[1];
	sh->open[i] = rank < a->n && (ROUND == 1 || parent[ROUND == 1 ? 0 : ROUND - 2] >= 0);
}

/* Rows of the task's variables (which = 0) or of their parents into shared memory. */
static __device__ __forceinline__ void learn_stage(const grid_arguments *a, const grid_task *task,
						   learn_shared *sh, int which, int32_t chunk)
{
	uint32_t quads = (uint32_t)learn_steps(a, chunk) * 4;

	for (uint32_t q = threadIdx.x; q < LEARN_ROWS * (GRID_CHUNK / 4); q += GRID_BLOCK) {
		uint32_t i = q / (GRID_CHUNK / 4), quad = q % (GRID_CHUNK / 4);
		int32_t group = task->group[i / GRID_GROUP];

		if (group < 0 || quad >= quads)
			continue;
		int32_t rank = which ? sh->parent[which - 1][i]
				     : group * GRID_GROUP + (int32_t)(i % GRID_GROUP);
		uint32_t *to = &sh->row[which][i][quad * 4];

		if (rank < 0)
			*(uint4 *)to = make_uint4(0, 0, 0, 0);
		else
			copy_async_16(to, a->ranked + (size_t)rank * (uint32_t)a->row +
					      (uint32_t)chunk * GRID_CHUNK + quad * 4);
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
	learn_fragment f = {{{u.x, l.x, u.y, l.y}, {u.z, l.z, u.w, l.w}}};

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
		uint32_t low[2] = {b[tile].x, b[tile].y}, high[2] = {b[tile].z, b[tile].w};

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
static __device__ __forceinline__ void learn_count_step(const learn_shared *sh, uint32_t row, uint32_t at,
							const learn_columns &b,
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
	uint32_t part[1 << (ROUND - 1)]; /* of each configuration: with it << 16 | ones of those */
};

static __device__ __forceinline__ uint32_t learn_packed(const uint4 &c, int tile, int half, int side)
{
	uint32_t both = tile == 0 ? (half == 0 ? c.x : c.y) : (half == 0 ? c.z : c.w);

	return side ? both >> 16 : both & 0xffffu;
}

/* Individuals of each configuration that have the candidate, and the ones of those. */
template <int ROUND>
static __device__ __forceinline__ void learn_parts(const learn_job *job, const learn_sums<ROUND> *sums,
						   uint32_t column, int tile, int half, int side,
						   uint32_t part[4], uint32_t hits[4])
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
static __device__ __forceinline__ void learn_choose(const learn_shared *sh,
						    const learn_table &t, const learn_job *job,
						    const learn_sums<ROUND> *sums, int half,
						    learn_choice<ROUND> *best)
{
	enum { PARTS = 1 << (ROUND - 1) };
	uint32_t lane = threadIdx.x & 31, of = lane / 4 + 8 * (uint32_t)half;
	uint32_t row = (uint32_t)job->slot * GRID_GROUP + of, score = sh->score[row];
	int32_t rank = sh->open[row] ? job->rank + (int32_t)of : 0;
	uint32_t all[PARTS], ones[PARTS];

#pragma unroll
	for (int c = 0; c < PARTS; c++) {
		all[c] = sh->known[row][c] >> 16 << t.shift;
		ones[c] = (sh->known[row][c] & 0xffffu) << t.shift;
	}
	best->key = 0;
#pragma unroll
	for (int i = 0; i < 4; i++) {
		const int tile = i / 2, side = i % 2;
		uint32_t part[4], hits[4], sum = 0;

		learn_parts<ROUND>(job, sums, job->column_ones[tile][side], tile, half,
				   side, part, hits);
#pragma unroll
		for (int c = 0; c < PARTS; c++)
			sum += learn_split(t, part[c] << t.shift, hits[c] << t.shift, all[c], ones[c]);
		int32_t gain = (int32_t)(sum - score);
		unsigned long long key = (unsigned long long)(uint32_t)gain << 32 |
					 job->tie[tile][side];

		if (gain > 0 && job->column[tile][side] < rank && key > best->key) {
			best->key = key;
#pragma unroll
			for (int c = 0; c < PARTS; c++)
				best->part[c] = part[c] << 16 | hits[c];
		}
	}
}

/* The best of the task for a variable: of the four lanes that have it, then of the warps. */
static __device__ __forceinline__ void learn_offer(learn_shared *sh, const learn_job *job, int half,
						   unsigned long long key)
{
	unsigned lane = threadIdx.x & 31;
	unsigned long long other = __shfl_xor_sync(GRID_ALL, key, 1);

	key = max(key, other);
	other = __shfl_xor_sync(GRID_ALL, key, 2);
	key = max(key, other);
	if (lane % 4 == 0 && key)
		atomicMax(&sh->key[(unsigned)job->slot * GRID_GROUP + lane / 4 + 8 * (unsigned)half],
			  key);
}

/* The lane that has it says how the configurations are divided. */
template <int ROUND>
static __device__ __forceinline__ void learn_tell(learn_shared *sh, const learn_job *job, int half,
						  const learn_choice<ROUND> *best)
{
	enum { PARTS = 1 << (ROUND - 1) };
	unsigned lane = threadIdx.x & 31;
	unsigned row = (unsigned)job->slot * GRID_GROUP + lane / 4 + 8 * (unsigned)half;

	if (!best->key || best->key != sh->key[row])
		return;
#pragma unroll
	for (int c = 0; c < PARTS; c++) {
		sh->cells[row][PARTS + c] = best->part[c];
		sh->cells[row][c] = sh->known[row][c] - best->part[c];
	}
}

/* A task's best to all. */
template <int ROUND>
static __device__ __forceinline__ void learn_publish(const grid_arguments *a, const grid_task *task,
						     const learn_shared *sh)
{
	for (uint32_t e = threadIdx.x; e < LEARN_ROWS * LEARN_CONFIGURATIONS; e += GRID_BLOCK) {
		uint32_t i = e / LEARN_CONFIGURATIONS, c = e % LEARN_CONFIGURATIONS;
		int32_t group = task->group[i / GRID_GROUP];
		unsigned long long key = sh->key[i];

		if (group < 0 || !key || c >= 1u << ROUND)
			continue;
		uint32_t rank = (uint32_t)group * GRID_GROUP + i % GRID_GROUP;
		uint32_t cell = sh->cells[i][c], ones = cell & 0xffffu, all = cell >> 16;
		size_t at = (((size_t)rank * (uint32_t)a->groups + (key & 0xffff) / GRID_GROUP)
			     << ROUND) + c;

		if (a->laplace) {
			ones += 1;
			all += 2;
		}
		a->thresholds[ROUND - 1][at] = all ? ((ones << 16) + all / 2) / all : BOA_ONE / 2;
		if (ROUND < a->parents)
			a->cells[ROUND - 1][at] = cell;
		if (c == 0)
			atomicMax(&a->best[(uint32_t)((ROUND - 1) * a->groups * GRID_GROUP) + rank],
				  key);
	}
}

/* ---- a round ---- */

/* Counts of this round for the next. */
template <int ROUND>
static __device__ __forceinline__ void learn_keep(const grid_arguments *a, int32_t number,
						  const learn_sums<ROUND> *sums)
{
#pragma unroll
	for (int s = 0; s < learn_sums<ROUND>::STREAMS && ROUND < GRID_PARENTS; s++) {
		const int32_t(*of)[4] = sums->of[s];
		uint4 packed = make_uint4((uint32_t)of[0][0] | (uint32_t)of[0][1] << 16,
					  (uint32_t)of[0][2] | (uint32_t)of[0][3] << 16,
					  (uint32_t)of[1][0] | (uint32_t)of[1][1] << 16,
					  (uint32_t)of[1][2] | (uint32_t)of[1][3] << 16);

		*(uint4 *)learn_count(a, number, ROUND == 1 ? 0 : 1 + s) = packed;
	}
}

template <int ROUND>
static __device__ __forceinline__ void learn_sum(const grid_arguments *a, const grid_task *task,
						 learn_shared *sh, learn_job *job, bool resident,
						 learn_sums<ROUND> *sums)
{
	unsigned lane = threadIdx.x & 31;
	int32_t chunks = learn_chunks(a), step = 0;
	const uint32_t *column = learn_column(a, job);
	uint32_t row = (uint32_t)max(job->slot, 0) * GRID_GROUP + lane / 4;
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
		copy_async_wait<0>();
		__syncthreads();
		if (job->slot < 0)
			continue;
#pragma unroll 1
		for (int32_t s = 0; s < steps; s++, step++) {
			learn_columns later = learn_fetch(a, column, step + 2);

			learn_count_step<ROUND>(sh, row, lane % 4 * 4 + 16 * (uint32_t)s, now, sums);
			now = next;
			next = later;
		}
	}
}

template <int ROUND>
static __device__ __forceinline__ void learn_task(const grid_block *b, int32_t number, bool resident)
{
	const grid_arguments *a = b->a;
	const grid_task *task = &a->task[number];
	learn_shared *sh = (learn_shared *)grid_region(a);
	unsigned lane = threadIdx.x & 31, copies = (1u << a->shift) / 4;
	learn_table t = {grid_table() + (lane & (copies - 1)) * 4, (uint32_t)a->shift};
	learn_job job;
	learn_sums<ROUND> sums;
	learn_choice<ROUND> best[2];

	learn_begin(task, &job);
	if (ROUND > 1 && threadIdx.x < GRID_TASK_GROUPS) {
		int32_t group = task->group[threadIdx.x];
		uint32_t rounds = b->past * (uint32_t)a->parents + ROUND - 1;

		if (group >= 0)
			grid_await(&a->arrived[group], (uint32_t)a->arrivals[group] * rounds);
	}
	__syncthreads();
	if (threadIdx.x < LEARN_ROWS)
		learn_look_up<ROUND>(a, task, sh, t);
	__syncthreads();
	learn_sum<ROUND>(a, task, sh, &job, resident, &sums);
	if (job.slot >= 0) {
		learn_recall<ROUND>(a, number, &job);
		if (ROUND < a->parents)
			learn_keep<ROUND>(a, number, &sums);
#pragma unroll
		for (int half = 0; half < 2; half++) {
			learn_choose<ROUND>(sh, t, &job, &sums, half, &best[half]);
			learn_offer(sh, &job, half, best[half].key);
		}
	}
	__syncthreads();
	if (job.slot >= 0)
		for (int half = 0; half < 2; half++)
			learn_tell<ROUND>(sh, &job, half, &best[half]);
	__syncthreads();
	learn_publish<ROUND>(a, task, sh);
	__syncthreads();
	if (threadIdx.x < GRID_TASK_GROUPS && task->group[threadIdx.x] >= 0) {
		__threadfence();
		atomicAdd(&a->arrived[task->group[threadIdx.x]], 1u);
	}
	if (ROUND == a->parents && threadIdx.x == 0) {
		__threadfence();
		atomicAdd(&a->counters->learned, 1u);
	}
}

template <int ROUND> static __device__ void learn_round(const grid_block *b)
{
	const grid_arguments *a = b->a;
	bool resident = a->tasks <= (int32_t)gridDim.x && learn_chunks(a) == 1;

	for (int32_t task = (int32_t)blockIdx.x; task < a->tasks; task += (int32_t)gridDim.x) {
		learn_task<ROUND>(b, task, resident);
		__syncthreads();
	}
}

#endif
