/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The primitives on sim and HIP: simple sequential kernels of one thread. */
#include "kernels/common/primitives.h"

#include "kernels/common/gpu.cuh"

#if !defined(__CUDACC__)

static __global__ void sum_kernel(const int64_t *x, int64_t *out, int n)
{
	uint64_t total = 0;
	for (int i = 0; i < n; i++)
		total += (uint64_t)x[i];
	*out = (int64_t)total;
}

static __global__ void max_kernel(const int64_t *x, int64_t *out, int n)
{
	int64_t best = INT64_MIN;
	for (int i = 0; i < n; i++)
		best = max(best, x[i]);
	*out = best;
}

static __global__ void scan_kernel(const uint32_t *x, uint32_t *y, int n)
{
	uint32_t total = 0;
	for (int i = 0; i < n; i++) {
		uint32_t v = x[i];
		y[i] = total;
		total += v;
	}
}

/* One pass of a radix sort, by up to 8 bits from `shift` on. */
static __device__ void sort_digit(const uint64_t *keys, const uint32_t *values, uint64_t *to_keys,
				  uint32_t *to_values, int n, int shift, int bits)
{
	int start[257] = { 0 };
	unsigned mask = (1u << min(8, bits - shift)) - 1;
	for (int i = 0; i < n; i++)
		start[(keys[i] >> shift & mask) + 1]++;
	for (int d = 0; d < 256; d++)
		start[d + 1] += start[d];
	for (int i = 0; i < n; i++) {
		int to = start[keys[i] >> shift & mask]++;
		to_keys[to] = keys[i];
		to_values[to] = values[i];
	}
}

/* The passes alternate between the results and the scratch memory, so that the last one writes the
 * results. */
static __global__ void sort_kernel(const uint64_t *keys, uint64_t *sorted_keys,
				   const uint32_t *values, uint32_t *sorted_values, int n, int bits,
				   uint64_t *scratch)
{
	uint32_t *scratch_values = (uint32_t *)(scratch + n);
	int passes = (bits + 7) / 8;
	for (int p = 0; p < passes; p++) {
		bool last = (passes - p) % 2 == 1;
		sort_digit(keys, values, last ? sorted_keys : scratch,
			   last ? sorted_values : scratch_values, n, 8 * p, bits);
		keys = last ? sorted_keys : scratch;
		values = last ? sorted_values : scratch_values;
	}
}

static int scratch(struct dev_stream *s, int n, size_t *bytes, struct err *e)
{
	(void)s, (void)e;
	*bytes = (size_t)n * (sizeof(uint64_t) + sizeof(uint32_t)) + 1;
	return 0;
}

static int check(struct dev_stream *s, int n, const void *memory, size_t bytes, struct err *e)
{
	size_t need;
	scratch(s, n, &need, e);
	if (memory && bytes >= need)
		return 0;
	return err_set(e, ERR_USAGE, "%zu bytes of scratch memory given, %zu needed", bytes, need);
}

static int sum(struct dev_stream *s, const int64_t *x, int64_t *out, int n, void *memory,
	       size_t bytes, struct err *e)
{
	int status = check(s, n, memory, bytes, e);
	return status ? status : LAUNCH(e, sum_kernel, 1, 1, 0, s, x, out, n);
}

static int greatest(struct dev_stream *s, const int64_t *x, int64_t *out, int n, void *memory,
		    size_t bytes, struct err *e)
{
	int status = check(s, n, memory, bytes, e);
	return status ? status : LAUNCH(e, max_kernel, 1, 1, 0, s, x, out, n);
}

static int scan(struct dev_stream *s, const uint32_t *x, uint32_t *y, int n, void *memory,
		size_t bytes, struct err *e)
{
	int status = check(s, n, memory, bytes, e);
	return status ? status : LAUNCH(e, scan_kernel, 1, 1, 0, s, x, y, n);
}

static int sort(struct dev_stream *s, const uint64_t *keys, uint64_t *sorted_keys,
		const uint32_t *values, uint32_t *sorted_values, int n, int bits, void *memory,
		size_t bytes, struct err *e)
{
	int status = check(s, n, memory, bytes, e);
	return status ? status :
			LAUNCH(e, sort_kernel, 1, 1, 0, s, keys, sorted_keys, values, sorted_values,
			       n, bits, (uint64_t *)memory);
}

extern "C" const struct gpu_primitives BACKEND_SYMBOL(gpu_primitives) = { scratch, sum, greatest,
									  scan, sort };

#endif
