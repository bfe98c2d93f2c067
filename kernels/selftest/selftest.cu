/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/selftest/selftest.h"

#include "kernels/common/warp.cuh"

static const unsigned ALL = WARP_ALL;

static int blocks_for(int n)
{
	return (n + SELFTEST_BLOCK - 1) / SELFTEST_BLOCK;
}

static __global__ void axpy(int a, const int *x, int *y, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i < n)
		y[i] += a * x[i];
}

static int launch_axpy(struct dev_stream *s, int a, const int *x, int *y, int n, struct err *e)
{
	return LAUNCH(e, axpy, blocks_for(n), SELFTEST_BLOCK, 0, s, a, x, y, n);
}

/* ---- reduction ---- */

static __global__ void sum(const int *x, unsigned long long *out, int n)
{
	SHARED_MEMORY(int, warp_sums);
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int total = block_sum<SELFTEST_BLOCK>(i < n ? x[i] : 0, warp_sums);
	if (threadIdx.x == 0)
		atomicAdd(out, (unsigned long long)(long long)total);
}

static int launch_sum(struct dev_stream *s, const int *x, unsigned long long *out, int n,
		      struct err *e)
{
	return LAUNCH(e, sum, blocks_for(n), SELFTEST_BLOCK, 32 * sizeof(int), s, x, out, n);
}

/* ---- scan: each block takes a ticket and waits for the block before it ---- */

static const unsigned long long READY = 1ull << 63;

static __device__ unsigned long long wait_ready(const unsigned long long *p)
{
	unsigned long long v;
	SPIN_UNTIL((v = ld_acquire_gpu(p)) & READY);
	return v & ~READY;
}

static __global__ void scan(const int *x, int *y, unsigned long long *state, int n)
{
	SHARED_MEMORY(int, shared); /* 32 sums of warps, then ticket and prefix */
	if (threadIdx.x == 0)
		shared[32] = (int)atomicAdd(&state[0], 1ull);
	__syncthreads();
	int ticket = shared[32], i = ticket * (int)blockDim.x + (int)threadIdx.x;
	int total, v = block_scan<SELFTEST_BLOCK>(i < n ? x[i] : 0, shared, &total);
	if (threadIdx.x == blockDim.x - 1) {
		int before = ticket > 0 ? (int)(unsigned)wait_ready(&state[ticket]) : 0;
		st_release_gpu(&state[ticket + 1], READY | (unsigned)(before + total));
		shared[33] = before;
	}
	__syncthreads();
	if (i < n)
		y[i] = v + shared[33];
}

static int launch_scan(struct dev_stream *s, const int *x, int *y, unsigned long long *state, int n,
		       struct err *e)
{
	return LAUNCH(e, scan, blocks_for(n), SELFTEST_BLOCK, 34 * sizeof(int), s, x, y, state, n);
}

/* ---- grid barrier ---- */

static __global__ void spread(int *a, int *b, int n, int steps)
{
	int stride = (int)(gridDim.x * blockDim.x);
	for (int k = 0; k < steps; k++) {
		const int *from = k % 2 ? b : a;
		int *to = k % 2 ? a : b;
		for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += stride)
			to[i] = max(max(__ldcg(&from[i > 0 ? i - 1 : 0]), __ldcg(&from[i])),
				    __ldcg(&from[i + 1 < n ? i + 1 : i]));
		grid_sync();
	}
}

static int launch_spread(struct dev_stream *s, int *a, int *b, int n, int steps, struct err *e)
{
	return LAUNCH_COOPERATIVE(e, spread, 4, SELFTEST_BLOCK, 0, s, a, b, n, steps);
}

/* ---- warp operations ---- */

static __device__ int value_of(unsigned lane, unsigned block)
{
	return (int)((lane * 2654435761u + block) >> 7) - (1 << 24);
}

