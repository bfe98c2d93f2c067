/* What the kernels of hierarchical BOA share. */
#ifndef COPRA_KERNELS_GBOA_HBOA_COMMON_CUH
#define COPRA_KERNELS_GBOA_HBOA_COMMON_CUH

#include "kernels/common/warp.cuh"
#include "kernels/gboa/hboa.h"

enum { WARP = 32 };

/* The run of this block. */
static __device__ __forceinline__ struct hboa_progress *run_of(const struct hboa_arguments &t)
{
	return t.run + blockIdx.y;
}

/* True if the run ends because all selected are alike. Valid after gathering. */
static __device__ __forceinline__ bool has_converged(const struct hboa_arguments &t,
						     const struct hboa_progress *r)
{
	return t.stop_converged && r->differ != r->generations + 1;
}

static __device__ __forceinline__ uint64_t warp_greatest(uint64_t x)
{
	uint32_t high = __reduce_max_sync(WARP_ALL, (uint32_t)(x >> 32));
	uint32_t low = __reduce_max_sync(WARP_ALL, x >> 32 == high ? (uint32_t)x : 0u);

	return (uint64_t)high << 32 | low;
}

/* Bit j of lane i becomes bit i of lane j. */
static __device__ __forceinline__ uint32_t warp_transpose(uint32_t x, int32_t lane)
{
	uint32_t mine = 0;

	for (int32_t j = 0; j < WARP; j++) {
		uint32_t word = __ballot_sync(WARP_ALL, x >> j & 1);

		mine = lane == j ? word : mine;
	}
	return mine;
}

/* Greater for the fitter individual; ties: the lower index. Always above 0. */
static __device__ __forceinline__ uint64_t fitness_key(int32_t fitness, uint32_t index)
{
	return (uint64_t)((uint32_t)fitness ^ 0x80000000u) << 32 | (uint32_t)~index;
}

static __device__ __forceinline__ int32_t key_fitness(uint64_t key)
{
	return (int32_t)((uint32_t)(key >> 32) ^ 0x80000000u);
}

static __device__ __forceinline__ uint32_t key_index(uint64_t key)
{
	return ~(uint32_t)key;
}

/* By all threads of one block, after the evaluation of `rows`: updates the best individual of the
 * run. */
static __device__ __forceinline__ void note_best(const struct hboa_arguments &t,
						 struct hboa_progress *r, const uint32_t *rows)
{
	uint64_t key = r->best_key;
	bool better = key_fitness(key) > r->best;

	for (int32_t j = threadIdx.x; better && j < t.row; j += blockDim.x)
		t.best_row[(size_t)blockIdx.y * t.row + j] =
			rows[(size_t)key_index(key) * t.row + j];
	__syncthreads(); /* all have read the old best */
	if (threadIdx.x == 0 && better) {
		r->best = key_fitness(key);
		r->done = t.stop_at_optimum && r->best == t.optimum;
	}
}

#endif
