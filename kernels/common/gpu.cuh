/* The language of copra's kernels: CUDA C++, compiled twice.
 *
 * Every kernels/<target>/<name>.cu is compiled by nvcc for the GPU and by the host's C++ compiler
 * for `sim` (harness/device/sim.h), which runs the very same source with fibers for threads. A
 * kernel file looks like this:
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
 * and its callers, in C, choose mine_kernels_cuda or mine_kernels_sim by dev_backend_of().
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
 *   LAUNCH_COOPERATIVE(...)  the same, all blocks resident at once; inside, grid_sync() is a
 *       barrier of the whole grid. Needed too wherever a block waits for a flag of another one of
 *       its grid.
 *   GPU_OCCUPANCY(e, &blocks_per_sm, kernel, block, shared_bytes, stream)   how many fit
 *   GPU_RESIDENT(e, &blocks, kernel, block, shared_bytes, stream)   on the whole device: at most so
 *       many of a cooperative launch
 *   GPU_KERNEL_MAX_SHARED(kernel, bytes)  the opt-in alone, rarely needed
 *   BACKEND_SYMBOL(name)     name_cuda or name_sim
 *
 * INSIDE KERNELS, the same on both
 *   SHARED_MEMORY(type, name);   the block's dynamic shared memory as `type *name`, aligned to 128
 *       bytes. Carve several arrays out of it by hand. `__shared__` variables do not exist on sim.
 *   SPIN_WAIT();             in the body of every loop that waits for another thread's, block's or
 *       device's flag. Such a loop reads the flag with ld_acquire_*, never with a plain load.
 *   ld_acquire_gpu(p) ld_acquire_sys(p) st_release_gpu(p, v) st_release_sys(p, v)
 *       flag protocols; 32- and 64-bit integers. _gpu orders within a device, _sys among devices.
 *       A block publishes: all threads write, __syncthreads(), one thread st_release. It consumes:
 *       one thread ld_acquire in a SPIN_WAIT loop, __syncthreads(), all read.
 *   copy_async_16(shared_dst, global_src) copy_async_4(...) copy_async_commit()
 *   copy_async_wait<N>()
 *       cp.async: starts a 16- (4-)byte copy, closes a group, waits until at most N groups of this
 *       thread are under way. Others see the data after a barrier that follows the wait. On sim the
 *       bytes arrive only at the wait, poison before.
 *   min and max with CUDA's overloads, clock64(), __nanosleep(ns)
 *   trap_if(condition)       ends the kernel with an error naming the place (sim), __trap() on cuda
 *
 * FROM CUDA, with CUDA's meaning: threadIdx blockIdx blockDim gridDim warpSize, __syncthreads and
 * its _count/_and/_or, __syncwarp, __shfl_{,up_,down_,xor_}sync, __ballot_sync, __any_sync,
 * __all_sync, __activemask, __match_{any,all}_sync, __reduce_{add,min,max,and,or,xor}_sync,
 * atomic{Add,Sub,Min,Max,And,Or,Xor,Exch,CAS,Inc,Dec} with _system and _block forms,
 * __threadfence{,_block,_system}, __ld{g,cg,ca,cs,cv,lu} and __st{cg,cs,wb,wt}, __popc, __clz,
 * __ffs, __brev and their ll forms,
 * __byte_perm, __funnelshift_*, __mulhi family, the DPX functions (__viaddmax_s32, __vimax3_s32,
 * __vibmax_s32, 16x2 forms, ...), the per-half-word SIMD functions (__vmaxs2, __vadd2, ...), vector
 * types with make_*. All of it is in kernels/common/gpu_sim_*.cuh; add what is missing there.
 *
 * RULES sim enforces (the errors name kernel, block, thread, file and line)
 *   - every thread of the block reaches every __syncthreads, the same one: a thread that returned
 *     early or waits elsewhere is an error, although hardware may forgive it
 *   - a warp operation's mask holds the calling lane, all named lanes that have not left the kernel
 *     come to the same operation with the same mask
 *   - pointer arguments of a launch are NULL, device memory of this device or of one that
 *     dev_enable_peer named, or pinned host memory. Fields of structs cannot be checked that way.
 *   - no code assumes that the lanes of a warp move together, or that blocks start in any order
 *   - fresh shared memory, and what a lane shuffles from one that is not there, is poison
 * No mutable __device__ variables and no __constant__: simulated devices would share them. Constant
 * tables are `__device__ static const`. */
#ifndef COPRA_KERNELS_COMMON_GPU_CUH
#define COPRA_KERNELS_COMMON_GPU_CUH

#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"
#include "harness/base/error.h"
#include "harness/base/hd.h"

/* The place of a launch in the source, and where its errors go. */
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

/* In a parameter list: a type that is not deduced from the argument, which converts to it. */
template <class T> struct gpu_same {
	typedef T type;
};

#if defined(COPRA_SIM)
#include "kernels/common/gpu_sim.cuh"
#define BACKEND_SYMBOL(name) name##_sim
#elif defined(__CUDACC__)
#include "kernels/common/gpu_cuda.cuh"
#define BACKEND_SYMBOL(name) name##_cuda
#else
#error "kernel sources are compiled by nvcc, or by a C++ compiler with -DCOPRA_SIM=1"
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
