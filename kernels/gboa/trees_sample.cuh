/* Sampling and evaluation: a block takes 32 individuals, a lane of its first warp each. That warp goes
 * from variable to variable, since one depends on another; the other warps bring the graphs and the
 * random numbers of the next variables meanwhile. */
#ifndef COPRA_KERNELS_GBOA_TREES_SAMPLE_CUH
#define COPRA_KERNELS_GBOA_TREES_SAMPLE_CUH

#include "kernels/gboa/trees_parts.cuh"

enum { AHEAD = 8, SAMPLE_THREADS = (AHEAD + 1) * WARP }; /* variables at a time: a warp each */

/* What is brought for a variable. */
struct supply {
	struct hboa_graph graph;
	uint32_t digit[BOA_DIGITS];
	uint16_t number[WARP]; /* of each individual */
	int32_t variable;
};

/* By one warp. */
static __device__ void bring(const struct trees &t, const struct trees_run *r, int32_t rank,
			     struct supply *to)
{
	int32_t lane = threadIdx.x % WARP;
	int32_t v = t.order[(size_t)blockIdx.y * t.n + rank];
	const struct hboa_graph *g = t.graph + (size_t)blockIdx.y * t.n + v;
	int32_t splits = g->splits, leaves = g->leaves;
	uint32_t number = 0;

	if (lane < BOA_DIGITS / 4) {
		struct philox4 d = boa_digits(r->seed, r->generations, v, blockIdx.x, lane);

		for (int i = 0; i < 4; i++)
			to->digit[4 * lane + i] = d.word[i];
	}
	for (int32_t s = lane; s < splits; s += WARP)
		to->graph.split[s] = g->split[s];
	for (int32_t l = lane; l < leaves; l += WARP)
		to->graph.threshold[l] = g->threshold[l];
	if (lane == 0) {
		to->graph.splits = splits;
		to->variable = v;
	}
	__syncwarp();
	for (int d = 0; d < BOA_DIGITS; d++)
		number = number << 1 | (to->digit[d] >> lane & 1);
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

	for (int32_t rank = -AHEAD; rank < t.n; rank += AHEAD) {
		const struct supply *now = supply + (rank / AHEAD & 1) * AHEAD;
		struct supply *next = supply + ((rank / AHEAD + 1) & 1) * AHEAD;

		if (warp > 0 && rank + AHEAD + warp - 1 < t.n)
			bring(t, r, rank + AHEAD + warp - 1, next + warp - 1);
		for (int32_t i = 0; warp == 0 && rank >= 0 && i < AHEAD && rank + i < t.n; i++)
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
