/* The permutation of a generation, and the selected by rank. */
#ifndef COPRA_KERNELS_GBOA_TREES_SELECT_CUH
#define COPRA_KERNELS_GBOA_TREES_SELECT_CUH

#include "kernels/gboa/trees_parts.cuh"

enum { ORDER_THREADS = 256, GATHER_THREADS = 128 };

/* A thread a variable; all compare themselves with 1024 keys at a time, four drawn by each. */
static __global__ void trees_order(struct trees t)
{
	SHARED_MEMORY(uint32_t, keys);
	struct trees_run *r = run_of(t);

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
		r->next_rank = t.n - 1; /* those with the most candidates first */
	}
}

static __device__ __forceinline__ int32_t winner_of(const struct trees &t,
						    const struct trees_run *r, uint32_t j)
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

/* A block takes 32 of the selected, a warp 32 of their variables at a time. */
static __global__ void trees_gather(struct trees t)
{
	SHARED_MEMORY(int32_t, slots); /* 32, and the first of all */
	struct trees_run *r = run_of(t);

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

		if (t.stop_converged && __any_sync(ALL_LANES, other) && lane == 0)
			atomicExch(&r->differ, r->generations + 1);
		word = warp_transpose(word, lane);
		if (v < t.n)
			to[rank[v]] = word;
	}
}

#endif
