/* What the kernels of the published algorithm share. */
#ifndef COPRA_KERNELS_GMYS_IVM_PUBLISHED_CUH
#define COPRA_KERNELS_GMYS_IVM_PUBLISHED_CUH

#include "kernels/common/gpu.cuh"

#include "published.h"
#include "published_parts.h"

static const unsigned ALL_LANES = 0xffffffffu;
static const int WARP = 32;

static __device__ __forceinline__ int global_thread(void)
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ struct ivm ivm_of(const struct ivm_fleet &f, int t)
{
	return ivm_at(f.n, f.memory + (size_t)t * f.bytes);
}

static __device__ __forceinline__ struct ivm_scratch scratch_of(const struct ivm_fleet &f, int t)
{
	return ivm_scratch_at(&f.problem, f.scratch + (size_t)t * f.scratch_bytes);
}

/* A value that others change while we run, without ordering anything else. */
static __device__ __forceinline__ int32_t load_relaxed(const int32_t *p)
{
#if defined(COPRA_SIM)
	return ld_acquire_gpu(p);
#else
	int32_t v;
	asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p));
	return v;
#endif
}

static __device__ __forceinline__ void add_count(uint64_t *to, uint64_t mine)
{
	for (int d = WARP / 2; d; d /= 2)
		mine += __shfl_down_sync(ALL_LANES, mine, (unsigned)d);
	if (threadIdx.x % WARP == 0 && mine)
		atomicAdd((unsigned long long *)to, (unsigned long long)mine);
}

/* All threads of the block call it. */
static __device__ __forceinline__ void add_counts(const struct ivm_fleet &f, const struct ivm_counts &c)
{
	add_count(&f.control->decomposed, c.decomposed);
	add_count(&f.control->leaves, c.leaves);
	add_count(&f.control->solutions, c.solutions);
}

/* A leaf better than what was known. */
static __device__ __forceinline__ void record_leaf(const struct ivm_fleet &f, int t,
						   const struct ivm &v, int32_t value)
{
	if (value >= f.leaf_value[t])
		return;
	f.leaf_value[t] = value;
	ivm_order(&v, f.leaf_order + (size_t)t * (size_t)f.n);
	atomicMin(&f.control->best, value);
}

#endif
