/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/common/mma_b1.cuh"
#include "kernels/selftest/binary.h"

static __global__ void rows_of_words(const uint32_t *a, const uint32_t *b, int32_t *d)
{
	unsigned g = threadIdx.x / 4, t = threadIdx.x % 4;
	uint32_t left[4] = { a[g * 8 + t], a[(g + 8) * 8 + t], a[g * 8 + t + 4],
			     a[(g + 8) * 8 + t + 4] };
	uint32_t right[2] = { b[g * 8 + t], b[g * 8 + t + 4] };
	int32_t sum[4] = { 0, 0, 0, 0 };

	mma_and_popc(sum, left, right);
	for (unsigned i = 0; i < 4; i++)
		d[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = sum[i];
}

static __global__ void rows_of_quads(const uint32_t *a, const uint32_t *b, int32_t *d)
{
	unsigned g = threadIdx.x / 4, t = threadIdx.x % 4;
	uint4 upper = ((const uint4 *)a)[g * 4 + t], lower = ((const uint4 *)a)[(g + 8) * 4 + t];
	uint4 column = ((const uint4 *)b)[g * 4 + t];
	uint32_t left[2][4] = { { upper.x, lower.x, upper.y, lower.y },
				{ upper.z, lower.z, upper.w, lower.w } };
	uint32_t right[2][2] = { { column.x, column.y }, { column.z, column.w } };
	int32_t sum[4] = { 0, 0, 0, 0 };

	mma_and_popc(sum, left[0], right[0]);
	mma_and_popc(sum, left[1], right[1]);
	for (unsigned i = 0; i < 4; i++)
		d[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = sum[i];
}

static int product(struct dev_stream *s, const uint32_t *a, const uint32_t *b, int32_t *d,
		   int quads, struct err *e)
{
	return quads ? LAUNCH(e, rows_of_quads, 1, 32, 0, s, a, b, d) :
		       LAUNCH(e, rows_of_words, 1, 32, 0, s, a, b, d);
}

extern "C" const struct selftest_binary BACKEND_SYMBOL(selftest_binary) = { product };
