/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The kernel of the form reachable: one item on arrays whose cells are given by segments
 * (algorithms/dp-knapsack/reachable.h). */
#ifndef COPRA_KERNELS_DP_KNAPSACK_REACHABLE_H
#define COPRA_KERNELS_DP_KNAPSACK_REACHABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/device/device.h"

/* A run of cells of the array after an item: the cells to .. to + cells - 1. Their values come from
 * the array before it: from `keep` on without the item, from `take` on with it. -1: not reached
 * that way. */
struct dp_segment {
	int64_t to, cells, keep, take;
};

struct dp_reach_launch {
	bool cells_64;
	const void *from;
	void *to;
	const struct dp_segment *segment; /* in ascending order, without gaps; device memory */
	int64_t count, cells;             /* both >= 1 */
	int64_t profit;                   /* added where the item is taken */
	int64_t lowest;                   /* minus infinity */
	/* Bit c % 32 of word c / 32 is set if the item is taken at cell c; NULL: not kept. */
	uint32_t *bits;
};

struct dp_reach_kernels {
	int (*merge)(struct dev_stream *s, const struct dp_reach_launch *l, struct err *e);
};

DEV_KERNELS(struct dp_reach_kernels, dp_reach_kernels);

#endif
