/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Binary matrix products on tensor cores: the number of ones in the AND of two rows of bits.
 *
 *     D[16][8] += A[16][256 bits] x B[8][256 bits],   D[m][n] = popcount(A[m] & B[n])
 *
 * computed by all 32 lanes of a warp together (mma.m16n8k256 of PTX, from sm_80 on; elsewhere by
 * shuffle_and_popc; on sim through a buffer of lane 0). With g = lane / 4 and t = lane % 4, a lane
 * holds
 *
 * - a[0], a[1]: words t of rows g and g + 8 of A; a[2], a[3]: words t + 4 of the same rows
 * - b[0], b[1]: words t and t + 4 of row g of B
 * - d[0], d[1]: D[g][2 t] and D[g][2 t + 1]; d[2], d[3]: D[g + 8][2 t] and D[g + 8][2 t + 1]
 *
 * The sum does not depend on the order of the bits, so A and B may be permuted in the same way:
 * other words may replace t and t + 4. With rows of 16 words, each lane can load four words at
 * once, from word 4 t on, and compute two products of 256 bits: from {x, y} and from {z, w}. */
#ifndef COPRA_KERNELS_COMMON_MMA_B1_CUH
#define COPRA_KERNELS_COMMON_MMA_B1_CUH

#include "kernels/common/gpu.cuh"

/* The same product by shuffles and population counts, on any device. */
static __device__ __forceinline__ void shuffle_and_popc(int32_t d[4], const uint32_t a[4],
							const uint32_t b[2])
{
	int lane = (int)(threadIdx.x & 31), g = lane / 4, t = lane % 4;

#pragma unroll 1 /* otherwise a kernel of many products spills registers */
	for (int word = 0; word < 4; word++) {
		int row = g * 4 + word, left = 8 * t + word, right = left + 4;

#pragma unroll
		for (int half = 0; half < 2; half++) {
			uint32_t upper = __shfl_sync(0xffffffffu, a[2 * half], row);
			uint32_t lower = __shfl_sync(0xffffffffu, a[2 * half + 1], row);
			uint32_t x = __shfl_sync(0xffffffffu, b[half], left);
			uint32_t y = __shfl_sync(0xffffffffu, b[half], right);

			d[0] += __popc(upper & x);
			d[1] += __popc(upper & y);
			d[2] += __popc(lower & x);
			d[3] += __popc(lower & y);
		}
	}
}

#if defined(COPRA_SIM)
struct mma_b1_fragments {
	uint32_t a[32][4], b[32][2];
};

static inline void mma_and_popc(int32_t d[4], const uint32_t a[4], const uint32_t b[2])
{
	struct mma_b1_fragments own, *all;
	unsigned lane = sim_self->lane, g = lane / 4, t = lane % 4;

	all = __shfl_sync(0xffffffffu, &own, 0);
	memcpy(all->a[lane], a, sizeof(all->a[lane]));
	memcpy(all->b[lane], b, sizeof(all->b[lane]));
	__syncwarp();
	for (unsigned i = 0; i < 4; i++)
		for (unsigned word = 0; word < 8; word++) {
			unsigned from = g * 4 + word % 4, column = 2 * t + i % 2;
			uint32_t x = all->a[from][word / 4 * 2 + i / 2];
			uint32_t y = all->b[column * 4 + word % 4][word / 4];

			d[i] += __popc(x & y);
		}
	__syncwarp();
}
#elif defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800)
static __device__ __forceinline__ void mma_and_popc(int32_t d[4], const uint32_t a[4],
						    const uint32_t b[2])
{
	asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
	    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
	    : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#else
static __device__ __forceinline__ void mma_and_popc(int32_t d[4], const uint32_t a[4],
						    const uint32_t b[2])
{
	shuffle_and_popc(d, a, b);
}
#endif

#endif
