/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Binary matrix products (kernels/common/mma_b1.cuh), for tests. */
#ifndef COPRA_KERNELS_SELFTEST_BINARY_H
#define COPRA_KERNELS_SELFTEST_BINARY_H

#include <stdint.h>

#include "harness/device/device.h"

struct selftest_binary {
	/* d[8 * m + n] = number of ones in a[8 * m + i] & b[8 * n + i], summed over i < 8, for m <
	 * 16 and n < 8. All pointers are device memory. With `quads`, the rows of `a` and `b` have
	 * 16 words, which are loaded four at a time. */
	int (*product)(struct dev_stream *s, const uint32_t *a, const uint32_t *b, int32_t *d,
		       int quads, struct err *e);
};

DEV_KERNELS(struct selftest_binary, selftest_binary);

#endif
