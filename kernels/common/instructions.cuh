/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Instructions that the compiler does not generate by itself. */
#ifndef COPRA_KERNELS_COMMON_INSTRUCTIONS_CUH
#define COPRA_KERNELS_COMMON_INSTRUCTIONS_CUH

#include "kernels/common/gpu.cuh"

/* ~(x | y | z) as one instruction: the compiler splits it where the result is tested. */
static __device__ __forceinline__ uint32_t none_of(uint32_t x, uint32_t y, uint32_t z)
{
#if defined(__CUDA_ARCH__)
	uint32_t v;
	asm("lop3.b32 %0, %1, %2, %3, 0x01;" : "=r"(v) : "r"(x), "r"(y), "r"(z));
	return v;
#else
	return ~(x | y | z);
#endif
}

/* v, unknown to the compiler: what is computed from it is computed again instead of kept in
 * registers since it was last needed. */
static __device__ __forceinline__ int32_t afresh(int32_t v)
{
#if defined(__CUDA_ARCH__)
	asm volatile("" : "+r"(v));
#endif
	return v;
}

#endif
