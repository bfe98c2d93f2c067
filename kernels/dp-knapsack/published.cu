/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/common/gpu.cuh"

#include "kernels/dp-knapsack/published.h"

static const int BLOCK = 512;

template <typename T>
static __global__ void published_step(const T *input, T *output, int64_t start, int64_t first,
				      int64_t cmin, int64_t cmax, int64_t weight, T profit)
{
	int64_t c = start + (int64_t)blockIdx.x * BLOCK + threadIdx.x;
	if (c < first || c >= cmax)
		return;
	T value = input[c];
	if (c >= cmin) {
		T with = input[c - weight] + profit;
		if (value < with)
			value = with;
	}
	output[c] = value;
}

template <typename T>
static int launch_step(struct dev_stream *s, const struct dp_published_step *p, struct err *e)
{
	int64_t start = p->first / BLOCK * BLOCK;
	int64_t blocks = (p->cmax - start + BLOCK - 1) / BLOCK;
	if (blocks > INT32_MAX)
		return err_set(e, ERR_UNSUPPORTED, "%lld cells need more blocks than a grid holds",
			       (long long)(p->cmax - start));
	return LAUNCH(e, published_step<T>, (unsigned)blocks, BLOCK, 0, s, (const T *)p->input,
		      (T *)p->output, start, p->first, p->cmin, p->cmax, p->weight, (T)p->profit);
}

static int step(struct dev_stream *s, const struct dp_published_step *p, struct err *e)
{
	if (p->first >= p->cmax)
		return 0;
	return p->cells_64 ? launch_step<int64_t>(s, p, e) : launch_step<int32_t>(s, p, e);
}

extern "C" const struct dp_published_kernels BACKEND_SYMBOL(dp_published_kernels) = { step };