static __device__ int check_votes(unsigned lane, unsigned block)
{
	unsigned expected = 0;
	int lowest = value_of(0, block), highest = lowest, total = 0;
	for (unsigned l = 0; l < 32; l++) {
		int v = value_of(l, block);
		expected |= (unsigned)(v & 1) << l;
		lowest = min(lowest, v);
		highest = max(highest, v);
		total += v;
	}
	int v = value_of(lane, block), wrong = 0;
	wrong += __ballot_sync(ALL, v & 1) != expected;
	wrong += __any_sync(ALL, v & 1) != (expected != 0);
	wrong += __all_sync(ALL, v & 1) != (expected == ALL);
	wrong += __all_sync(ALL, v == value_of(lane, block)) == 0;
	wrong += __reduce_min_sync(ALL, v) != lowest;
	wrong += __reduce_max_sync(ALL, v) != highest;
	wrong += __reduce_add_sync(ALL, v) != total;
	wrong += __match_any_sync(ALL, lane % 3) != (0x49249249u << lane % 3 & ALL);
	return wrong;
}

static __device__ int check_shuffles(unsigned lane, unsigned block)
{
	int v = value_of(lane, block), wrong = 0;
	long long wide = (long long)v * (1 << 20);
	wrong += __shfl_sync(ALL, v, 5) != value_of(5, block);
	wrong += __shfl_sync(ALL, v, (int)lane + 3, 8) !=
		 value_of(lane / 8 * 8 + (lane + 3) % 8, block);
	wrong += __shfl_up_sync(ALL, v, 4) != value_of(lane >= 4 ? lane - 4 : lane, block);
	wrong += __shfl_down_sync(ALL, v, 4, 16) !=
		 value_of(lane % 16 + 4 < 16 ? lane + 4 : lane, block);
	wrong += __shfl_xor_sync(ALL, wide, 9) != (long long)value_of(lane ^ 9, block) * (1 << 20);
	return wrong;
}

/* The two halves of a warp diverge and then reconverge. */
static __device__ int check_halves(unsigned lane, unsigned block)
{
	int v = value_of(lane, block), wrong = 0, sum = 0;
	unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
	for (unsigned l = 0; l < 16; l++)
		sum += value_of(lane / 16 * 16 + l, block);
	if (lane < 16)
		wrong += __reduce_add_sync(half, v) != sum;
	else
		for (int d = 8; d > 0; d /= 2)
			v += __shfl_xor_sync(half, v, d);
	if (lane >= 16)
		wrong += v != sum;
	wrong += __ballot_sync(ALL, lane < 16) != 0x0000ffffu;
	return wrong;
}

/* warp.cuh with values of 4 and of 8 bytes. */
static __device__ int check_sums(unsigned lane, unsigned block)
{
	int v = value_of(lane, block), upto = 0, all = 0, wrong = 0;
	long long wide = v * (1ll << 30), lowest = wide, highest = wide;
	unsigned rank = 0;
	for (unsigned l = 0; l < 32; l++) {
		long long other = value_of(l, block) * (1ll << 30);
		all += value_of(l, block);
		upto += l <= lane ? value_of(l, block) : 0;
		rank += l < lane && (value_of(l, block) & 1);
		lowest = min(lowest, other);
		highest = max(highest, other);
	}
	wrong += warp_sum(v) != all;
	wrong += warp_sum(wide) != all * (1ll << 30);
	wrong += warp_min(wide) != lowest;
	wrong += warp_max(wide) != highest;
	wrong += warp_scan(v) != upto;
	wrong += warp_scan(wide, lane) != upto * (1ll << 30);
	wrong += warp_rank(__ballot_sync(ALL, v & 1)) != rank;
	return wrong;
}

static __global__ void warp(int *wrong)
{
	unsigned lane = threadIdx.x % 32;
	int n = check_votes(lane, blockIdx.x) + check_shuffles(lane, blockIdx.x) +
		check_halves(lane, blockIdx.x) + check_sums(lane, blockIdx.x);
	if (n)
		atomicAdd(wrong, n);
}

static int launch_warp(struct dev_stream *s, int *wrong, int blocks, struct err *e)
{
	return LAUNCH(e, warp, blocks, SELFTEST_BLOCK, 0, s, wrong);
}

/* ---- reversal, correct and faulty ---- */

