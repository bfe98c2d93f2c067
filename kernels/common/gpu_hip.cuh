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

#define GPU(name) hip##name
#define GPU_MULTIPROCESSORS hipDeviceAttributeMultiprocessorCount
#include "kernels/common/gpu_runtime.cuh"

/* HIP needs no opt-in for dynamic shared memory. */
static inline hipError_t gpu_max_shared(const void *, size_t)
{
	return hipSuccess;
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
