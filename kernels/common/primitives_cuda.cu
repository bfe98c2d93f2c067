/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The primitives on cuda, implemented with CUB. Its headers compile slowly, so no other source
 * includes them. */
#include "kernels/common/primitives.h"

#include "kernels/common/gpu.cuh"

#if defined(__CUDACC__)

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

static int cuda_status(cudaError_t code, const char *call, struct err *e)
{
	if (code == cudaSuccess)
		return 0;
	(void)cudaGetLastError();
	return err_set(e, ERR_FAILED, "%s: %s (%s)", call, cudaGetErrorString(code),
		       cudaGetErrorName(code));
}

/* CUDA 13 removed cub::Max */
struct greater_of {
	__host__ __device__ int64_t operator()(int64_t a, int64_t b) const
	{
		return a > b ? a : b;
	}
};

/* Given no scratch memory, CUB's functions only report how much they need. */
static cudaError_t call_sum(void *scratch, size_t &bytes, const int64_t *x, int64_t *out, int n,
			    cudaStream_t s)
{
	return cub::DeviceReduce::Sum(scratch, bytes, x, out, n, s);
}

static cudaError_t call_max(void *scratch, size_t &bytes, const int64_t *x, int64_t *out, int n,
			    cudaStream_t s)
{
	return cub::DeviceReduce::Reduce(scratch, bytes, x, out, n, greater_of(), INT64_MIN, s);
}

static cudaError_t call_scan(void *scratch, size_t &bytes, const uint32_t *x, uint32_t *y, int n,
			     cudaStream_t s)
{
	return cub::DeviceScan::ExclusiveSum(scratch, bytes, x, y, n, s);
}

struct sort_arrays {
	const uint64_t *keys;
	uint64_t *sorted_keys;
	const uint32_t *values;
	uint32_t *sorted_values;
};

static cudaError_t call_sort(void *scratch, size_t &bytes, const sort_arrays &a, int n, int bits,
			     cudaStream_t s)
{
	return cub::DeviceRadixSort::SortPairs(scratch, bytes, a.keys, a.sorted_keys, a.values,
					       a.sorted_values, n, 0, bits, s);
}

static int scratch(struct dev_stream *s, int n, size_t *bytes, struct err *e)
{
	size_t need[4] = { 0 };
	void *stream;
	int status = dev_launch_begin(s, &stream, e);
	cudaStream_t cs = (cudaStream_t)stream;
	if (!status)
		status = cuda_status(call_sum(nullptr, need[0], nullptr, nullptr, n, cs), "cub sum",
				     e);
	if (!status)
		status = cuda_status(call_max(nullptr, need[1], nullptr, nullptr, n, cs), "cub max",
				     e);
	if (!status)
		status = cuda_status(call_scan(nullptr, need[2], nullptr, nullptr, n, cs),
				     "cub scan", e);
	if (!status)
		status = cuda_status(call_sort(nullptr, need[3], sort_arrays{}, n, 64, cs),
				     "cub sort", e);
	*bytes = 1; /* with NULL scratch CUB would compute nothing */
	for (size_t b : need)
		*bytes = b > *bytes ? b : *bytes;
	return status;
}

static int begin(struct dev_stream *s, int n, const void *memory, size_t bytes, void **stream,
		 struct err *e)
{
	size_t need;
	int status = scratch(s, n, &need, e);
	if (!status && (!memory || bytes < need))
		status = err_set(e, ERR_USAGE, "%zu bytes of scratch memory given, %zu needed",
				 bytes, need);
	return status ? status : dev_launch_begin(s, stream, e);
}

static int sum(struct dev_stream *s, const int64_t *x, int64_t *out, int n, void *memory,
	       size_t bytes, struct err *e)
{
	void *stream;
	int status = begin(s, n, memory, bytes, &stream, e);
	return status ? status :
			cuda_status(call_sum(memory, bytes, x, out, n, (cudaStream_t)stream),
				    "cub sum", e);
}

static int greatest(struct dev_stream *s, const int64_t *x, int64_t *out, int n, void *memory,
		    size_t bytes, struct err *e)
{
	void *stream;
	int status = begin(s, n, memory, bytes, &stream, e);
	return status ? status :
			cuda_status(call_max(memory, bytes, x, out, n, (cudaStream_t)stream),
				    "cub max", e);
}

static int scan(struct dev_stream *s, const uint32_t *x, uint32_t *y, int n, void *memory,
		size_t bytes, struct err *e)
{
	void *stream;
	int status = begin(s, n, memory, bytes, &stream, e);
	return status ? status :
			cuda_status(call_scan(memory, bytes, x, y, n, (cudaStream_t)stream),
				    "cub scan", e);
}

static int sort(struct dev_stream *s, const uint64_t *keys, uint64_t *sorted_keys,
		const uint32_t *values, uint32_t *sorted_values, int n, int bits, void *memory,
		size_t bytes, struct err *e)
{
	void *stream;
	int status = begin(s, n, memory, bytes, &stream, e);
	const sort_arrays a = { keys, sorted_keys, values, sorted_values };
	return status ? status :
			cuda_status(call_sort(memory, bytes, a, n, bits, (cudaStream_t)stream),
				    "cub sort", e);
}

extern "C" const struct gpu_primitives gpu_primitives_cuda = { scratch, sum, greatest, scan, sort };

#endif
