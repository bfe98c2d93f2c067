/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that keep one resource of a GPU busy. See harness/device/probes.h. */
#include "kernels/common/gpu.cuh"
#include "kernels/common/mma_b1.cuh"

#include "harness/device/probes.h"

static __device__ uint32_t pattern(size_t index)
{
	return (uint32_t)index * 2654435761u + (uint32_t)(index >> 32);
}

static __global__ void fill_kernel(uint32_t *out, size_t words)
{
	size_t stride = (size_t)gridDim.x * blockDim.x;

	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride)
		out[i] = pattern(i);
}

/* Loads that do not stay in L1, so that several passes over a small array measure L2. */
static __global__ void copy_kernel(const uint4 *src, uint4 *dst, size_t n, int passes)
{
	const size_t stride = (size_t)gridDim.x * blockDim.x;
	const size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

	for (int pass = 0; pass < passes; pass++) {
		size_t i = first;

		for (; i + 3 * stride < n; i += 4 * stride) {
			uint4 v[4];
#pragma unroll
			for (int k = 0; k < 4; k++)
				v[k] = __ldcg(src + i + k * stride);
#pragma unroll
			for (int k = 0; k < 4; k++)
				__stcg(dst + i + k * stride, v[k]);
		}
		for (; i < n; i += stride)
			__stcg(dst + i, __ldcg(src + i));
	}
}

/* Each thread has PROBE_UNROLL pieces in each half of the shared memory, side by side with its
 * neighbours' (no bank conflicts), and alternates between the halves. The launch passes mask = 1,
 * so the compiler cannot see that every other step reads the same words. If the parity of the step
 * were a constant here, ptxas would load once for both steps and the measured rate would be twice
 * too high. */
static __global__ void shared_read_kernel(uint32_t *out, int steps, int mask)
{
	SHARED_MEMORY(uint4, shared);
	const unsigned t = threadIdx.x;
	const int half = PROBE_UNROLL * PROBE_BLOCK;
	uint4 sum = make_uint4(0, 0, 0, 0);

	for (int k = 0; k < 2 * PROBE_UNROLL; k++) {
		unsigned i = t + k * PROBE_BLOCK;

		shared[i] = make_uint4(i, 3 * i, 5 * i, 7 * i);
	}
	__syncthreads();
#pragma unroll 1
	for (int step = 0; step < steps; step += 4) {
#pragma unroll
		for (int sub = 0; sub < 4; sub++) {
			const uint4 *p = shared + t + ((step + sub) & mask) * half;
#pragma unroll
			for (int k = 0; k < PROBE_UNROLL; k++) {
				uint4 v = p[k * PROBE_BLOCK];

				sum.x += v.x;
				sum.y += v.y;
				sum.z += v.z;
				sum.w += v.w;
			}
		}
	}
	out[blockIdx.x * blockDim.x + t] = sum.x + sum.y + sum.z + sum.w;
}

static __global__ void shared_write_kernel(uint32_t *out, int steps, int flip)
{
	SHARED_MEMORY(uint4, shared);
	const unsigned t = threadIdx.x;
	const int half = PROBE_UNROLL * PROBE_BLOCK;
	uint32_t sum = 0;

	for (int k = 0; k < 2 * PROBE_UNROLL; k++)
		shared[t + k * PROBE_BLOCK] = make_uint4(0, 0, 0, 0);
#pragma unroll 1
	for (int step = 0; step < steps; step++) {
		uint4 *p = shared + t + (step * flip & 1) * half;
		unsigned v = (unsigned)step + t;
#pragma unroll
		for (int k = 0; k < PROBE_UNROLL; k++)
			p[k * PROBE_BLOCK] = make_uint4(v, v, v, v);
	}
	__syncthreads();
	for (int k = 0; k < 2 * PROBE_UNROLL; k++) {
		uint4 v = shared[t + k * PROBE_BLOCK];

		sum += (k + 1) * (v.x + v.y + v.z + v.w);
	}
	out[blockIdx.x * blockDim.x + t] = sum;
}

static __device__ unsigned add_max(unsigned a, unsigned b, unsigned c, bool pairs)
{
	return pairs ? __viaddmax_s16x2(a, b, c) : (unsigned)__viaddmax_s32((int)a, (int)b, (int)c);
}

/* Chains x <- max(x + up, neighbour), x <- max(x + down, neighbour): bounded for any number of
 * steps, and each value depends on others, so that no two steps can be folded into one. */
template <bool pairs> static __device__ void add_max_chains(uint32_t *out, int steps)
{
	const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned up = pairs ? 0x00010002u : 2u + (thread & 1);
	const unsigned down = pairs ? 0xfffefffdu : ~(2u + (thread & 1));
	unsigned x[PROBE_CHAINS], sum = 0;

	for (int k = 0; k < PROBE_CHAINS; k++)
		x[k] = (thread + 37u * k) & 0x03ff03ffu;
#pragma unroll 8
	for (int step = 0; step < steps; step++) {
#pragma unroll
		for (int k = 0; k < PROBE_CHAINS; k++)
			x[k] = add_max(x[k], up, x[(k + 3) % PROBE_CHAINS], pairs);
#pragma unroll
		for (int k = 0; k < PROBE_CHAINS; k++)
			x[k] = add_max(x[k], down, x[(k + 5) % PROBE_CHAINS], pairs);
	}
	for (int k = 0; k < PROBE_CHAINS; k++)
		sum = sum * 31 + x[k];
	out[thread] = sum;
}

static __global__ void add_max_kernel(uint32_t *out, int steps)
{
	add_max_chains<false>(out, steps);
}

