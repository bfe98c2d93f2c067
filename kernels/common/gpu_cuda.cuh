/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* gpu.cuh on CUDA. Include gpu.cuh, not this. */
#ifndef COPRA_KERNELS_COMMON_GPU_CUDA_CUH
#define COPRA_KERNELS_COMMON_GPU_CUDA_CUH

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#define GPU(name) cuda##name
#define GPU_MULTIPROCESSORS cudaDevAttrMultiProcessorCount
#include "kernels/common/gpu_runtime.cuh"

static inline cudaError_t gpu_max_shared(const void *kernel, size_t bytes)
{
	return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
				    (int)bytes);
}

#define SHARED_MEMORY(type, name)                                                                  \
	extern __shared__ __align__(128) unsigned char gpu_dynamic_shared[];                       \
	type *name = reinterpret_cast<type *>(gpu_dynamic_shared)

#define SPIN_WAIT() __nanosleep(20)

static __device__ __forceinline__ void grid_sync(void)
{
	cooperative_groups::this_grid().sync();
}

#define trap_if(condition)                                                                         \
	do {                                                                                       \
		if (condition)                                                                     \
			__trap();                                                                  \
	} while (0)

/* ---- acquire loads and release stores ---- */

#define GPU_FLAG(type, bits, reg)                                                                  \
	static __device__ __forceinline__ type ld_acquire_gpu(const type *p)                       \
	{                                                                                          \
		type v;                                                                            \
		asm volatile("ld.acquire.gpu.u" #bits " %0, [%1];"                                 \
			     : "=" reg(v)                                                          \
			     : "l"(p)                                                              \
			     : "memory");                                                          \
		return v;                                                                          \
	}                                                                                          \
	static __device__ __forceinline__ type ld_acquire_sys(const type *p)                       \
	{                                                                                          \
		type v;                                                                            \
		asm volatile("ld.acquire.sys.u" #bits " %0, [%1];"                                 \
			     : "=" reg(v)                                                          \
			     : "l"(p)                                                              \
			     : "memory");                                                          \
		return v;                                                                          \
	}                                                                                          \
	static __device__ __forceinline__ void st_release_gpu(type *p, type v)                     \
	{                                                                                          \
		asm volatile("st.release.gpu.u" #bits " [%0], %1;" ::"l"(p), reg(v) : "memory");   \
	}                                                                                          \
	static __device__ __forceinline__ void st_release_sys(type *p, type v)                     \
	{                                                                                          \
		asm volatile("st.release.sys.u" #bits " [%0], %1;" ::"l"(p), reg(v) : "memory");   \
	}
GPU_FLAG(int, 32, "r")
GPU_FLAG(unsigned, 32, "r")
GPU_FLAG(long, 64, "l")
GPU_FLAG(unsigned long, 64, "l")
GPU_FLAG(long long, 64, "l")
GPU_FLAG(unsigned long long, 64, "l")
#undef GPU_FLAG
static __device__ __forceinline__ int32_t ld_relaxed_gpu(const int32_t *p)
{
	int32_t v;
	asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p));
	return v;
}
static __device__ __forceinline__ void st_relaxed_gpu(int32_t *p, int32_t v)
{
	asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(p), "r"(v));
}

/* ---- warp reductions ----
 *
 * GPUs before sm_80 have no such instruction, so the lanes are shuffled one by one. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define GPU_REDUCE(name, type, combine)                                                            \
	static __device__ __forceinline__ type __reduce_##name##_sync(unsigned mask, type value)   \
	{                                                                                          \
		type all = __shfl_sync(mask, value, __ffs((int)mask) - 1);                         \
		for (unsigned rest = mask & (mask - 1); rest; rest &= rest - 1) {                  \
			type one = __shfl_sync(mask, value, __ffs((int)rest) - 1);                 \
			all = combine;                                                             \
		}                                                                                  \
		return all;                                                                        \
	}
GPU_REDUCE(add, int, all + one)
GPU_REDUCE(add, unsigned, all + one)
GPU_REDUCE(min, int, one < all ? one : all)
GPU_REDUCE(min, unsigned, one < all ? one : all)
GPU_REDUCE(max, int, one > all ? one : all)
GPU_REDUCE(max, unsigned, one > all ? one : all)
GPU_REDUCE(and, unsigned, all &one)
GPU_REDUCE(or, unsigned, all | one)
GPU_REDUCE(xor, unsigned, all ^ one)
#undef GPU_REDUCE
#endif

/* ---- cp.async ----
 *
 * GPUs before sm_80 do not have it. The copy is then made at once, which the interface allows. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define GPU_HAS_COPY_ASYNC 1
#else
#define GPU_HAS_COPY_ASYNC 0
#endif

static __device__ __forceinline__ void copy_async_16(void *shared_dst, const void *global_src)
{
#if GPU_HAS_COPY_ASYNC
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
			     (unsigned)__cvta_generic_to_shared(shared_dst)),
		     "l"(global_src)
		     : "memory");
#else
	*(int4 *)shared_dst = *(const int4 *)global_src;
#endif
}
static __device__ __forceinline__ void copy_async_4(void *shared_dst, const void *global_src)
{
#if GPU_HAS_COPY_ASYNC
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
			     (unsigned)__cvta_generic_to_shared(shared_dst)),
		     "l"(global_src)
		     : "memory");
#else
	*(int *)shared_dst = *(const int *)global_src;
#endif
}
static __device__ __forceinline__ void copy_async_commit(void)
{
#if GPU_HAS_COPY_ASYNC
	asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int N> static __device__ __forceinline__ void copy_async_wait(void)
{
#if GPU_HAS_COPY_ASYNC
	asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

#endif
