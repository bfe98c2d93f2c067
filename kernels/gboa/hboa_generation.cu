/* Kernels of hierarchical BOA (hboa.h): the permutation of a generation, tournaments, and the
 * launches of all steps. */
#include "kernels/gboa/hboa_common.cuh"
#include "kernels/gboa/hboa_learn.cuh"
#include "kernels/gboa/hboa_offspring.cuh"

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

/* Whole words of an individual: readers take four variables at once, also beyond the last. */
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

/* With fewer blocks for each run, one warp for each run is as fast. */
enum { BLOCKS_LEAST = 4 };

/* As many blocks for each run as fit on the device and have work; they wait for one another. */
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
