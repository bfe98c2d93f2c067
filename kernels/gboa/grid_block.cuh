/* What the steps of the grid kernel (grid.h) share: the state of a block, barriers of the grid, and
 * shared memory. */
#ifndef COPRA_KERNELS_GBOA_GRID_BLOCK_CUH
#define COPRA_KERNELS_GBOA_GRID_BLOCK_CUH

#include "kernels/common/warp.cuh"
#include "kernels/gboa/grid.h"

/* The state of a block, the same in all of its threads. */
struct grid_block {
	const boa_grid_arguments *a;
	uint32_t meetings; /* arrivals of all blocks at the barriers so far */
	uint32_t past;     /* generations of this launch */
	int32_t generation, kept, side, best;
	uint32_t edges; /* of the generation; block 0 */
};

/* Shared memory: the stop watch, the task, copies of the factorials from BOA_GRID_TABLE on, then
 * memory that the steps use in turn from `region` on. */
enum { BOA_GRID_TASK = 16 };
static_assert(BOA_GRID_TASK + sizeof(struct boa_grid_task) <= BOA_GRID_TABLE, "the task has room");

static __device__ __forceinline__ boa_grid_task *grid_own_task(void)
{
	SHARED_MEMORY(unsigned char, shared);

	return (boa_grid_task *)(shared + BOA_GRID_TASK);
}

static __device__ __forceinline__ void grid_take_task(const boa_grid_arguments *a, int32_t number)
{
	if (number < a->tasks && threadIdx.x < sizeof(boa_grid_task) / 4)
		((uint32_t *)grid_own_task())[threadIdx.x] =
			((const uint32_t *)&a->task[number])[threadIdx.x];
	__syncthreads();
}
static __device__ __forceinline__ unsigned char *grid_table(void)
{
	SHARED_MEMORY(unsigned char, shared);

	return shared + BOA_GRID_TABLE;
}

static __device__ __forceinline__ unsigned char *grid_region(const boa_grid_arguments *a)
{
	SHARED_MEMORY(unsigned char, shared);

	return shared + a->region;
}

/* Adds the ticks since the last call to a step. Thread 0 of block 0 measures. */
static __device__ __forceinline__ void grid_lap(const boa_grid_arguments *a, int step)
{
	SHARED_MEMORY(unsigned long long, since);

	if (threadIdx.x == 0 && blockIdx.x == 0) {
		unsigned long long now = (unsigned long long)clock64();

		if (step >= 0)
			atomicAdd(&a->state->ticks[step], now - *since);
		*since = now;
	}
}

static __device__ __forceinline__ void grid_arrive(grid_block *b)
{
	b->meetings += gridDim.x;
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		atomicAdd(&b->a->counters->met, 1u);
	}
}

static __device__ __forceinline__ void grid_await(const uint32_t *counter, uint32_t least)
{
	while (ld_acquire_gpu(counter) < least)
		SPIN_WAIT();
}

static __device__ __forceinline__ void grid_wait(const grid_block *b)
{
	if (threadIdx.x == 0)
		grid_await(&b->a->counters->met, b->meetings);
	__syncthreads();
}

/* The survivors, and where the next ones go. (Selected without an index, so that the arguments stay
 * where they are.) */
static __device__ __forceinline__ uint32_t *grid_rows(const boa_grid_arguments *a, int32_t side)
{
	return side ? a->rows_of[1] : a->rows_of[0];
}
static __device__ __forceinline__ int32_t *grid_kept_fitness(const boa_grid_arguments *a,
							     int32_t side)
{
	return side ? a->kept_fitness[1] : a->kept_fitness[0];
}

/* Divides shared memory into consecutive parts. */
struct grid_carve {
	size_t used;
};

static __host__ __device__ __forceinline__ size_t grid_part(grid_carve *c, size_t bytes)
{
	size_t at = c->used;

	c->used += (bytes + 15) & ~(size_t)15;
	return at;
}

#endif
