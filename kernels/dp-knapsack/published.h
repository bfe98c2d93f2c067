/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Algorithm 3 of Boyer, El Baz, Elkihel: one step of the recursion, one thread per cell, blocks of
 * 512.
 *
 * Read literally, Algorithm 3 sets c := block * 512 + thread and starts ceil((cmax-cmin)/512)
 * blocks, which reaches cmax only if cmin = 0; and it stops at c > cmax, one past the half-open
 * range of section III-B. Here the blocks are numbered from the one that holds the first cell, so
 * that there may be one block more, and the range is half-open. */
#ifndef COPRA_KERNELS_DP_KNAPSACK_PUBLISHED_H
#define COPRA_KERNELS_DP_KNAPSACK_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/device/device.h"

struct dp_published_step {
	const void *input;  /* f_{k-1}, indexed by capacity; device memory */
	void *output;       /* f_k; another array */
	bool cells_64;      /* cells are int64_t, else int32_t */
	int64_t first;      /* cells [first, cmin) keep their value: output = input. The paper's
			       kernel has none: first = cmin */
	int64_t cmin, cmax; /* cells [cmin, cmax) are computed; weight <= cmin */
	int64_t weight, profit;
};

struct dp_published_kernels {
	/* Asynchronous. Nothing is launched if first >= cmax. */
	int (*step)(struct dev_stream *s, const struct dp_published_step *step, struct err *e);
};

DEV_KERNELS(struct dp_published_kernels, dp_published_kernels);

#endif
