/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Kernels for knapsacks whose weights are of the order of C: one or two items per launch, directly
 * from and to device memory. Cells are int32_t or int64_t (`cells_64`). */
#ifndef COPRA_KERNELS_DP_KNAPSACK_WIDE_H
#define COPRA_KERNELS_DP_KNAPSACK_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/device/device.h"

enum { DP_WIDE_BEST_BLOCKS = 1024 };

/* out(c) = max over the subsets of the launch's items of in(c - weight) + profit, for c in [lo,
 * end).
 *
 * in(c) is the value before these items: in[c - in_first] for c <= top, and `full` above (all
 * earlier items fit). With one item, in(c - weight) is read from below[c - weight - below_first],
 * which may be on another device. With two items, `below` must be `in`.
 *
 * In place (out == in) the result is correct if end - lo <= weight[0] <= weight[1]; only changed
 * cells are written. */
struct dp_wide_launch {
	bool cells_64;
	int items; /* 1 or 2 */
	const void *in, *below;
	void *out; /* indexed as `in` */
	int64_t in_first, below_first;
	int64_t lo, end, top;
	int64_t full;
	int64_t weight[2], profit[2];
	/* Decision bits, or NULL. Item i is in the best subset of cell c if bit c % 32 of word (c -
	 * bits_first) / 32 + i * bits_row is set. bits_first is a multiple of 32. So is lo, unless
	 * the launch is the lowest of its pass, and `end`, unless it is the highest. */
	uint32_t *bits;
	int64_t bits_first, bits_row;
};

/* The best split of capacity C: the maximum over c in [lo, hi] of a[c] + b[C - c]; both are indexed
 * from 0. Each block writes its best sum and its c. The number of blocks is
 * min(DP_WIDE_BEST_BLOCKS, what the range needs). */
struct dp_wide_best {
	bool cells_64;
	const void *a, *b;
	int64_t capacity, lo, hi;
	int64_t *value, *at; /* DP_WIDE_BEST_BLOCKS each; device memory */
};

struct dp_wide_kernels {
	int (*pass)(struct dev_stream *s, const struct dp_wide_launch *p, struct err *e);
	int (*best)(struct dev_stream *s, const struct dp_wide_best *b, int *blocks, struct err *e);
};

DEV_KERNELS(struct dp_wide_kernels, dp_wide_kernels);

#endif
