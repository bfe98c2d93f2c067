/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Warp operations of CUDA on HIP. Included by gpu_hip.cuh.
 *
 * A warp is the 32 lanes of a wave whose numbers differ in the low five bits only: half a wave of
 * 64, or a wave of 32. Masks and votes have 32 bits, for the lanes of the caller's own warp.
 *
 * The lanes of a wave run in lockstep, and lanes that took different branches meet again where the
 * branches end. Hence, unlike in CUDA, an operation does not wait for the lanes of its mask: they
 * must reach it together. Lanes of the other warp may reach it at the same time, or not. */
#ifndef COPRA_KERNELS_COMMON_GPU_HIP_WARP_CUH
#define COPRA_KERNELS_COMMON_GPU_HIP_WARP_CUH

/* The number of this lane in its wave, and in its warp. */
static __device__ __forceinline__ unsigned gpu_wave_lane()
{
	return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}
static __device__ __forceinline__ unsigned gpu_lane()
{
	return gpu_wave_lane() & 31;
}

/* The votes of the active lanes of this warp. */
static __device__ __forceinline__ unsigned gpu_votes(int predicate)
{
	return (unsigned)(__ballot(predicate) >> (gpu_wave_lane() & 32));
}

/* Orders the memory accesses of the lanes of a wave. */
static __device__ __forceinline__ void gpu_syncwarp(unsigned = 0xffffffffu)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
	__builtin_amdgcn_wave_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
static __device__ __forceinline__ unsigned gpu_activemask()
{
	return gpu_votes(1);
}
static __device__ __forceinline__ unsigned gpu_ballot(unsigned mask, int predicate)
{
	return gpu_votes(predicate != 0) & mask;
}
static __device__ __forceinline__ int gpu_any(unsigned mask, int predicate)
{
	return gpu_ballot(mask, predicate) != 0;
}
static __device__ __forceinline__ int gpu_all(unsigned mask, int predicate)
{
	return gpu_ballot(mask, predicate == 0) == 0;
}

/* ---- shuffles of values of 1 to 8 bytes ---- */

/* The value of lane `source` of the wave. */
template <class T> static __device__ __forceinline__ T gpu_from_lane(T v, unsigned source)
{
	static_assert(sizeof(T) <= 8, "warp operations move at most 8 bytes");
	int words[2] = { 0, 0 };

	memcpy(words, &v, sizeof(v));
	words[0] = __builtin_amdgcn_ds_bpermute((int)(source * 4), words[0]);
	if (sizeof(T) > 4)
		words[1] = __builtin_amdgcn_ds_bpermute((int)(source * 4), words[1]);
	memcpy(&v, words, sizeof(v));
	return v;
}

/* `width`, a power of two up to 32, divides warps into segments. */
template <class T>
static __device__ __forceinline__ T gpu_shfl(unsigned, T v, int source, int width = 32)
{
	unsigned self = gpu_wave_lane(), inside = (unsigned)width - 1;

	return gpu_from_lane(v, (self & ~inside) | ((unsigned)source & inside));
}
template <class T>
static __device__ __forceinline__ T gpu_shfl_up(unsigned, T v, unsigned delta, int width = 32)
{
	unsigned self = gpu_wave_lane(), inside = (unsigned)width - 1;

	return gpu_from_lane(v, (self & inside) >= delta ? self - delta : self);
}
template <class T>
static __device__ __forceinline__ T gpu_shfl_down(unsigned, T v, unsigned delta, int width = 32)
{
	unsigned self = gpu_wave_lane(), inside = (unsigned)width - 1;

	return gpu_from_lane(v, (self & inside) + delta <= inside ? self + delta : self);
}
template <class T>
static __device__ __forceinline__ T gpu_shfl_xor(unsigned, T v, int lanes, int width = 32)
{
	unsigned self = gpu_wave_lane(), inside = (unsigned)width - 1;
	unsigned source = self ^ (unsigned)lanes;
	bool valid =
		(unsigned)lanes <= inside || ((unsigned)lanes < 32 && source <= (self | inside));

	return gpu_from_lane(v, valid ? source : self);
}

/* ---- matches: one vote for each bit of the value ----
 *
 * Here and in reductions, lanes of the mask that have left the kernel do not count. */

template <class T> static __device__ __forceinline__ unsigned gpu_match_any(unsigned mask, T v)
{
	uint64_t bits = 0;
	unsigned same = mask & gpu_votes(1);

	memcpy(&bits, &v, sizeof(v));
	for (unsigned i = 0; i < 8 * sizeof(T); i++) {
		bool set = bits >> i & 1;
		unsigned votes = gpu_votes(set);

		same &= set ? votes : ~votes;
	}
	return same;
}
template <class T>
static __device__ __forceinline__ unsigned gpu_match_all(unsigned mask, T v, int *predicate)
{
	mask &= gpu_votes(1);
	*predicate = gpu_all(mask, gpu_match_any(mask, v) == mask);
	return *predicate ? mask : 0;
}

/* ---- reductions ---- */

#define GPU_REDUCE(name, T, combine)                                                               \
	static __device__ __forceinline__ T name(unsigned mask, T value)                           \
	{                                                                                          \
		T all = value;                                                                     \
		mask &= gpu_votes(1);                                                              \
		if (mask == 0xffffffffu) {                                                         \
			for (int d = 16; d; d /= 2) {                                              \
				T one = gpu_shfl_xor(mask, all, d);                                \
				all = combine;                                                     \
			}                                                                          \
			return all;                                                                \
		}                                                                                  \
		all = gpu_shfl(mask, value, __ffs((int)mask) - 1);                                 \
		for (unsigned rest = mask & (mask - 1); rest; rest &= rest - 1) {                  \
			T one = gpu_shfl(mask, value, __ffs((int)rest) - 1);                       \
			all = combine;                                                             \
		}                                                                                  \
		return all;                                                                        \
	}
GPU_REDUCE(gpu_reduce_add, int, (int)((unsigned)all + (unsigned)one))
GPU_REDUCE(gpu_reduce_add, unsigned, all + one)
GPU_REDUCE(gpu_reduce_min, int, one < all ? one : all)
GPU_REDUCE(gpu_reduce_min, unsigned, one < all ? one : all)
GPU_REDUCE(gpu_reduce_max, int, one > all ? one : all)
GPU_REDUCE(gpu_reduce_max, unsigned, one > all ? one : all)
GPU_REDUCE(gpu_reduce_and, unsigned, all &one)
GPU_REDUCE(gpu_reduce_or, unsigned, all | one)
GPU_REDUCE(gpu_reduce_xor, unsigned, all ^ one)
#undef GPU_REDUCE

/* Newer versions of HIP define some of these names, with masks of 64 bits for whole waves. */
#undef warpSize
#define warpSize 32
#define __syncwarp gpu_syncwarp
#define __activemask gpu_activemask
#define __ballot_sync gpu_ballot
#define __any_sync gpu_any
#define __all_sync gpu_all
#define __shfl_sync gpu_shfl
#define __shfl_up_sync gpu_shfl_up
#define __shfl_down_sync gpu_shfl_down
#define __shfl_xor_sync gpu_shfl_xor
#define __match_any_sync gpu_match_any
#define __match_all_sync gpu_match_all
#define __reduce_add_sync gpu_reduce_add
#define __reduce_min_sync gpu_reduce_min
#define __reduce_max_sync gpu_reduce_max
#define __reduce_and_sync gpu_reduce_and
#define __reduce_or_sync gpu_reduce_or
#define __reduce_xor_sync gpu_reduce_xor

#endif
