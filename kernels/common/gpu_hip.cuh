/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* gpu.cuh on HIP, for AMD GPUs: CUDA's names in terms of HIP's. Include gpu.cuh, not this.
 *
 * A warp is 32 lanes here too. On GPUs with waves of 64 lanes (CDNA: gfx90a) two warps share a wave
 * and its program counter; gpu_hip_warp.cuh keeps their operations apart. Neither may wait for the
 * other (docs/AMD.md). On GPUs with waves of 32 (RDNA: gfx1030) a warp is a wave. */
#ifndef COPRA_KERNELS_COMMON_GPU_HIP_CUH
#define COPRA_KERNELS_COMMON_GPU_HIP_CUH

#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>
#include <string.h>

static inline int gpu_fail(const gpu_site &at, const char *call, hipError_t status)
{
	(void)hipGetLastError(); /* clears the error: the next launch must not report it again */
	return err_set(at.e, ERR_FAILED, "%s:%d: kernel %s: %s: %s (%s)", at.file, at.line,
		       at.kernel, call, hipGetErrorString(status), hipGetErrorName(status));
}

/* HIP needs no opt-in for dynamic shared memory. */
static inline hipError_t gpu_max_shared(const void *, size_t)
{
	return hipSuccess;
}

static inline int gpu_launch_raw(const gpu_site &at, const void *kernel, dim3 grid, dim3 block,
				 size_t shared, struct dev_stream *s, bool cooperative, void **args)
{
	void *native;
	int status = dev_launch_begin_at(s, &native, at.e, at.file, at.line);
	if (status)
		return status;
	hipError_t rc =
		cooperative ?
			hipLaunchCooperativeKernel(kernel, grid, block, args, (unsigned)shared,
						   (hipStream_t)native) :
			hipLaunchKernel(kernel, grid, block, args, shared, (hipStream_t)native);
	if (rc != hipSuccess)
		return gpu_fail(at, cooperative ? "cooperative launch" : "launch", rc);
	return dev_launch_end_at(s, at.kernel, at.e, at.file, at.line);
}

template <class... P>
static inline int gpu_launch(const gpu_site &at, void (*kernel)(P...), dim3 grid, dim3 block,
			     size_t shared, struct dev_stream *s, bool cooperative,
			     typename gpu_same<P>::type... args)
{
	void *list[sizeof...(P) + 1] = { const_cast<void *>((const void *)&args)... };
	return gpu_launch_raw(at, (const void *)kernel, grid, block, shared, s, cooperative, list);
}

template <class... P>
static inline int gpu_occupancy(const gpu_site &at, int *blocks_per_sm, void (*kernel)(P...),
				int block, size_t shared, struct dev_stream *s)
{
	void *native;
	int status = dev_launch_begin_at(s, &native, at.e, at.file, at.line);
	if (status)
		return status;
	hipError_t rc = hipOccupancyMaxActiveBlocksPerMultiprocessor(
		blocks_per_sm, (const void *)kernel, block, shared);
	return rc == hipSuccess ? 0 : gpu_fail(at, "occupancy", rc);
}

template <class... P>
static inline int gpu_resident(const gpu_site &at, int *blocks, void (*kernel)(P...), int block,
			       size_t shared, struct dev_stream *s)
{
	int device, processors;
	int status = gpu_occupancy(at, blocks, kernel, block, shared, s);
	if (status)
		return status;
	hipError_t rc = hipGetDevice(&device);
	if (rc == hipSuccess)
		rc = hipDeviceGetAttribute(&processors, hipDeviceAttributeMultiprocessorCount,
					   device);
	if (rc != hipSuccess)
		return gpu_fail(at, "multiprocessors", rc);
	*blocks *= processors;
	return 0;
}

/* The second argument of CUDA's form is the least number of blocks per multiprocessor; HIP takes it
 * for waves per SIMD unit. It was chosen for the registers of NVIDIA's GPUs, so it is dropped. */
#undef __launch_bounds__
#define __launch_bounds__(threads, ...) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#undef __grid_constant__
#define __grid_constant__

#define SHARED_MEMORY(type, name)                                                                  \
	extern __shared__ __attribute__((aligned(128))) unsigned char gpu_dynamic_shared[];        \
	type *name = reinterpret_cast<type *>(gpu_dynamic_shared)

static __device__ __forceinline__ void __nanosleep(unsigned)
{
	__builtin_amdgcn_s_sleep(1); /* 64 cycles */
}
#define SPIN_WAIT() __nanosleep(20)

static __device__ __forceinline__ void grid_sync(void)
{
	cooperative_groups::this_grid().sync();
}

#define __trap __builtin_trap
#define trap_if(condition)                                                                         \
	do {                                                                                       \
		if (condition)                                                                     \
			__builtin_trap();                                                          \
	} while (0)

#include "kernels/common/gpu_hip_memory.cuh"
#include "kernels/common/gpu_hip_warp.cuh"
#include "kernels/common/gpu_twins.cuh"

#endif
