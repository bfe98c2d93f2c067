/* spread_sign(x, byte): the highest bit of byte 0 .. 3 of x in all 32 bits, one instruction of
 * CUDA. */
#ifndef COPRA_KERNELS_GBOA_SPREAD_CUH
#define COPRA_KERNELS_GBOA_SPREAD_CUH

#include "kernels/common/gpu.cuh"

#if defined(COPRA_SIM)
static inline uint32_t spread_sign(uint32_t x, int byte)
{
	return 0u - (x >> (8 * byte + 7) & 1);
}
#else
static __device__ __forceinline__ uint32_t spread_sign(uint32_t x, int byte)
{
	uint32_t all;
	asm("prmt.b32 %0, %1, 0, %2;" : "=r"(all) : "r"(x), "r"(0x8888 + 0x1111 * byte));
	return all;
}
#endif

#endif
