/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The language of copra's kernels: CUDA C++, compiled for each back end.
 *
 * Every kernels/<target>/<name>.cu is compiled by nvcc for NVIDIA's GPUs, by hipcc for AMD's if it
 * is asked for (docs/AMD.md), and by the host's C++ compiler for `sim` (harness/device/sim.h),
 * which runs the same source with fibers as threads. A kernel file looks like this:
 *
 *     #include "kernels/common/gpu.cuh"
 *     #include "kernels/mine/mine.h"            // struct mine_kernels { int (*add)(...); };
 *
 *     __global__ void add(const int *x, int *y, int n)
 *     {
 *             int i = blockIdx.x * blockDim.x + threadIdx.x;
 *             if (i < n)
 *                     y[i] += x[i];
 *     }
 *     static int launch_add(struct dev_stream *s, const int *x, int *y, int n, struct err *e)
 *     {
 *             return LAUNCH(e, add, (n + 255) / 256, 256, 0, s, x, y, n);
 *     }
 *     extern "C" const struct mine_kernels BACKEND_SYMBOL(mine_kernels) = {launch_add};
 *
 * and its header declares the table with DEV_KERNELS(struct mine_kernels, mine_kernels) (device.h).
 * C code calls mine_kernels_for(device), which returns the table for that device.
 * Everything except the table is static. __global__ already implies static on sim; write `static
 * __global__`.
 *
 * (warp.cuh has sums and scans of a warp and a block, primitives.h device-wide sum, maximum, scan
 * and sort.)
 *
 * LAUNCHES
 *   LAUNCH(e, kernel, grid, block, shared_bytes, stream, args...)
 *       an expression: 0, or a negative ERR_ code with the text in *e. grid and block are integers
 *       or dim3. Arguments convert to the kernel's parameter types. A template instance with a
 *       comma goes in parentheses: LAUNCH(e, (scan<int, 4>), ...). The opt-in for
 *       dynamic shared memory above 48 KB is automatic. It returns before the kernel has run;
 *       errors of the kernel are reported by the next dev_stream_sync or dev_sync.
 *   LAUNCH_COOPERATIVE(...)  the same with all blocks resident at once. In the kernel, grid_sync()
 *       is a barrier of the whole grid. It is also required when a block waits for a flag of
 *       another block of its grid.
 *   GPU_OCCUPANCY(e, &blocks_per_sm, kernel, block, shared_bytes, stream)   resident blocks per SM
 *   GPU_RESIDENT(e, &blocks, kernel, block, shared_bytes, stream)   resident blocks on the whole
 *       device: the largest grid of a cooperative launch
 *   GPU_KERNEL_MAX_SHARED(kernel, bytes)  the opt-in alone, rarely needed
 *   BACKEND_SYMBOL(name)     name_cuda, name_hip or name_sim
 *
 * INSIDE KERNELS, on all backends
 *   SHARED_MEMORY(type, name);   declares `type *name`, the block's dynamic shared memory, aligned
 *       to 128 bytes. Divide it into several arrays by hand. sim has no `__shared__` variables.
 *   SPIN_UNTIL(condition);   the only way to wait for a flag of another thread, block or device.
 *       The condition must read the flag with ld_acquire_*, not a plain load, and contains no
 *       barrier or warp operation. It must not depend on what another lane of the caller's wave
 *       does, unless a __syncthreads() or WAVE_SYNC() of both comes between: the lanes of a wave
 *       (a warp, or warps 2i and 2i + 1 of a block) may share a program counter, and then no other
 *       lane of the wave advances before the wait ends (COPRA_SIM_WAVE in sim.h finds this).
 *   WAVE_SYNC();             lets the lanes of a wave converge where they share a program counter,
 *       and does nothing elsewhere. All lanes of the wave call it that have not left the kernel. It
 *       does not order memory.
 *   ld_acquire_gpu(p) ld_acquire_sys(p) st_release_gpu(p, v) st_release_sys(p, v)
 *       flags of 32 or 64 bits. _gpu orders memory within a device, _sys also between devices.
 *       To publish data: all threads of the block write, then __syncthreads(), then one thread
 *       calls st_release. To read it: one thread calls ld_acquire in SPIN_UNTIL, then
 *       __syncthreads(), then all threads read.
 *   ld_relaxed_gpu(p) st_relaxed_gpu(p, v)
 *       loads or stores 32 bits that other threads of the device access meanwhile, without ordering
 *       other accesses
 *   copy_async_16(shared_dst, global_src) copy_async_4(...) copy_async_commit()
 *   copy_async_wait<N>()
 *       cp.async: starts a copy of 16 (4) bytes, closes a group of copies, and waits until at most
 *       N groups of this thread are incomplete. Other threads see the data after a barrier that
 *       follows the wait. On sim the destination holds poison until the wait.
 *   min and max with CUDA's overloads, clock64(), __nanosleep(ns)
 *   trap_if(condition)       ends the kernel: on sim with an error that names the source line, on
 *       cuda by __trap()
 *
 * FROM CUDA, with CUDA's meaning: threadIdx blockIdx blockDim gridDim warpSize, __syncthreads and
 * its _count/_and/_or, __syncwarp, __shfl_{,up_,down_,xor_}sync, __ballot_sync, __any_sync,
 * __all_sync, __activemask, __match_{any,all}_sync, __reduce_{add,min,max,and,or,xor}_sync,
 * atomic{Add,Sub,Min,Max,And,Or,Xor,Exch,CAS,Inc,Dec} with _system and _block forms,
 * __threadfence{,_block,_system}, __ld{g,cg,ca,cs,cv,lu} and __st{cg,cs,wb,wt}, __popc, __clz,
 * __ffs, __brev and their ll forms, __byte_perm, __funnelshift_*, __mulhi family, the DPX functions
 * (__viaddmax_s32, __vimax3_s32, __vibmax_s32, 16x2 forms, ...), the per-half-word SIMD functions
 * (__vmaxs2, __vadd2, ...), vector types with make_*. kernels/common/gpu_sim_*.cuh and
 * gpu_hip*.cuh define them for sim and HIP; add missing ones there.
 *
 * RULES that sim enforces (its errors name kernel, block, thread, file and line)
 *   - All threads of a block must reach the same __syncthreads. A thread that returned early or
 *     waits elsewhere is an error, even if hardware tolerates it.
 *   - The mask of a warp operation must contain the calling lane. All lanes in the mask that have
 *     not left the kernel must reach the same operation with the same mask.
 *   - A pointer argument of a launch must be NULL, pinned host memory, or memory of this device or
 *     of a device enabled with dev_enable_peer. Pointers in structs are not checked.
 *   - Code must not assume that the lanes of a warp run in lockstep, or that blocks start in any
 *     particular order.
 *   - Uninitialised shared memory is poison, and so is the result of a shuffle from a lane that
 *     does not take part.
 * On HIP two warps may share a wave: a thread must not wait for another thread of its block except
 * in barriers and warp operations (docs/AMD.md).
 * Mutable __device__ variables and __constant__ are not allowed, because simulated devices would
 * share them. Constant tables are `__device__ static const`. */
