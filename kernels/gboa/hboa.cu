/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of hierarchical BOA (hboa.h): sampling, evaluation, replacement, the permutation of a
 * generation, tournaments, and the launches of all steps. */
#include "kernels/gboa/hboa.h"

#include "kernels/gboa/hboa_learn.cuh"

/* ---- sampling and evaluation ---- */

/* A block samples 32 individuals, one for each lane of its first warp. That warp processes one
 * variable after another, because a variable depends on earlier ones. In the meantime the other
 * warps fetch the graphs and random numbers of the next variables. */

enum {
	AHEAD = 8,
	SAMPLE_THREADS = (AHEAD + 1) * WARP
}; /* variables at a time: one for each warp */

/* The data that a warp fetches for a variable. */
struct supply {
	struct hboa_graph graph;
	uint16_t number[WARP]; /* of each individual */
	int32_t variable;
};

/* The number of variables whose random numbers a warp draws together. The warp then fetches them in
 * as many turns. */
enum { DRAWN = WARP / (BOA_DIGITS / 4) };

/* A lane's share: digit words 4 q to 4 q + 3 of one variable, q = lane % 4. */
struct drawn {
	struct philox4 digits;
	int32_t variable;
};

/* Draws for the variables of ranks rank, rank + AHEAD, ... */
static __device__ __forceinline__ struct drawn
draw_digits(const struct hboa_arguments &t, const struct hboa_progress *r, int32_t rank)
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

