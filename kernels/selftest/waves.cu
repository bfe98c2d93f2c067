/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/selftest/waves.h"

#include "kernels/common/gpu.cuh"

#if defined(COPRA_SIM)

static const unsigned ALL = 0xffffffffu;

/* The flag of the block, and its result. */
static __device__ int *flag_of(int *x)
{
	return x + blockIdx.x;
}
static __device__ int *result_of(int *x)
{
	return x + gridDim.x + blockIdx.x;
}

static __global__ void wait_for_half(int *x)
{
	if (threadIdx.x == 32)
		st_release_gpu(flag_of(x), 1);
	if (threadIdx.x == 0) {
		SPIN_UNTIL(ld_acquire_gpu(flag_of(x)) == 1);
		*result_of(x) = 1;
	}
}

static __global__ void halves_take_turns(int *x)
{
	int half = (int)threadIdx.x / 32;

	if (threadIdx.x != 0 && threadIdx.x != 32)
		return;
	for (int i = 0; i < 10; i++) {
		SPIN_UNTIL(ld_acquire_gpu(flag_of(x)) % 2 == half);
		st_release_gpu(flag_of(x), 2 * i + half + 1);
	}
	*result_of(x) = 1;
}

static __global__ void wait_in_circle(int *x)
{
	switch (threadIdx.x) {
	case 0:
		SPIN_UNTIL(ld_acquire_gpu(flag_of(x)) == 2);
		*result_of(x) = 1;
		break;
	case 32:
		SPIN_UNTIL(ld_acquire_gpu(flag_of(x)) == 0);
		st_release_gpu(flag_of(x), 1);
		break;
	case 64:
		SPIN_UNTIL(ld_acquire_gpu(flag_of(x)) == 1);
		st_release_gpu(flag_of(x), 2);
		break;
	}
}

static __global__ void wait_among_others(int *x)
{
	if (threadIdx.x == 0)
		SPIN_UNTIL(ld_acquire_gpu(flag_of(x)) == 1);
	if (threadIdx.x == 32)
		st_release_gpu(flag_of(x), 1);
	while (threadIdx.x >= 64 && __any_sync(ALL, ld_acquire_gpu(flag_of(x)) == 0)) {
	}
	*result_of(x) = 1;
}

static __global__ void lanes_take_lock(int *x)
{
	for (int i = 0; i < 100 && threadIdx.x < 32; i++) {
		SPIN_UNTIL(atomicCAS(flag_of(x), 0, 1) == 0);
		*result_of(x) = 1;
		st_release_gpu(flag_of(x), 0);
	}
}

static __global__ void wait_for_wave(int *x)
{
	if (threadIdx.x == 96)
		st_release_gpu(flag_of(x), 1);
	if (threadIdx.x == 0) {
		SPIN_UNTIL(ld_acquire_gpu(flag_of(x)) == 1);
		*result_of(x) = 1;
	}
}

static __global__ void wait_after_barrier(int *x)
{
	if (threadIdx.x == 32)
		st_release_gpu(flag_of(x), 1);
	__syncthreads();
	if (threadIdx.x == 0) {
		SPIN_UNTIL(ld_acquire_gpu(flag_of(x)) == 1);
		*result_of(x) = 1;
	}
}

static __global__ void wait_after_converge(int *x)
{
	if (threadIdx.x == 32)
		st_release_gpu(flag_of(x), 1);
	WAVE_SYNC();
	if (threadIdx.x == 0) {
		SPIN_UNTIL(ld_acquire_gpu(flag_of(x)) == 1);
		*result_of(x) = 1;
	}
}

static __global__ void half_converges(int *x)
{
	if (threadIdx.x / 32 == 1)
		WAVE_SYNC();
	__syncthreads();
	*result_of(x) = 1;
}

static __global__ void two_branches(int *x)
{
	int v;

	if (threadIdx.x % 32 < 16)
		v = __shfl_xor_sync(ALL, 1, 16);
	else
		v = __shfl_xor_sync(ALL, 1, 16);
	*result_of(x) = v;
}

static __global__ void warp_in_condition(int *x)
{
	if (threadIdx.x == 96)
		st_release_gpu(flag_of(x), 1);
	if (threadIdx.x < 32)
		SPIN_UNTIL(__any_sync(ALL, ld_acquire_gpu(flag_of(x)) == 1));
	*result_of(x) = 1;
}

#define RUN(kernel) LAUNCH(e, kernel, SELFTEST_WAVES_BLOCKS, SELFTEST_WAVES_BLOCK, 0, s, x)
int selftest_run_waves_sim(struct dev_stream *s, enum selftest_waves which, int *x, struct err *e)
{
	switch (which) {
	case SELFTEST_WAIT_FOR_HALF:
		return RUN(wait_for_half);
	case SELFTEST_HALVES_TAKE_TURNS:
		return RUN(halves_take_turns);
	case SELFTEST_WAIT_IN_CIRCLE:
		return RUN(wait_in_circle);
	case SELFTEST_WAIT_AMONG_OTHERS:
		return RUN(wait_among_others);
	case SELFTEST_LANES_TAKE_LOCK:
		return RUN(lanes_take_lock);
	case SELFTEST_WAIT_FOR_WAVE:
		return RUN(wait_for_wave);
	case SELFTEST_WAIT_AFTER_BARRIER:
		return RUN(wait_after_barrier);
	case SELFTEST_WAIT_AFTER_CONVERGE:
		return RUN(wait_after_converge);
	case SELFTEST_HALF_CONVERGES:
		return RUN(half_converges);
	case SELFTEST_TWO_BRANCHES:
		return RUN(two_branches);
	default:
		return RUN(warp_in_condition);
	}
}

#endif