template <int FAULT> static __global__ void reverse(int *x, int n, int rounds)
{
	SHARED_MEMORY(int, shared);
	unsigned t = threadIdx.x, base = blockIdx.x * blockDim.x;
	int v = base + t < (unsigned)n ? x[base + t] : 0;
	for (int k = 0; k < rounds; k++) {
		shared[t] = v;
		if (FAULT != SELFTEST_MISSING_BARRIER)
			__syncthreads();
		v = shared[blockDim.x - 1 - t];
		if (FAULT != SELFTEST_MISSING_SECOND_BARRIER)
			__syncthreads();
	}
	if (base + t < (unsigned)n)
		x[base + t] = v;
}

/* Reverses within each warp, then reverses the order of the warps. */
template <int FAULT> static __global__ void reverse_by_warps(int *x, int n, int rounds)
{
	SHARED_MEMORY(int, shared);
	unsigned t = threadIdx.x, base = blockIdx.x * blockDim.x;
	int v = base + t < (unsigned)n ? x[base + t] : 0;
	for (int k = 0; k < rounds; k++) {
		shared[t] = v;
		if (FAULT != SELFTEST_MISSING_SYNCWARP)
			__syncwarp();
		v = shared[t ^ 31];
		__syncthreads();
		shared[t] = v;
		__syncthreads();
		v = shared[blockDim.x - 32 - t / 32 * 32 + t % 32];
		__syncthreads();
	}
	if (base + t < (unsigned)n)
		x[base + t] = v;
}

static int launch_reverse(struct dev_stream *s, int *x, int n, int rounds,
			  enum selftest_fault fault, struct err *e)
{
	static void (*const kernels[SELFTEST_FAULTS])(int *, int, int) = {
		reverse<SELFTEST_NO_FAULT>,
		reverse_by_warps<SELFTEST_BY_WARPS>,
		reverse<SELFTEST_MISSING_BARRIER>,
		reverse<SELFTEST_MISSING_SECOND_BARRIER>,
		reverse_by_warps<SELFTEST_MISSING_SYNCWARP>,
	};
	return LAUNCH(e, kernels[fault], blocks_for(n), SELFTEST_BLOCK,
		      SELFTEST_BLOCK * sizeof(int), s, x, n, rounds);
}

/* ---- two devices ---- */

static __global__ void pingpong(unsigned *mine, unsigned *peers, int first, unsigned rounds)
{
	for (unsigned k = 1; k <= rounds; k++) {
		if (first)
			st_release_sys(peers, k);
		SPIN_UNTIL(ld_acquire_sys(mine) >= k);
		if (!first)
			st_release_sys(peers, k);
	}
}

static int launch_pingpong(struct dev_stream *s, unsigned *mine, unsigned *peers, int first,
			   unsigned rounds, struct err *e)
{
	return LAUNCH(e, pingpong, 1, 1, 0, s, mine, peers, first, rounds);
}

/* ---- asynchronous copies ---- */

static __global__ void stream_copy(const int *x, int *y, int n)
{
	SHARED_MEMORY(int, buffer); /* two of blockDim.x elements */
	int size = (int)blockDim.x, t = (int)threadIdx.x, tiles = (n + size - 1) / size;
	int first = (int)blockIdx.x, step = (int)gridDim.x;
	if (first < tiles && first * size + t < n)
		copy_async_4(&buffer[t], &x[first * size + t]);
	copy_async_commit();
	for (int tile = first, k = 0; tile < tiles; tile += step, k ^= 1) {
		int next = (tile + step) * size + t, i = tile * size + t;
		if (next < n)
			copy_async_4(&buffer[(k ^ 1) * size + t], &x[next]);
		copy_async_commit();
		copy_async_wait<1>();
		__syncthreads();
		int other = size - 1 - t; /* the element that another thread copied */
		if (i - t + other < n)
			y[i - t + other] = buffer[k * size + other];
		__syncthreads();
	}
}

static int launch_stream_copy(struct dev_stream *s, const int *x, int *y, int n, struct err *e)
{
	return LAUNCH(e, stream_copy, 3, SELFTEST_BLOCK, 2 * SELFTEST_BLOCK * sizeof(int), s, x, y,
		      n);
}

extern "C" const struct selftest_kernels BACKEND_SYMBOL(selftest_kernels) = {
	launch_axpy, launch_sum,     launch_scan,     launch_spread,
	launch_warp, launch_reverse, launch_pingpong, launch_stream_copy,
};
