/* Restricted tournaments. By definition one offspring after the other (hboa.h); here all at once, again
 * and again:
 *
 *   given what every offspring would take, each finds out what it takes if those before it do that
 *
 * until nothing changes. Offspring 0 is right from the start, number i as soon as those before it are,
 * so the end is the definition's outcome; and since few of them meet in a slot that matters to a third,
 * some ten rounds do. Who takes a slot is a list; lists of another round have another tag. */
#ifndef COPRA_KERNELS_GBOA_TREES_REPLACE_CUH
#define COPRA_KERNELS_GBOA_TREES_REPLACE_CUH

#include "kernels/gboa/trees_parts.cuh"

enum { REPLACE_THREADS = 256 };

struct replacing {
	const struct trees *t;
	struct trees_run *r;
	uint64_t seed;
	uint32_t generation, tag;
	const uint64_t *rows, *offspring;
	const int32_t *fitness, *offspring_fitness;
	uint64_t *head;
	int32_t *next;
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
	uint64_t head = p.head[slot];
	int32_t last = -1;

	if (head >> 32 != p.tag)
		return -1;
	for (int32_t j = (int32_t)(uint32_t)head; j >= 0; j = p.next[j])
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

/* Of all slots as they were. */
static __device__ void look_first(const struct replacing &p, int32_t *target,
				  struct trees_near *near)
{
	int32_t warps = gridDim.x * (REPLACE_THREADS / WARP), lane = threadIdx.x % WARP;
	bool met;

	for (int32_t i = (blockIdx.x * REPLACE_THREADS + threadIdx.x) / WARP; i < p.t->offspring;
	     i += warps) {
		struct found f = warp_nearest(look(p, i, false, -1, &met));

		if (lane == 0) {
			near[i].distance = (int32_t)(f.key >> 32);
			near[i].draw = (int32_t)(uint32_t)f.key;
			near[i].slot = f.slot;
			target[i] = outcome(p, i, f);
		}
	}
}

static __device__ __forceinline__ void enter_lists(const struct replacing &p, const int32_t *target)
{
	for (int32_t i = blockIdx.x * REPLACE_THREADS + threadIdx.x; i < p.t->offspring;
	     i += gridDim.x * REPLACE_THREADS) {
		if (target[i] < 0)
			continue;
		uint64_t old = atomicExch((unsigned long long *)&p.head[target[i]],
					  (unsigned long long)p.tag << 32 | (uint32_t)i);

		p.next[i] = old >> 32 == p.tag ? (int32_t)(uint32_t)old : -1;
	}
}

/* Returns whether any offspring of this warp takes something else than before. */
static __device__ bool settle_round(const struct replacing &p, int32_t *target,
				    const struct trees_near *near)
{
	int32_t warps = gridDim.x * (REPLACE_THREADS / WARP), lane = threadIdx.x % WARP;
	bool changed = false;

	for (int32_t i = (blockIdx.x * REPLACE_THREADS + threadIdx.x) / WARP; i < p.t->offspring;
	     i += warps) {
		int32_t now = look_again(p, i, near[i]), before = target[i];

		changed |= now != before;
		__syncwarp(); /* all have read it */
		if (lane == 0)
			target[i] = now;
	}
	return changed;
}

/* The last of those that take a slot stays there. */
static __device__ void put_in_place(const struct replacing &p, const int32_t *target,
				    uint32_t *rows, int32_t *fitness)
{
	const uint32_t *from = (const uint32_t *)p.offspring;
	int32_t row = p.t->row, warps = gridDim.x * (REPLACE_THREADS / WARP);

	for (int32_t i = (blockIdx.x * REPLACE_THREADS + threadIdx.x) / WARP; i < p.t->offspring;
	     i += warps) {
		int32_t slot = target[i];

		if (slot < 0 || taker_before(p, slot, p.t->offspring) != i)
			continue;
		for (int32_t j = threadIdx.x % WARP; j < row; j += WARP)
			rows[(size_t)slot * row + j] = from[(size_t)i * row + j];
		if (threadIdx.x % WARP == 0)
			fitness[slot] = p.offspring_fitness[i];
	}
}

/* Rounds until nothing changes; the lists are then those of the outcome. */
static __device__ void settle(struct replacing &p, int32_t *target, struct trees_near *near)
{
	struct trees_run *r = p.r;

	for (int round = 0;; round ^= 1, p.tag++) {
		enter_lists(p, target);
		meet(r);
		if (blockIdx.x == 0 && threadIdx.x == 0)
			r->changed[round ^ 1] = 0; /* its readers have met since */
		if (settle_round(p, target, near) && threadIdx.x % WARP == 0)
			atomicExch(&r->changed[round], 1);
		meet(r);
		if (!r->changed[round])
			return;
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
	int32_t *fitness = t.fitness + run * t.population, *target = t.target + run * t.offspring;
	struct trees_near *near = t.near + run * t.offspring;
	struct replacing p;

	p.t = &t;
	p.r = r;
	p.seed = r->seed;
	p.generation = r->generations;
	p.tag = r->tag + 1; /* nothing has it yet */
	p.rows = (const uint64_t *)rows;
	p.offspring = (const uint64_t *)offspring;
	p.fitness = fitness;
	p.offspring_fitness = t.offspring_fitness + run * t.offspring;
	p.head = t.head + run * t.population;
	p.next = t.next + run * t.offspring;
	p.words = t.row / 2;
	look_first(p, target, near);
	meet(r);
	settle(p, target, near);
	put_in_place(p, target, rows, fitness);
	if (blockIdx.x > 0)
		return;
	note_best(t, r, offspring);
	if (threadIdx.x == 0) {
		r->generations++;
		r->tag = p.tag;
	}
}

#endif
