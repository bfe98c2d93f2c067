/* Whose child is the n-th? */
#ifndef COPRA_KERNELS_KOESTER_RECOVERY_CHILDREN_CUH
#define COPRA_KERNELS_KOESTER_RECOVERY_CHILDREN_CUH

#include "kernels/common/gpu.cuh"

/* The last parent whose first child is not after `child`: children are numbered parent by parent,
 * and one without children has the number of the next one's first. parents >= 1. */
static __device__ __forceinline__ uint32_t track_parent_of(const uint32_t *first, uint32_t parents,
							   uint32_t child)
{
	uint32_t low = 0;

	for (uint32_t size = parents; size > 1;) {
		uint32_t half = size / 2;

		if (first[low + half] <= child)
			low += half;
		size -= half;
	}
	return low;
}

#endif
