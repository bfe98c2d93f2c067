/* Restricted tournaments. By definition one offspring after the other (hboa.h); here all at once, again
 * and again:
 *
 *   given what every offspring would take, each finds out what it takes if those before it do that
 *
 * until nothing changes. Offspring 0 is right from the start, number i as soon as those before it are,
 * so the end is the definition's outcome; and since few of them meet in a slot that matters to a third,
 * some ten rounds do. Who takes a slot is a list; lists of another round have another tag, and there are
 * two sets of them, so that those of the next round can be made while these are read.
 *
 * Where a run has few blocks, offspring are taken a part at a time: in a small one there is hardly
 * anything to be corrected, and blocks are busy with few as well. */
#ifndef COPRA_KERNELS_GBOA_TREES_REPLACE_CUH
#define COPRA_KERNELS_GBOA_TREES_REPLACE_CUH

#include "kernels/gboa/trees_parts.cuh"

enum { REPLACE_THREADS = 256, PART_OF_WARP = 16 };

struct replacing {
	const struct trees *t;
	struct trees_run *r;
	uint64_t seed;
	uint32_t generation;
	uint32_t tag;  /* of the lists that are read; those that are made have one more */
	int32_t round; /* number since the generation began; its last bit: the lists that are read */
	int32_t from, to; /* the part: offspring from, from + 1, ... to - 1 */
	const uint64_t *rows, *offspring;
	const int32_t *fitness, *offspring_fitness;
	uint64_t *head; /* two times: see struct trees */
	int32_t *next, *target;
	struct trees_near *near;
	int32_t words; /* of 64 bits, of a row */
};

/* A draw: the distance to whom it finds, and who that is. */
struct found {
	uint64_t key;      /* distance, number of the draw: the least is the nearest */
	int32_t slot, who; /* who: an offspring, or -1: the old individual */
};

/* Blocks that work on the same run wait for one another. */
static __device__ void meet(struct trees_run *r)
{
	__syncthreads();
	if (gridDim.x > 1 && threadIdx.x == 0) {
		__threadfence();
		uint32_t end = (atomicAdd(&r->meetings, 1u) / gridDim.x + 1) * gridDim.x;

		while ((int32_t)(ld_acquire_gpu(&r->meetings) - end) < 0)
			SPIN_WAIT();
		__threadfence();
	}
	__syncthreads();
}

/* Of those that take the slot, the last one before offspring i, or -1. */
static __device__ __forceinline__ int32_t taker_before(const struct replacing &p, int32_t slot,
						       int32_t i)
{
	uint64_t head = p.head[(size_t)(p.round & 1) * p.t->population + slot];
	const int32_t *next = p.next + (size_t)(p.round & 1) * p.t->offspring;
	int32_t last = -1;

	if (head >> 32 != p.tag)
		return -1;
	for (int32_t j = (int32_t)(uint32_t)head; j >= 0; j = next[j])
		last = j < i && j > last ? j : last;
	return last;
}

static __device__ __forceinline__ uint32_t distance_to(const struct replacing &p, int32_t i,
						       const uint64_t *row)
{
	const uint64_t *mine = p.offspring + (size_t)i * p.words;
	uint32_t differ = 0;

	for (int32_t w = 0; w < p.words; w++)
		differ += __popcll(mine[w] ^ row[w]);
	return differ;
}

/* The nearest that a lane sees among its share of the draws of offspring i, of slots that are taken or
 * of those that are not. *met: those draws, as far as they are wanted, include number `draw`. */
static __device__ __forceinline__ struct found look(const struct replacing &p, int32_t i,
						    bool taken, int32_t draw, bool *met)
{
	struct found best = { ~(uint64_t)0, -1, -1 };
	int32_t window = p.t->window;

	*met = false;
	for (int32_t q = threadIdx.x % WARP; 4 * q < window; q += WARP) {
		struct philox4 draws = hboa_window_draws(p.seed, p.generation, i, q);

#pragma unroll
		for (int32_t k = 0; k < 4; k++) {
			int32_t slot = (int32_t)hboa_below(draws.word[k], p.t->population);
			int32_t d = 4 * q + k, who = d < window ? taker_before(p, slot, i) : -1;

			if (d >= window || (who >= 0) != taken)
				continue;
			const uint64_t *row = who >= 0 ? p.offspring + (size_t)who * p.words :
							 p.rows + (size_t)slot * p.words;
			uint64_t key = (uint64_t)distance_to(p, i, row) << 32 | (uint32_t)d;

			*met |= d == draw;
			if (key < best.key) {
				best.key = key;
				best.slot = slot;
				best.who = who;
			}
		}
	}
	return best;
}