static __global__ void add_max_16_kernel(uint32_t *out, int steps)
{
	add_max_chains<true>(out, steps);
}

static __global__ void popcount_kernel(uint32_t *out, int steps)
{
	const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned x[PROBE_CHAINS], sum = 0;

	for (int k = 0; k < PROBE_CHAINS; k++)
		x[k] = thread + 37u * k;
#pragma unroll 8
	for (int step = 0; step < steps; step++)
#pragma unroll
		for (int k = 0; k < PROBE_CHAINS; k++)
			x[k] += (unsigned)__popc(x[k]);
	for (int k = 0; k < PROBE_CHAINS; k++)
		sum = sum * 31 + x[k];
	out[thread] = sum;
}

/* Both sides of a warp's product are words of the pattern: 16 rows of 8 words, then 8 rows of 8.
 * Every step adds the same product to each chain's sums. The bound of registers lets all blocks of
 * a full grid run at once. */
static __global__ void __launch_bounds__(PROBE_BLOCK, 2048 / PROBE_BLOCK)
	binary_kernel(uint32_t *out, int steps)
{
	const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned left = thread / 32 * PROBE_FRAGMENT + thread % 32 / 4 * 8 + thread % 4;
	const unsigned right = left + 16 * 8;
	const uint32_t a[4] = { pattern(left), pattern(left + 8 * 8), pattern(left + 4),
				pattern(left + 8 * 8 + 4) };
	const uint32_t b[2] = { pattern(right), pattern(right + 4) };
	int32_t x[PROBE_PRODUCTS][4];
	unsigned sum = 0;

	for (int k = 0; k < PROBE_PRODUCTS; k++)
		for (int i = 0; i < 4; i++)
			x[k][i] = 37 * k + i;
#pragma unroll 8
	for (int step = 0; step < steps; step++)
#pragma unroll
		for (int k = 0; k < PROBE_PRODUCTS; k++)
			mma_and_popc(x[k], a, b);
	for (int k = 0; k < PROBE_PRODUCTS; k++)
		for (int i = 0; i < 4; i++)
			sum = sum * 31 + (unsigned)x[k][i];
	out[thread] = sum;
}

static __global__ void fma_kernel(uint32_t *out, int steps)
{
	const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	const float factor = 0.5f + 0.25f * (thread & 1), term = 1.0f + 0.125f * (thread & 7);
	float x[PROBE_CHAINS], sum = 0;

	for (int k = 0; k < PROBE_CHAINS; k++)
		x[k] = (float)((thread + 37u * k) & 1023);
#pragma unroll 8
	for (int step = 0; step < steps; step++)
#pragma unroll
		for (int k = 0; k < PROBE_CHAINS; k++)
			x[k] = fmaf(x[k], factor, term);
	for (int k = 0; k < PROBE_CHAINS; k++)
		sum = fmaf(x[k], 1.0f, sum);
	out[thread] = (uint32_t)(sum * 1024);
}

static __global__ void tick_kernel(uint32_t *counter)
{
	*counter += 1;
}

/* ---- launches ---- */

static int fill(struct dev_stream *s, uint32_t *out, size_t words, int blocks, struct err *e)
{
	return LAUNCH(e, fill_kernel, blocks, PROBE_BLOCK, 0, s, out, words);
}

static int copy(struct dev_stream *s, const void *src, void *dst, size_t words16, int passes,
		int blocks, struct err *e)
{
	return LAUNCH(e, copy_kernel, blocks, PROBE_BLOCK, 0, s, (const uint4 *)src, (uint4 *)dst,
		      words16, passes);
}

static int shared_read(struct dev_stream *s, uint32_t *out, int steps, int blocks, struct err *e)
{
	return LAUNCH(e, shared_read_kernel, blocks, PROBE_BLOCK, PROBE_SHARED_BYTES, s, out, steps,
		      1);
}

static int shared_write(struct dev_stream *s, uint32_t *out, int steps, int blocks, struct err *e)
{
	return LAUNCH(e, shared_write_kernel, blocks, PROBE_BLOCK, PROBE_SHARED_BYTES, s, out,
		      steps, 1);
}

static int add_max_32(struct dev_stream *s, uint32_t *out, int steps, int blocks, struct err *e)
{
	return LAUNCH(e, add_max_kernel, blocks, PROBE_BLOCK, 0, s, out, steps);
}

static int add_max_16(struct dev_stream *s, uint32_t *out, int steps, int blocks, struct err *e)
{
	return LAUNCH(e, add_max_16_kernel, blocks, PROBE_BLOCK, 0, s, out, steps);
}

static int popcount(struct dev_stream *s, uint32_t *out, int steps, int blocks, struct err *e)
{
	return LAUNCH(e, popcount_kernel, blocks, PROBE_BLOCK, 0, s, out, steps);
}

static int binary(struct dev_stream *s, uint32_t *out, int steps, int blocks, struct err *e)
{
	return LAUNCH(e, binary_kernel, blocks, PROBE_BLOCK, 0, s, out, steps);
}

static int multiply_add(struct dev_stream *s, uint32_t *out, int steps, int blocks, struct err *e)
{
	return LAUNCH(e, fma_kernel, blocks, PROBE_BLOCK, 0, s, out, steps);
}

static int tick(struct dev_stream *s, uint32_t *counter, struct err *e)
{
	return LAUNCH(e, tick_kernel, 1, 1, 0, s, counter);
}

extern "C" const struct probe_kernels BACKEND_SYMBOL(probe_kernels) = {
	fill,
	copy,
	{ shared_read, shared_write, add_max_32, add_max_16, popcount, binary, multiply_add },
	tick,
};
