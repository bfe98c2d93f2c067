/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Ordered and cached accesses, asynchronous copies and barriers of a block on HIP. Included by
 * gpu_hip.cuh. */
#ifndef COPRA_KERNELS_COMMON_GPU_HIP_MEMORY_CUH
#define COPRA_KERNELS_COMMON_GPU_HIP_MEMORY_CUH

/* ---- barriers of a block ----
 *
 * As in CUDA they order all memory within the block. HIP's own __syncthreads promises that for
 * shared memory only. */

static __device__ __forceinline__ void gpu_block_release()
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
#if defined(__GFX9__)
	/* The other waves' stores must have arrived when one thread releases a flag to other blocks
	 * after the barrier. Not all compilers wait for them before s_barrier. */
	__builtin_amdgcn_s_waitcnt(0);
#endif
}
static __device__ __forceinline__ void gpu_block_acquire()
{
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
static __device__ __forceinline__ void gpu_syncthreads()
{
	gpu_block_release();
	__builtin_amdgcn_s_barrier();
	gpu_block_acquire();
}
#define GPU_BARRIER(name, reduce)                                                                  \
	static __device__ __forceinline__ int name(int predicate)                                  \
	{                                                                                          \
		gpu_block_release();                                                               \
		int result = reduce(predicate != 0);                                               \
		gpu_block_acquire();                                                               \
		return result;                                                                     \
	}
GPU_BARRIER(gpu_syncthreads_count, __ockl_wgred_add_i32)
GPU_BARRIER(gpu_syncthreads_and, __ockl_wgred_and_i32)
GPU_BARRIER(gpu_syncthreads_or, __ockl_wgred_or_i32)
#undef GPU_BARRIER
#define __syncthreads gpu_syncthreads
#define __syncthreads_count gpu_syncthreads_count
#define __syncthreads_and gpu_syncthreads_and
#define __syncthreads_or gpu_syncthreads_or

/* ---- acquire loads and release stores ---- */

#define GPU_FLAG(T)                                                                                \
	static __device__ __forceinline__ T ld_acquire_gpu(const T *p)                             \
	{                                                                                          \
		return __hip_atomic_load(p, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);           \
	}                                                                                          \
	static __device__ __forceinline__ T ld_acquire_sys(const T *p)                             \
	{                                                                                          \
		return __hip_atomic_load(p, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);          \
	}                                                                                          \
	static __device__ __forceinline__ void st_release_gpu(T *p, T v)                           \
	{                                                                                          \
		__hip_atomic_store(p, v, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);              \
	}                                                                                          \
	static __device__ __forceinline__ void st_release_sys(T *p, T v)                           \
	{                                                                                          \
		__hip_atomic_store(p, v, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);             \
	}
GPU_FLAG(int)
GPU_FLAG(unsigned)
GPU_FLAG(long)
GPU_FLAG(unsigned long)
GPU_FLAG(long long)
GPU_FLAG(unsigned long long)
#undef GPU_FLAG
static __device__ __forceinline__ int32_t ld_relaxed_gpu(const int32_t *p)
{
	return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
static __device__ __forceinline__ void st_relaxed_gpu(int32_t *p, int32_t v)
{
	__hip_atomic_store(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/* ---- cached accesses ----
 *
 * __ldcg and __stcg bypass the cache of a compute unit, which is not coherent. They are relaxed
 * atomic accesses in the scope of the device, each of at most 8 bytes. Other hints do nothing. */

template <int BYTES> struct gpu_word;
template <> struct gpu_word<1> {
	typedef uint8_t type;
};
template <> struct gpu_word<2> {
	typedef uint16_t type;
};
template <> struct gpu_word<4> {
	typedef uint32_t type;
};
template <> struct gpu_word<8> {
	typedef uint64_t type;
};
/* The words in which an access to a T is made. */
template <class T> struct gpu_words {
	static const int bytes = alignof(T) < 8 ? (int)alignof(T) : 8;
	static const int count = (int)sizeof(T) / bytes;
	typedef typename gpu_word<bytes>::type word;
};

template <class T> static __device__ __forceinline__ T gpu_load_device(const T *p)
{
	typename gpu_words<T>::word words[gpu_words<T>::count];
	T v;

#pragma unroll
	for (int i = 0; i < gpu_words<T>::count; i++)
		words[i] = __hip_atomic_load((const typename gpu_words<T>::word *)p + i,
					     __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
	memcpy(&v, words, sizeof(v));
	return v;
}

template <class T> static __device__ __forceinline__ void gpu_store_device(T *p, const T &v)
{
	typename gpu_words<T>::word words[gpu_words<T>::count];

	memcpy(words, &v, sizeof(v));
#pragma unroll
	for (int i = 0; i < gpu_words<T>::count; i++)
		__hip_atomic_store((typename gpu_words<T>::word *)p + i, words[i], __ATOMIC_RELAXED,
				   __HIP_MEMORY_SCOPE_AGENT);
}

#define GPU_LOAD(name, value)                                                                      \
	template <class T> static __device__ __forceinline__ T name(const T *p)                    \
	{                                                                                          \
		return value;                                                                      \
	}
#define GPU_STORE(name, statement)                                                                 \
	template <class T>                                                                         \
	static __device__ __forceinline__ void name(T *p, typename gpu_same<T>::type v)            \
	{                                                                                          \
		statement;                                                                         \
	}
GPU_LOAD(gpu_ldg, *p)
GPU_LOAD(__ldca, *p)
GPU_LOAD(__ldcs, *p)
GPU_LOAD(__ldlu, *p)
GPU_LOAD(__ldcg, gpu_load_device(p))
GPU_LOAD(__ldcv, gpu_load_device(p))
GPU_STORE(__stwb, *p = v)
GPU_STORE(__stcs, *p = v)
GPU_STORE(__stcg, gpu_store_device<T>(p, v))
GPU_STORE(__stwt, gpu_store_device<T>(p, v))
#undef GPU_LOAD
#undef GPU_STORE
#define __ldg gpu_ldg

/* ---- asynchronous copies: made at once, which the interface allows ---- */

static __device__ __forceinline__ void copy_async_16(void *shared_dst, const void *global_src)
{
	*(uint4 *)shared_dst = *(const uint4 *)global_src;
}
static __device__ __forceinline__ void copy_async_4(void *shared_dst, const void *global_src)
{
	*(uint32_t *)shared_dst = *(const uint32_t *)global_src;
}
static __device__ __forceinline__ void copy_async_commit()
{
}
template <int N> static __device__ __forceinline__ void copy_async_wait()
{
}

#endif
