/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/common/gpu.cuh"

#include "kernels/sample-target/least.h"

static const int BLOCK = 256;

static __global__ void least(struct sample_target_numbers numbers, uint64_t from, uint64_t to,
			     uint64_t per_thread, unsigned long long *best)
{
	SHARED_MEMORY(unsigned long long, block_best);
	uint64_t first = from + ((uint64_t)blockIdx.x * BLOCK + threadIdx.x) * per_thread;
	uint64_t last = first + per_thread < to ? first + per_thread : to;
	unsigned long long key = SAMPLE_TARGET_NONE;

	if (threadIdx.x == 0)
		*block_best = SAMPLE_TARGET_NONE;
	__syncthreads();
	if (first < to)
		key = sample_target_least(&numbers, first, last);
	atomicMin(block_best, key);
	__syncthreads();
	if (threadIdx.x == 0)
		atomicMin(best, *block_best);
}

static int launch_least(struct dev_stream *s, const struct sample_target_numbers *numbers,
			uint64_t from, uint64_t to, uint64_t per_thread, uint64_t *best,
			struct err *e)
{
	uint64_t threads = (to - from + per_thread - 1) / per_thread;

	return LAUNCH(e, least, (unsigned)((threads + BLOCK - 1) / BLOCK), BLOCK,
		      sizeof(unsigned long long), s, *numbers, from, to, per_thread,
		      (unsigned long long *)best);
}

extern "C" const struct sample_target_kernels
	BACKEND_SYMBOL(sample_target_kernels) = { launch_least };