#ifndef COPRA_KERNELS_COMMON_GPU_CUH
#define COPRA_KERNELS_COMMON_GPU_CUH

#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"
#include "harness/base/error.h"
#include "harness/base/hd.h"

/* The source location of a launch, and the destination of its error. */
struct gpu_site {
	struct err *e;
	const char *kernel;
	const char *file;
	int line;
	gpu_site(struct err *err, const char *name, const char *f, int l)
	    : e(err), kernel(name), file(f), line(l)
	{
	}
};

/* Prevents deduction of a parameter's type, so that the argument converts to it. */
template <class T> struct gpu_same {
	typedef T type;
};

#if defined(COPRA_SIM)
#include "kernels/common/gpu_sim.cuh"
#define BACKEND_SYMBOL(name) name##_sim
#elif defined(__HIP__)
#include "kernels/common/gpu_hip.cuh"
#define BACKEND_SYMBOL(name) name##_hip
#elif defined(__CUDACC__)
#include "kernels/common/gpu_cuda.cuh"
#define BACKEND_SYMBOL(name) name##_cuda
#else
#error "kernel sources are compiled by nvcc, by hipcc, or by a C++ compiler with -DCOPRA_SIM=1"
#endif

/* A back end defines SPIN_WAIT(), the pause between two reads, or SPIN_UNTIL itself. */
#ifndef SPIN_UNTIL
#define SPIN_UNTIL(condition)                                                                      \
	do {                                                                                       \
		while (!(condition))                                                               \
			SPIN_WAIT();                                                               \
	} while (0)
#endif
#ifndef WAVE_SYNC
#if defined(__AMDGCN__)
#define WAVE_SYNC() __builtin_amdgcn_wave_barrier()
#else
#define WAVE_SYNC() ((void)0)
#endif
#endif

#define LAUNCH(e, kernel, grid, block, shared_bytes, stream, ...)                                  \
	gpu_launch(gpu_site(e, #kernel, __FILE__, __LINE__), kernel, dim3(grid), dim3(block),      \
		   (size_t)(shared_bytes), stream, false, ##__VA_ARGS__)
#define LAUNCH_COOPERATIVE(e, kernel, grid, block, shared_bytes, stream, ...)                      \
	gpu_launch(gpu_site(e, #kernel, __FILE__, __LINE__), kernel, dim3(grid), dim3(block),      \
		   (size_t)(shared_bytes), stream, true, ##__VA_ARGS__)
#define GPU_OCCUPANCY(e, blocks_per_sm, kernel, block, shared_bytes, stream)                       \
	gpu_occupancy(gpu_site(e, #kernel, __FILE__, __LINE__), blocks_per_sm, kernel, block,      \
		      (size_t)(shared_bytes), stream)
#define GPU_RESIDENT(e, blocks, kernel, block, shared_bytes, stream)                               \
	gpu_resident(gpu_site(e, #kernel, __FILE__, __LINE__), blocks, kernel, block,              \
		     (size_t)(shared_bytes), stream)
#define GPU_KERNEL_MAX_SHARED(kernel, bytes) gpu_max_shared((const void *)(kernel), bytes)

#endif
