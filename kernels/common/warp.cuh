/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Sums, scans and compaction within a warp and a block.
 *
 * All lanes of a warp call a warp_ function, and all threads of a block a block_ function. T is an
 * integer of 4 or 8 bytes. (For 32-bit values use CUDA's __reduce_{add,min,max,and,or,xor}_sync,
 * which are one instruction. primitives.h has operations on the whole device.) */
#ifndef COPRA_KERNELS_COMMON_WARP_CUH
#define COPRA_KERNELS_COMMON_WARP_CUH

#include "kernels/common/gpu.cuh"

/* All lanes of a warp. */
static const unsigned WARP_ALL = 0xffffffffu;

/* This thread's lane, 0 to 31. */
static __device__ __forceinline__ unsigned warp_lane()
{
	return threadIdx.x % 32;
}

/* ---- in a warp ---- */

/* Sum over all lanes, in every lane. */
template <class T> static __device__ __forceinline__ T warp_sum(T v)
{
#pragma unroll
	for (int d = 16; d; d /= 2)
		v += __shfl_xor_sync(WARP_ALL, v, d);
	return v;
}

/* Smallest and largest of all lanes, in every lane. */
template <class T> static __device__ __forceinline__ T warp_min(T v)
{
#pragma unroll
	for (int d = 16; d; d /= 2)
		v = min(v, __shfl_xor_sync(WARP_ALL, v, d));
	return v;
}

template <class T> static __device__ __forceinline__ T warp_max(T v)
{
#pragma unroll
	for (int d = 16; d; d /= 2)
		v = max(v, __shfl_xor_sync(WARP_ALL, v, d));
	return v;
}

/* Inclusive scan: the sum over lanes 0 to `lane`, the caller's lane. The exclusive scan is
 * warp_scan(v) - v. The result of lane 31 is the sum over all lanes. */
template <class T> static __device__ __forceinline__ T warp_scan(T v, unsigned lane = warp_lane())
{
#pragma unroll
	for (unsigned d = 1; d < 32; d *= 2) {
		T other = __shfl_up_sync(WARP_ALL, v, d);

		v += lane >= d ? other : T(0);
	}
	return v;
}

/* Rank of this lane among those whose bit is set in `votes` (of __ballot_sync): the number of set
 * bits below bit `lane`. Lanes that vote write to consecutive places at their ranks. */
static __device__ __forceinline__ unsigned warp_rank(unsigned votes, unsigned lane = warp_lane())
{
	return (unsigned)__popc(votes & ((1u << lane) - 1));
}

/* ---- in a block of THREADS threads, a multiple of 32 and at most 1024 ---- */

/* Sum over the block, in every thread. `room`: an element of shared memory for each warp; it may be
 * used again after the call. */
template <int THREADS, class T>
static __device__ __forceinline__ T block_sum(typename gpu_same<T>::type v, T *room)
{
	v = warp_sum(v);
	if (warp_lane() == 0)
		room[threadIdx.x / 32] = v;
	__syncthreads();
	v = warp_sum(THREADS == 1024 || warp_lane() < THREADS / 32 ? room[warp_lane()] : T(0));
	__syncthreads();
	return v;
}

/* Inclusive scan over the threads of a block; *total gets the sum over the block. `room` as above.
 */
template <int THREADS, class T>
static __device__ __forceinline__ T block_scan(typename gpu_same<T>::type v, T *room, T *total)
{
	T below = 0, all = 0;

	v = warp_scan(v);
	if (warp_lane() == 31)
		room[threadIdx.x / 32] = v;
	__syncthreads();
	for (unsigned i = 0; i < THREADS / 32; i++) {
		below += i < threadIdx.x / 32 ? room[i] : T(0);
		all += room[i];
	}
	__syncthreads();
	*total = all;
	return v + below;
}

#endif