static __device__ __forceinline__ struct found warp_nearest(struct found f)
{
	uint64_t least = ~warp_max(~f.key);
	int32_t lane = __ffs(__ballot_sync(ALL_LANES, f.key == least)) - 1;

	f.slot = __shfl_sync(ALL_LANES, f.slot, lane);
	f.who = __shfl_sync(ALL_LANES, f.who, lane);
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

static __device__ __forceinline__ int32_t look_again(const struct replacing &p, int32_t i,
						     const struct trees_near &near)
{
	bool gone, met;
	struct found f = look(p, i, true, near.draw, &gone);
	struct found old = { (uint64_t)(uint32_t)near.distance << 32 | (uint32_t)near.draw,
			     near.slot, -1 };

	/* the nearest of old is another one now: who is nearest of those left? */
	if (__any_sync(ALL_LANES, gone))
		old = look(p, i, false, -1, &met);
	return outcome(p, i, warp_nearest(old.key < f.key ? old : f));
}

/* Into the lists of round `round`. By one lane. */
static __device__ __forceinline__ void enter(const struct replacing &p, int32_t round, uint32_t tag,
					     int32_t i, int32_t slot)
{
	size_t set = round & 1;

	p.target[i] = slot;
	if (slot < 0)
		return;
	uint64_t old = atomicExch(
		(unsigned long long *)&p.head[set * p.t->population + slot],
		(unsigned long long)tag << 32 | (uint32_t)i);

	p.next[set * p.t->offspring + i] = old >> 32 == tag ? (int32_t)(uint32_t)old : -1;
}

/* Warps of the run take turns. */
static __device__ __forceinline__ int32_t first_of_warp(const struct replacing &p)
{
	return p.from + (int32_t)((blockIdx.x * REPLACE_THREADS + threadIdx.x) / WARP);
}

static __device__ __forceinline__ int32_t all_warps(void)
{
	return (int32_t)gridDim.x * (REPLACE_THREADS / WARP);
}

/* Of all slots as they were. */
static __device__ void look_first(const struct replacing &p)
{
	bool met;

	for (int32_t i = first_of_warp(p); i < p.to; i += all_warps()) {
		struct found f = warp_nearest(look(p, i, false, -1, &met));

		if (threadIdx.x % WARP == 0) {
			p.near[i].distance = (int32_t)(f.key >> 32);
			p.near[i].draw = (int32_t)(uint32_t)f.key;
			p.near[i].slot = f.slot;
			enter(p, p.round + 1, p.tag + 1, i, outcome(p, i, f));
		}
	}
}

/* Returns whether any offspring of this warp takes something else than before. */
static __device__ bool settle_round(const struct replacing &p)
{
	bool changed = false;

	for (int32_t i = first_of_warp(p); i < p.to; i += all_warps()) {
		int32_t now = look_again(p, i, p.near[i]);

		if (threadIdx.x % WARP == 0) {
			changed |= now != p.target[i];
			enter(p, p.round + 1, p.tag + 1, i, now);
		}
	}
	return changed;
}

/* Rounds until nothing changes. Lists that no round has had are empty, so that the first look, at slots
 * that nobody takes, is a round like the others. */
static __device__ void settle(struct replacing &p)
{
	struct trees_run *r = p.r;

	look_first(p);
	meet(r);
	for (bool changed = true; changed;) {
		p.round++;
		p.tag++;
		if (blockIdx.x == 0 && threadIdx.x == 0)
			r->changed[(p.round + 1) % 3] = 0; /* its readers have met since */
		if (settle_round(p))
			atomicExch(&r->changed[p.round % 3], 1);
		meet(r);
		changed = r->changed[p.round % 3] != 0;
	}
}

/* The last of those that take a slot stays there. */
static __device__ void put_in_place(const struct replacing &p, uint32_t *rows, int32_t *fitness)
{
	const uint32_t *from = (const uint32_t *)p.offspring;
	int32_t row = p.t->row;

	for (int32_t i = first_of_warp(p); i < p.to; i += all_warps()) {
		int32_t slot = p.target[i];

		if (slot < 0 || taker_before(p, slot, p.t->offspring) != i)
			continue;
		for (int32_t j = threadIdx.x % WARP; j < row; j += WARP)
			rows[(size_t)slot * row + j] = from[(size_t)i * row + j];
		if (threadIdx.x % WARP == 0)
			fitness[slot] = p.offspring_fitness[i];
	}
}

static __global__ void trees_replace(struct trees t)
{
	struct trees_run *r = run_of(t);

	if (r->done || has_converged(t, r))
		return;
	size_t run = blockIdx.y;
	uint32_t *rows = t.rows + run * t.population * t.row;
	uint32_t *offspring = t.offspring_rows + run * t.offspring * t.row;
	int32_t *fitness = t.fitness + run * t.population, part = all_warps() * PART_OF_WARP;
	struct replacing p;

	p.t = &t;
	p.r = r;
	p.seed = r->seed;
	p.generation = r->generations;
	p.tag = r->tag + 1; /* nothing has it yet */
	p.round = 0;
	p.rows = (const uint64_t *)rows;
	p.offspring = (const uint64_t *)offspring;
	p.fitness = fitness;
	p.offspring_fitness = t.offspring_fitness + run * t.offspring;
	p.head = t.head + 2 * run * t.population;
	p.next = t.next + 2 * run * t.offspring;
	p.target = t.target + run * t.offspring;
	p.near = t.near + run * t.offspring;
	p.words = t.row / 2;
	for (p.from = 0; p.from < t.offspring; p.from = p.to) {
		p.to = t.offspring - p.from < part ? t.offspring : p.from + part;
		settle(p);
		put_in_place(p, rows, fitness);
		meet(r);
		p.tag += 2; /* beyond the lists that were made last */
	}
	if (blockIdx.x > 0)
		return;
	note_best(t, r, offspring);
	if (threadIdx.x == 0) {
		r->changed[(p.round + 2) % 3] = 0;
		r->generations++;
		r->tag = p.tag;
	}
}

#endif
