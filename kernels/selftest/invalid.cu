/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Invalid kernels: sim must stop each of them and report the thread and the line. */
#include "kernels/selftest/selftest.h"

#include "kernels/common/gpu.cuh"

#if defined(COPRA_SIM)

static const unsigned ALL = 0xffffffffu;

static __global__ void early_return(int *x)
{
	if (threadIdx.x >= blockDim.x / 2)
		return;
	__syncthreads();
	x[threadIdx.x] = 1;
}

static __global__ void two_barriers(int *x)
{
	if (threadIdx.x < blockDim.x / 2)
		__syncthreads();
	else
		__syncthreads();
	x[threadIdx.x] = 1;
}

static __global__ void mask_without_self(int *x)
{
	x[threadIdx.x] = (int)__ballot_sync(0x7fffffffu, 1);
}

static __global__ void masks_differ(int *x)
{
	x[threadIdx.x] = (int)__ballot_sync(threadIdx.x % 32 == 3 ? 0x0000ffffu : ALL, 1);
}

static __global__ void lane_missing(int *x)
{
	if (threadIdx.x != 5)
		x[threadIdx.x] = __shfl_sync(ALL, 1, 0);
	__syncthreads();
}

static __global__ void never_raised(int *x)
{
	SPIN_UNTIL(ld_acquire_gpu(x) != 0);
}

static __global__ void grid_deserter(int *x)
{
	if (blockIdx.x == 1)
		return;
	grid_sync();
	x[threadIdx.x] = 1;
}

static __global__ void shared_overrun(int *x)
{
	SHARED_MEMORY(int, shared);
	shared[blockDim.x + (threadIdx.x == 7)] = x[0];
}

static __global__ void global_overrun(int *x)
{
	x[blockDim.x] = 1;
}

static __global__ void wild_pointer(int *x)
{
	__syncthreads();
	if (threadIdx.x == 77)
		*(volatile int *)((uintptr_t)x[0] + 64) = 1;
}

static __global__ void no_copy_wait(int *x)
{
	SHARED_MEMORY(int, shared);
	copy_async_4(&shared[threadIdx.x], &x[threadIdx.x]);
	copy_async_commit();
	trap_if(shared[threadIdx.x] != 0);
}

static __device__ __noinline__ int deep(int *x, int depth)
{
	volatile char frame[1024];
	frame[depth % 1024] = (char)x[0];
	return depth > 0 ? deep(x, depth - 1) + frame[depth % 1024] : 0;
}

static __global__ void deep_stack(int *x)
{
	x[threadIdx.x] = deep(x, 4096);
}

static __global__ void race(int *x)
{
	for (int i = 0; i < 1000; i++) {
		x[0] += (int)blockIdx.x;
		sim_preempt();
	}
}

static __global__ void trap(int *x)
{
	trap_if(threadIdx.x == 9 && x[0] == 0);
}

static __global__ void innocent(int *x)
{
	x[threadIdx.x] = 1;
}

int selftest_run_invalid_sim(struct dev_stream *s, enum selftest_invalid which, int *x,
			     struct err *e)
{
	static void (*const kernels[SELFTEST_INVALID_KERNELS])(int *) = {
		early_return, two_barriers,  mask_without_self, masks_differ,   lane_missing,
		never_raised, grid_deserter, grid_deserter,     shared_overrun, global_overrun,
		wild_pointer, no_copy_wait,  deep_stack,        race,           trap,
		innocent,     innocent,      innocent,          innocent
	};
	const size_t shared = SELFTEST_BLOCK * sizeof(int);
	switch (which) {
	case SELFTEST_GRID_DESERTER:
		return LAUNCH_COOPERATIVE(e, kernels[which], 4, SELFTEST_BLOCK, shared, s, x);
	case SELFTEST_GRID_PLAIN:
	case SELFTEST_RACE:
		return LAUNCH(e, kernels[which], 4, SELFTEST_BLOCK, shared, s, x);
	case SELFTEST_TOO_MANY_THREADS:
		return LAUNCH(e, kernels[which], 1, 1025, shared, s, x);
	case SELFTEST_TOO_MUCH_SHARED:
		return LAUNCH(e, kernels[which], 1, SELFTEST_BLOCK, 228 * 1024, s, x);
	case SELFTEST_EMPTY_GRID:
		return LAUNCH(e, kernels[which], 0, SELFTEST_BLOCK, shared, s, x);
	case SELFTEST_TOO_MANY_RESIDENT:
		return LAUNCH_COOPERATIVE(e, kernels[which], 9, 1024, shared, s, x);
	default:
		return LAUNCH(e, kernels[which], 1, SELFTEST_BLOCK, shared, s, x);
	}
}

#endif
