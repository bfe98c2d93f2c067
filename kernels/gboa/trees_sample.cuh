/* Sampling and evaluation: a block takes 32 individuals, a lane of its first warp each. That warp
 * goes from variable to variable, since one depends on another; the other warps bring the graphs
 * and the random numbers of the next variables meanwhile. */
#ifndef COPRA_KERNELS_GBOA_TREES_SAMPLE_CUH
#define COPRA_KERNELS_GBOA_TREES_SAMPLE_CUH

#include "kernels/gboa/trees_parts.cuh"

enum { AHEAD = 8, SAMPLE_THREADS = (AHEAD + 1) * WARP }; /* variables at a time: a warp each */

/* What is brought for a variable. */
struct supply {
	struct hboa_graph graph;
	uint16_t number[WARP]; /* of each individual */
	int32_t variable;
};

/* Variables whose random numbers a warp draws at the same time: those that it brings in so many
 * turns. */
enum { DRAWN = WARP / (BOA_DIGITS / 4) };

/* A lane's share of them: digit words 4 q to 4 q + 3 of one, q = lane % 4. */
struct drawn {
	struct philox4 digits;
	int32_t variable;
};

/* For the variables of ranks rank, rank + AHEAD, ... */
static __device__ __forceinline__ struct drawn draw_digits(const struct trees &t,
							   const struct trees_run *r, int32_t rank)
{
	uint32_t lane = threadIdx.x % WARP;
	struct drawn d = { { { 0, 0, 0, 0 } }, 0 };

	rank += AHEAD * (int32_t)(lane / (BOA_DIGITS / 4));
	if (rank < t.n) {
		d.variable = t.order[(size_t)blockIdx.y * t.n + rank];
		d.digits = boa_digits(r->seed, r->generations, d.variable, blockIdx.x,
				      lane % (BOA_DIGITS / 4));
	}
	return d;
}

/* By one warp: number `turn` of the variables drawn. */
static __device__ void bring(const struct trees &t, const struct drawn &drawn, int32_t turn,
			     struct supply *to)
{
	int32_t lane = threadIdx.x % WARP, from = turn * (BOA_DIGITS / 4);
	int32_t v = __shfl_sync(ALL_LANES, drawn.variable, from);
	const struct hboa_graph *g = t.graph + (size_t)blockIdx.y * t.n + v;
	int32_t splits = g->splits, leaves = g->leaves;
	uint32_t number = 0;

#pragma unroll
	for (int d = 0; d < BOA_DIGITS; d++)
		number = number << 1 |
			 (__shfl_sync(ALL_LANES, drawn.digits.word[d % 4], from + d / 4) >> lane &
			  1);
	for (int32_t s = lane; s < splits; s += WARP)
		to->graph.split[s] = g->split[s];
	for (int32_t l = lane; l < leaves; l += WARP)
		to->graph.threshold[l] = g->threshold[l];
	if (lane == 0) {
		to->graph.splits = splits;
		to->variable = v;
	}
	to->number[lane] = (uint16_t)number;
}

/* By the first warp: the variable of 32 individuals. */
static __device__ __forceinline__ void draw_variable(const struct supply *s, uint32_t *column)
{
	int32_t lane = threadIdx.x, at = s->graph.splits ? 0 : -1;

	while (at >= 0) {
		struct hboa_split split = s->graph.split[at];

		at = split.child[column[split.variable] >> lane & 1];
	}
	uint32_t bits = __ballot_sync(ALL_LANES, s->number[lane] < s->graph.threshold[-1 - at]);

	if (lane == 0)
		column[s->variable] = bits;
	__syncwarp();
}

static __device__ void draw_all(const struct trees &t, const struct trees_run *r, uint32_t *column,
				struct supply *supply)
{
	int32_t warp = threadIdx.x / WARP;
	struct drawn drawn = { { { 0, 0, 0, 0 } }, 0 };

	/* turn: what is brought; the first warp is one behind */
	for (int32_t turn = 0; (turn - 1) * AHEAD < t.n; turn++) {
		const struct supply *now = supply + (turn + 1) % 2 * AHEAD;
		int32_t first = (turn - 1) * AHEAD, rank = turn * AHEAD + warp - 1;

		if (warp > 0 && turn % DRAWN == 0)
			drawn = draw_digits(t, r, rank);
		if (warp > 0 && rank < t.n)
			bring(t, drawn, turn % DRAWN, supply + turn % 2 * AHEAD + warp - 1);
		for (int32_t i = 0; warp == 0 && turn > 0 && i < AHEAD && first + i < t.n; i++)
			draw_variable(now + i, column);
		__syncthreads();
	}
}

static __device__ void evaluate(const struct trees &t, struct trees_run *r, const uint32_t *column,
				int32_t *fitness, uint32_t *rows)
{
	int32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	uint32_t individual = blockIdx.x * WARP + lane;

	if (warp == 0) {
		int32_t f = fitness_of(&t.fitness_view, column, 1, lane);
		uint64_t best = warp_max(fitness_key(f, individual));

		fitness[individual] = f;
		if (lane == 0)
			atomicMax((unsigned long long *)&r->best_key, (unsigned long long)best);
	}
	for (int32_t j = warp; j < t.row; j += SAMPLE_THREADS / WARP) {
		uint32_t word = 0;

		for (int32_t b = 0; b < WARP && j * WARP + b < t.n; b++)
			word |= (column[j * WARP + b] >> lane & 1) << b;
		rows[(size_t)individual * t.row + j] = word;
	}
}

static __global__ void trees_sample(struct trees t)
{
	SHARED_MEMORY(struct supply, supply); /* two times AHEAD, then the column */
	uint32_t *column = (uint32_t *)(supply + 2 * AHEAD);
	struct trees_run *r = run_of(t);

	if (r->done || has_converged(t, r))
		return;
	draw_all(t, r, column, supply);
	evaluate(t, r, column, t.offspring_fitness + (size_t)blockIdx.y * t.offspring,
		 t.offspring_rows + (size_t)blockIdx.y * t.offspring * t.row);
}

static __global__ void trees_first(struct trees t)
{
	SHARED_MEMORY(uint32_t, column);
	struct trees_run *r = run_of(t);

	for (int32_t v = threadIdx.x; v < t.n; v += SAMPLE_THREADS)
		column[v] = boa_initial_word(r->seed, v, blockIdx.x);
	__syncthreads();
	evaluate(t, r, column, t.fitness + (size_t)blockIdx.y * t.population,
		 t.rows + (size_t)blockIdx.y * t.population * t.row);
}

static __global__ void trees_first_best(struct trees t)
{
	note_best(t, run_of(t), t.rows + (size_t)blockIdx.y * t.population * t.row);
}

#endif