/* By one warp: fetches number `turn` of the variables drawn. */
static __device__ void fetch_variable(const struct hboa_arguments &t, const struct drawn &drawn,
				      int32_t turn, struct supply *to)
{
	int32_t lane = threadIdx.x % WARP, from = turn * (BOA_DIGITS / 4);
	int32_t v = __shfl_sync(WARP_ALL, drawn.variable, from);
	const struct hboa_graph *g = t.graph + (size_t)blockIdx.y * t.n + v;
	int32_t splits = g->splits, leaves = g->leaves;
	uint32_t number = 0;

#pragma unroll
	for (int d = 0; d < BOA_DIGITS; d++)
		number =
			number << 1 |
			(__shfl_sync(WARP_ALL, drawn.digits.word[d % 4], from + d / 4) >> lane & 1);
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

/* By the first warp: samples a variable of 32 individuals. */
static __device__ __forceinline__ void draw_variable(const struct supply *s, uint32_t *column)
{
	int32_t lane = threadIdx.x, at = s->graph.splits ? 0 : -1;

	while (at >= 0) {
		struct hboa_split split = s->graph.split[at];

		at = split.child[column[split.variable] >> lane & 1];
	}
	uint32_t bits = __ballot_sync(WARP_ALL, s->number[lane] < s->graph.threshold[-1 - at]);

	if (lane == 0)
		column[s->variable] = bits;
	__syncwarp();
}

static __device__ void draw_all(const struct hboa_arguments &t, const struct hboa_progress *r,
				uint32_t *column, struct supply *supply)
{
	int32_t warp = threadIdx.x / WARP;
	struct drawn drawn = { { { 0, 0, 0, 0 } }, 0 };

	/* turn: the turn being fetched; the first warp samples the turn before it */
	for (int32_t turn = 0; (turn - 1) * AHEAD < t.n; turn++) {
		const struct supply *now = supply + (turn + 1) % 2 * AHEAD;
		int32_t first = (turn - 1) * AHEAD, rank = turn * AHEAD + warp - 1;

		if (warp > 0 && turn % DRAWN == 0)
			drawn = draw_digits(t, r, rank);
		if (warp > 0 && rank < t.n)
			fetch_variable(t, drawn, turn % DRAWN,
				       supply + turn % 2 * AHEAD + warp - 1);
		for (int32_t i = 0; warp == 0 && turn > 0 && i < AHEAD && first + i < t.n; i++)
			draw_variable(now + i, column);
		__syncthreads();
	}
}

static __device__ void evaluate(const struct hboa_arguments &t, struct hboa_progress *r,
				const uint32_t *column, int32_t *fitness, uint32_t *rows)
{
	int32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	uint32_t individual = blockIdx.x * WARP + lane;

	if (warp == 0) {
		int32_t f = boa_fitness_of(&t.landscape, column, 1, lane);
		uint64_t best = warp_greatest(fitness_key(f, individual));

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

static __global__ void sample_kernel(struct hboa_arguments t)
{
	SHARED_MEMORY(struct supply, supply); /* twice AHEAD, then the column */
	uint32_t *column = (uint32_t *)(supply + 2 * AHEAD);
	struct hboa_progress *r = run_of(t);

	if (r->done || has_converged(t, r))
		return;
	draw_all(t, r, column, supply);
	evaluate(t, r, column, t.offspring_fitness + (size_t)blockIdx.y * t.offspring,
		 t.offspring_rows + (size_t)blockIdx.y * t.offspring * t.row);
}

static __global__ void first_kernel(struct hboa_arguments t)
{
	SHARED_MEMORY(uint32_t, column);
	struct hboa_progress *r = run_of(t);

	for (int32_t v = threadIdx.x; v < t.n; v += SAMPLE_THREADS)
		column[v] = boa_initial_word(r->seed, v, blockIdx.x);
	__syncthreads();
	evaluate(t, r, column, t.fitness + (size_t)blockIdx.y * t.population,
		 t.rows + (size_t)blockIdx.y * t.population * t.row);
}

static __global__ void first_best_kernel(struct hboa_arguments t)
{
	note_best(t, run_of(t), t.rows + (size_t)blockIdx.y * t.population * t.row);
}

/* ---- replacement ---- */

/* Restricted tournaments. By definition they are held one offspring at a time
 * (algorithms/gboa/hboa/hboa.h). Here all are held at once, in rounds. In a round, every offspring
 * computes the slot that it takes if each earlier offspring takes the slot of the previous round.
 *
 * Rounds repeat until nothing changes. Offspring 0 is right from the start, and offspring i is
 * right one round after all earlier ones, so the result equals that of the definition. Offspring
 * seldom depend on each other in long chains, so about ten rounds are enough.
 *
 * The offspring that take a slot form a list. The lists of each round have their own tag. There are
 * two sets of lists, so that one set can be read while the set of the next round is built.
 *
 * The rounds use the whole device. With many runs, one warp handles each run instead, one offspring
 * at a time, which is less work in total. */

enum { REPLACE_THREADS = 256 };

struct replacing {
	const struct hboa_arguments *t;
	struct hboa_progress *r;
	uint64_t seed;
	uint32_t generation;
	uint32_t tag;  /* of the lists being read; the lists being built have tag + 1 */
	int32_t round; /* number of rounds since the generation began; its lowest bit selects the
			  lists being read */
	const uint64_t *rows, *offspring;
	const int32_t *fitness, *offspring_fitness;
	uint64_t *head; /* twice: see struct hboa_arguments */
	int32_t *next, *target;
	struct hboa_nearest *near;
	int32_t words; /* 64-bit words of a row */
};

/* The individual that a draw finds, and the distance to it. */
struct found {
	uint64_t key;      /* distance, then number of the draw; the nearest has the least key */
	int32_t slot, who; /* who: an offspring, or -1 for the old individual */
};

/* A barrier for the blocks that work on the same run. */
static __device__ void run_barrier(struct hboa_progress *r)
{
	__syncthreads();
	if (gridDim.x > 1 && threadIdx.x == 0) {
		__threadfence();
		uint32_t end = (atomicAdd(&r->meetings, 1u) / gridDim.x + 1) * gridDim.x;

		SPIN_UNTIL((int32_t)(ld_acquire_gpu(&r->meetings) - end) >= 0);
		__threadfence();
	}
	__syncthreads();
}

/* The head of a slot's list. */
static __device__ __forceinline__ uint64_t head_of(const struct replacing &p, int32_t slot)
{
	return p.head[(size_t)(p.round & 1) * p.t->population + slot];
}

/* The last offspring before offspring i that takes the slot, or -1. */
static __device__ __forceinline__ int32_t taker_before(const struct replacing &p, uint64_t head,
						       int32_t i)
{
	const int32_t *next = p.next + (size_t)(p.round & 1) * p.t->offspring;
	int32_t last = -1;

	if (head >> 32 != p.tag)
		return -1;
	for (int32_t j = (int32_t)(uint32_t)head; j >= 0; j = next[j])
		last = j < i && j > last ? j : last;
	return last;
}

/* Distances from offspring i to four rows at the same time. */
static __device__ __forceinline__ void find_distances(const struct replacing &p, int32_t i,
						      const uint64_t *const row[4],
						      uint32_t distance[4])
{
	const uint64_t *mine = p.offspring + (size_t)i * p.words;

	for (int k = 0; k < 4; k++)
		distance[k] = 0;
	for (int32_t w = 0; w < p.words; w++)
#pragma unroll
		for (int k = 0; k < 4; k++)
			distance[k] += __popcll(mine[w] ^ row[k][w]);
}

/* The draws that count: ALL (as if no slot were taken), TAKEN slots, or FREE slots. */
enum draws { ALL, TAKEN, FREE };

/* The nearest individual among a lane's share of the draws of offspring i. *met: the draws that
 * count contain number `draw`. */
template <enum draws WHICH>
static __device__ __forceinline__ struct found search(const struct replacing &p, int32_t i,
						      int32_t draw, bool *met)
{
	struct found best = { ~(uint64_t)0, -1, -1 };
	int32_t window = p.t->window;

	*met = false;
	for (int32_t q = threadIdx.x % WARP; 4 * q < window; q += WARP) {
		struct philox4 draws = hboa_window_draws(p.seed, p.generation, i, q);
		int32_t slot[4], who[4];
		const uint64_t *row[4];
		uint64_t head[4];
		uint32_t distance[4];
		bool any = WHICH != TAKEN;

#pragma unroll
		for (int k = 0; k < 4; k++) {
			slot[k] = (int32_t)hboa_below(draws.word[k], p.t->population);
			head[k] = WHICH == ALL ? 0 : head_of(p, slot[k]);
		}
#pragma unroll
		for (int k = 0; k < 4; k++) {
			who[k] = WHICH == ALL ? -1 : taker_before(p, head[k], i);
			any |= who[k] >= 0;
			row[k] = who[k] >= 0 ? p.offspring + (size_t)who[k] * p.words :
					       p.rows + (size_t)slot[k] * p.words;
		}
		if (!any)
			continue;
		find_distances(p, i, row, distance);
#pragma unroll
		for (int k = 0; k < 4; k++) {
			uint64_t key = (uint64_t)distance[k] << 32 | (uint32_t)(4 * q + k);

			if (4 * q + k >= window ||
			    (WHICH != ALL && (who[k] >= 0) != (WHICH == TAKEN)))
				continue;
			*met |= 4 * q + k == draw;
			if (key < best.key) {
				best.key = key;
				best.slot = slot[k];
				best.who = who[k];
			}
		}
	}
	return best;
}

static __device__ __forceinline__ struct found warp_nearest(struct found f)
{
	uint64_t least = ~warp_greatest(~f.key);
	int32_t lane = __ffs(__ballot_sync(WARP_ALL, f.key == least)) - 1;

	f.slot = __shfl_sync(WARP_ALL, f.slot, lane);
	f.who = __shfl_sync(WARP_ALL, f.who, lane);
	f.key = least;
	return f;
}

/* The slot that offspring i takes, or -1. */
static __device__ __forceinline__ int32_t outcome(const struct replacing &p, int32_t i,
						  const struct found &f)
{
	int32_t there = f.who >= 0 ? p.offspring_fitness[f.who] : p.fitness[f.slot];

	return p.offspring_fitness[i] > there ? f.slot : -1;
}

static __device__ __forceinline__ int32_t search_changed(const struct replacing &p, int32_t i,
							 const struct hboa_nearest &near)
{
	bool gone, met;
	struct found f = search<TAKEN>(p, i, near.draw, &gone);
	struct found old = { (uint64_t)(uint32_t)near.distance << 32 | (uint32_t)near.draw,
			     near.slot, -1 };

	/* the old nearest was replaced: find the nearest among the free slots */
	if (__any_sync(WARP_ALL, gone))
		old = search<FREE>(p, i, -1, &met);
	return outcome(p, i, warp_nearest(old.key < f.key ? old : f));
}

/* Enters offspring i into the lists of round `round`. By one lane. */
static __device__ __forceinline__ void add_to_list(const struct replacing &p, int32_t round,
						   uint32_t tag, int32_t i, int32_t slot)
{
	size_t set = round & 1;

	p.target[i] = slot;
	if (slot < 0)
		return;
	uint64_t old = atomicExch((unsigned long long *)&p.head[set * p.t->population + slot],
				  (unsigned long long)tag << 32 | (uint32_t)i);

	p.next[set * p.t->offspring + i] = old >> 32 == tag ? (int32_t)(uint32_t)old : -1;
}

/* The first offspring of this warp. The warps of a run process offspring in turn. */
static __device__ __forceinline__ int32_t first_of_warp(void)
{
	return (int32_t)((blockIdx.x * REPLACE_THREADS + threadIdx.x) / WARP);
}

static __device__ __forceinline__ int32_t all_warps(void)
{
	return (int32_t)gridDim.x * (REPLACE_THREADS / WARP);
}

/* Searches all slots as they were before the generation. */
static __device__ void search_all(const struct replacing &p)
{
	bool met;

	for (int32_t i = first_of_warp(); i < p.t->offspring; i += all_warps()) {
		struct found f = warp_nearest(search<ALL>(p, i, -1, &met));

		if (threadIdx.x % WARP == 0) {
			p.near[i].distance = (int32_t)(f.key >> 32);
			p.near[i].draw = (int32_t)(uint32_t)f.key;
			p.near[i].slot = f.slot;
			add_to_list(p, p.round + 1, p.tag + 1, i, outcome(p, i, f));
		}
	}
}

/* Returns true if any offspring of this warp takes a different slot than in the previous round. */
static __device__ bool replace_round(const struct replacing &p)
{
	bool changed = false;

	for (int32_t i = first_of_warp(); i < p.t->offspring; i += all_warps()) {
		int32_t now = search_changed(p, i, p.near[i]);

		if (threadIdx.x % WARP == 0) {
			changed |= now != p.target[i];
			add_to_list(p, p.round + 1, p.tag + 1, i, now);
		}
	}
	return changed;
}

/* Rounds until nothing changes. */
static __device__ void replace_in_rounds(struct replacing &p)
{
	struct hboa_progress *r = p.r;

	search_all(p);
	run_barrier(r);
	for (bool changed = true; changed;) {
		p.round++;
		p.tag++;
		if (blockIdx.x == 0 && threadIdx.x == 0)
			/* all blocks passed a barrier since they read it */
			r->changed[(p.round + 1) % 3] = 0;
		if (replace_round(p))
			atomicExch(&r->changed[p.round % 3], 1);
		run_barrier(r);
		changed = r->changed[p.round % 3] != 0;
	}
}

/* The last offspring that takes a slot stays there. */
static __device__ void copy_offspring(const struct replacing &p, uint32_t *rows, int32_t *fitness)
{
	const uint32_t *from = (const uint32_t *)p.offspring;
	int32_t row = p.t->row;

	for (int32_t i = first_of_warp(); i < p.t->offspring; i += all_warps()) {
		int32_t slot = p.target[i];

		if (slot < 0 || taker_before(p, head_of(p, slot), p.t->offspring) != i)
			continue;
		for (int32_t j = threadIdx.x % WARP; j < row; j += WARP)
			rows[(size_t)slot * row + j] = from[(size_t)i * row + j];
		if (threadIdx.x % WARP == 0)
			fitness[slot] = p.offspring_fitness[i];
	}
}

static __device__ __forceinline__ struct replacing replacing_of(const struct hboa_arguments &t,
								struct hboa_progress *r)
{
	size_t run = blockIdx.y;
	struct replacing p;

	p.t = &t;
	p.r = r;
	p.seed = r->seed;
	p.generation = r->generations;
	p.tag = r->tag + 1; /* not in use yet */
	p.round = 0;
	p.rows = (const uint64_t *)(t.rows + run * t.population * t.row);
	p.offspring = (const uint64_t *)(t.offspring_rows + run * t.offspring * t.row);
	p.fitness = t.fitness + run * t.population;
	p.offspring_fitness = t.offspring_fitness + run * t.offspring;
	p.head = t.head + 2 * run * t.population;
	p.next = t.next + 2 * run * t.offspring;
	p.target = t.target + run * t.offspring;
	p.near = t.near + run * t.offspring;
	p.words = t.row / 2;
	return p;
}

/* By one block: ends the generation. */
static __device__ void end_generation(const struct hboa_arguments &t, struct hboa_progress *r)
{
	note_best(t, r, t.offspring_rows + (size_t)blockIdx.y * t.offspring * t.row);
	if (threadIdx.x == 0)
		r->generations++;
}

static __global__ void __launch_bounds__(REPLACE_THREADS, 3) replace_kernel(struct hboa_arguments t)
{
	struct hboa_progress *r = run_of(t);

	if (r->done || has_converged(t, r))
		return;
	struct replacing p = replacing_of(t, r);

	replace_in_rounds(p);
	copy_offspring(p, t.rows + (size_t)blockIdx.y * t.population * t.row,
		       t.fitness + (size_t)blockIdx.y * t.population);
	if (blockIdx.x > 0)
		return;
	end_generation(t, r);
	if (threadIdx.x == 0) {
		r->changed[(p.round + 2) % 3] = 0;
		r->tag = p.tag + 1; /* above the tag of the last lists */
	}
}

/* The definition, with one warp for each run. */
static __global__ void replace_in_order_kernel(struct hboa_arguments t)
{
	struct hboa_progress *r = run_of(t);

	if (r->done || has_converged(t, r))
		return;
	struct replacing p = replacing_of(t, r);
	uint32_t *rows = t.rows + (size_t)blockIdx.y * t.population * t.row;
	int32_t *fitness = t.fitness + (size_t)blockIdx.y * t.population;
	bool met;

	for (int32_t i = 0; i < t.offspring; i++) {
		int32_t slot = outcome(p, i, warp_nearest(search<ALL>(p, i, -1, &met)));

		__syncwarp(); /* all lanes have read the fitness */
		if (slot < 0)
			continue;
		for (int32_t j = threadIdx.x; j < t.row; j += WARP)
			rows[(size_t)slot * t.row + j] =
				((const uint32_t *)p.offspring)[(size_t)i * t.row + j];
		if (threadIdx.x == 0)
			fitness[slot] = p.offspring_fitness[i];
		__syncwarp();
	}
	end_generation(t, r);
}

/* ---- permutation and selection ---- */

enum { ORDER_THREADS = 256, GATHER_THREADS = 128 };

/* A thread computes the rank of a variable from 1024 keys at a time, four drawn by each thread. */
static __global__ void order_kernel(struct hboa_arguments t)
{
	SHARED_MEMORY(uint32_t, keys);
	struct hboa_progress *r = run_of(t);

	if (r->done)
		return;
	uint32_t v = blockIdx.x * blockDim.x + threadIdx.x, n = t.n, g = r->generations, rank = 0;
	uint32_t mine = boa_order_key(r->seed, g, v);

	for (uint32_t from = 0; from < n; from += 4 * ORDER_THREADS) {
		struct philox4 key = philox_7(from / 4 + threadIdx.x, 0, g, BOA_ORDER, r->seed);
		uint32_t count = n - from < 4 * ORDER_THREADS ? n - from : 4 * ORDER_THREADS;

		__syncthreads();
		for (uint32_t i = 0; i < 4; i++)
			keys[4 * threadIdx.x + i] = key.word[i];
		__syncthreads();
		for (uint32_t u = 0; u < count; u++)
			rank += keys[u] < mine || (keys[u] == mine && from + u < v);
	}
	if (v < n) {
		t.rank[(size_t)blockIdx.y * n + v] = (int32_t)rank;
		t.order[(size_t)blockIdx.y * n + rank] = (int32_t)v;
	}
	if (v == 0) {
		r->best_key = 0;
		r->next_rank = t.n - 1; /* the variables with the most candidates first */
	}
}

static __device__ __forceinline__ int32_t winner_of(const struct hboa_arguments &t,
						    const struct hboa_progress *r, uint32_t j)
{
	const int32_t *fitness = t.fitness + (size_t)blockIdx.y * t.population;
	struct philox4 draws = { { 0 } };
	int32_t winner = -1, best = 0;

	for (uint32_t d = 0; d < (uint32_t)t.tournament; d++) {
		if (d % 4 == 0)
			draws = hboa_contestants(r->seed, r->generations, j, d / 4);
		int32_t slot = (int32_t)hboa_below(draws.word[0], t.population);

		draws.word[0] = draws.word[1];
		draws.word[1] = draws.word[2];
		draws.word[2] = draws.word[3];
		if (winner < 0 || fitness[slot] > best) {
			winner = slot;
			best = fitness[slot];
		}
	}
	return winner;
}

/* A block gathers 32 of the selected, a warp 32 of their variables at a time. */
static __global__ void gather_kernel(struct hboa_arguments t)
{
	SHARED_MEMORY(int32_t, slots); /* 32, and the first of all */
	struct hboa_progress *r = run_of(t);

	if (r->done)
		return;
	if (threadIdx.x < WARP)
		slots[threadIdx.x] = winner_of(t, r, blockIdx.x * WARP + threadIdx.x);
	else if (threadIdx.x == WARP)
		slots[WARP] = winner_of(t, r, 0);
	__syncthreads();
	int32_t lane = threadIdx.x % WARP;
	const uint32_t *rows = t.rows + (size_t)blockIdx.y * t.population * t.row;
	const int32_t *rank = t.rank + (size_t)blockIdx.y * t.n;
	uint32_t *to = t.data + ((size_t)blockIdx.y * (t.selected / WARP) + blockIdx.x) * t.n;

	for (int32_t j = threadIdx.x / WARP; j * WARP < t.n; j += GATHER_THREADS / WARP) {
		uint32_t word = rows[(size_t)slots[lane] * t.row + j];
		bool other = word != rows[(size_t)slots[WARP] * t.row + j];
		int32_t v = j * WARP + lane;

		if (t.stop_converged && __any_sync(WARP_ALL, other) && lane == 0)
			atomicExch(&r->differ, r->generations + 1);
		word = warp_transpose(word, lane);
		if (v < t.n)
			to[rank[v]] = word;
	}
}

/* ---- launches ---- */

/* Whole words of an individual: readers load four variables at once, even past the last one. */
static size_t column_bytes(const struct hboa_arguments *t)
{
	return (size_t)t->row * WARP * sizeof(uint32_t);
}

static size_t sample_shared(const struct hboa_arguments *t)
{
	return 2 * AHEAD * sizeof(struct supply) + column_bytes(t);
}

static size_t learn_shared(const struct hboa_arguments *t)
{
	size_t words = (size_t)t->selected / 32, leaves = t->masks ? 0 : HBOA_LEAVES_MAX;

	return sizeof(struct growth) + words * (1 + leaves) * sizeof(uint32_t);
}

static int first(struct dev_stream *s, const struct hboa_arguments *t, struct err *e)
{
	int status = LAUNCH(e, first_kernel, dim3(t->population / 32, t->runs), SAMPLE_THREADS,
			    column_bytes(t), s, *t);

	return status ? status : LAUNCH(e, first_best_kernel, dim3(1, t->runs), 256, 0, s, *t);
}

/* Below this number of blocks for each run, one warp for each run is as fast. */
enum { BLOCKS_LEAST = 4 };

/* Uses as many blocks for each run as have work and can be resident at once, because they wait for
 * one another. */
static int replace(struct dev_stream *s, const struct hboa_arguments *t, struct err *e)
{
	int resident = 0, most = (t->offspring * WARP - 1) / REPLACE_THREADS + 1;
	int status = GPU_RESIDENT(e, &resident, replace_kernel, REPLACE_THREADS, 0, s);

	if (status)
		return status;
	int blocks = resident / t->runs < most ? resident / t->runs : most;

	if (blocks < BLOCKS_LEAST)
		return LAUNCH(e, replace_in_order_kernel, dim3(1, t->runs), WARP, 0, s, *t);
	return LAUNCH_COOPERATIVE(e, replace_kernel, dim3(blocks, t->runs), REPLACE_THREADS, 0, s,
				  *t);
}

static int generation(struct dev_stream *s, const struct hboa_arguments *t, struct err *e)
{
	int status =
		LAUNCH(e, order_kernel, dim3((t->n + ORDER_THREADS - 1) / ORDER_THREADS, t->runs),
		       ORDER_THREADS, 4 * ORDER_THREADS * sizeof(uint32_t), s, *t);

	if (!status)
		status = LAUNCH(e, gather_kernel, dim3(t->selected / 32, t->runs), GATHER_THREADS,
				(WARP + 1) * sizeof(int32_t), s, *t);
	if (!status)
		status = LAUNCH(e, learn_kernel, dim3(t->learners, t->runs), LEARN_THREADS,
				learn_shared(t), s, *t);
	if (!status)
		status = LAUNCH(e, sample_kernel, dim3(t->offspring / 32, t->runs), SAMPLE_THREADS,
				sample_shared(t), s, *t);
	return status ? status : replace(s, t, e);
}

extern "C" const struct hboa_kernels BACKEND_SYMBOL(hboa_kernels) = { first, generation,
								      learn_shared, sample_shared };
