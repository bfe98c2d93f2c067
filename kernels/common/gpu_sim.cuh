/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* gpu.cuh on sim: CUDA's names in terms of harness/device/sim.h. Include gpu.cuh, not this. */
#ifndef COPRA_KERNELS_COMMON_GPU_SIM_CUH
#define COPRA_KERNELS_COMMON_GPU_SIM_CUH

#include <new>
#include <stdio.h>
#include <string.h>

#include "harness/device/sim.h"

#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) alignas(n)

#define SIM_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SIM_PLACE (sim_place{ file, line })

#include "kernels/common/gpu_sim_types.cuh"
#include "kernels/common/gpu_sim_warp.cuh"
#include "kernels/common/gpu_sim_memory.cuh"
#include "kernels/common/gpu_sim_math.cuh"

#define threadIdx (sim_self->thread_index)
#define blockIdx (sim_self->block->block_index)
#define blockDim (sim_self->block->block_size)
#define gridDim (sim_self->block->grid_size)
static constexpr int warpSize = SIM_WARP;

#define SHARED_MEMORY(type, name) type *name = reinterpret_cast<type *>(sim_self->block->shared)
#define SPIN_UNTIL(condition)                                                                      \
	do {                                                                                       \
		while (!(condition))                                                               \
			sim_spin(sim_place{ __FILE__, __LINE__ });                                 \
		sim_spin_end();                                                                    \
	} while (0)
#define WAVE_SYNC() sim_wave_sync(sim_place{ __FILE__, __LINE__ })
#define trap_if(condition)                                                                         \
	do {                                                                                       \
		if (condition)                                                                     \
			sim_trap("trap_if(" #condition ")", sim_place{ __FILE__, __LINE__ });      \
	} while (0)
static inline void __trap(SIM_HERE)
{
	sim_trap("__trap()", SIM_PLACE);
}

/* ---- launches ---- */

template <class T>
static inline int gpu_check(const gpu_site &, struct dev_stream *, int, const T &)
{
	return 0;
}
template <class T>
static inline int gpu_check(const gpu_site &at, struct dev_stream *s, int index, T *const &p)
{
	return sim_check_argument(s, at.kernel, index, (const void *)p, at.e);
}

template <class F> static void gpu_body(const void *f)
{
	(*static_cast<const F *>(f))();
}

template <class F>
static inline int gpu_launch_body(const gpu_site &at, const F &f, dim3 grid, dim3 block,
				  size_t shared, struct dev_stream *s, bool cooperative)
{
	static_assert(__is_trivially_copyable(F), "kernel arguments are copied byte by byte");
	const sim_kernel k = { at.kernel,
			       gpu_body<F>,
			       &f,
			       sizeof(f),
			       { grid.x, grid.y, grid.z },
			       { block.x, block.y, block.z },
			       shared,
			       cooperative };
	return sim_launch(s, &k, at.e, at.file, at.line);
}

template <class... P>
static inline int gpu_launch(const gpu_site &at, void (*kernel)(P...), dim3 grid, dim3 block,
			     size_t shared, struct dev_stream *s, bool cooperative,
			     typename gpu_same<P>::type... args)
{
	int index = 0, status = 0;
	(void)((status = gpu_check(at, s, index++, args), status == 0) && ... && true);
	if (status) {
		err_prefix(at.e, "%s:%d", at.file, at.line);
		return status;
	}
	return gpu_launch_body(
		at, [kernel, args...]() { kernel(args...); }, grid, block, shared, s, cooperative);
}

template <class... P>
static inline int gpu_occupancy(const gpu_site &at, int *blocks_per_sm, void (*)(P...), int block,
				size_t shared, struct dev_stream *s)
{
	return sim_occupancy(s, blocks_per_sm, (unsigned)block, shared, at.e);
}

template <class... P>
static inline int gpu_resident(const gpu_site &at, int *blocks, void (*kernel)(P...), int block,
			       size_t shared, struct dev_stream *s)
{
	struct dev_info info;
	int status = gpu_occupancy(at, blocks, kernel, block, shared, s);
	if (!status)
		status = dev_get_info(dev_stream_device(s), &info, at.e);
	if (!status)
		*blocks *= info.sm_count;
	return status;
}

static inline int gpu_max_shared(const void *, size_t)
{
	return 0;
}

#endif
