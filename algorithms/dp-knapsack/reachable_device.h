/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A round of the form reachable on a device: the host makes the segments of an item while the
 * device works on those before it. */
#ifndef COPRA_DP_KNAPSACK_REACHABLE_DEVICE_H
#define COPRA_DP_KNAPSACK_REACHABLE_DEVICE_H

#include "algorithms/dp-knapsack/cpu_cells.h"
#include "algorithms/dp-knapsack/dp.h"
#include "kernels/dp-knapsack/reachable.h"

struct dp_reach_device;

/* Allocates two arrays of `largest` cells on the device, and sets the first cell of the first array
 * to 0. Errors: ERR_MEMORY names the bytes; those of the device. */
int dp_reach_device_open(struct dp_reach_device **out, struct dev *d, const struct dp_cells *cells,
			 int64_t largest, struct err *e);
/* Bytes for decisions that the device has beside the arrays and items of up to `segments` segments;
 * negative if it has not enough for those. Errors: those of the device. */
int dp_reach_device_room(const struct dp_reach_device *x, int64_t segments, int64_t *bytes,
			 struct err *e);
/* Allocates memory for decisions, once. Errors: ERR_MEMORY; those of the device. */
int dp_reach_device_keep(struct dp_reach_device *x, int64_t bytes, struct err *e);
/* Waits for the device. x may be NULL. */
void dp_reach_device_close(struct dp_reach_device *x);
/* Queues the next item. The segments are copied. Its decisions go to the byte `bits_at`, a multiple
 * of 4; -1: none are kept. Waits for the item before the last one. */
int dp_reach_device_item(struct dp_reach_device *x, const struct dp_segment *segment, int64_t count,
			 int64_t cells, int64_t gain, int64_t bits_at, struct err *e);
/* Waits for all items, and copies the first `cells` cells of the last array to the host. */
int dp_reach_device_read(struct dp_reach_device *x, void *last, int64_t cells, struct err *e);
/* Waits for the device. *taken tells whether the cell takes its item, whose decisions begin at the
 * byte `bits_at`. */
int dp_reach_device_decision(struct dp_reach_device *x, int64_t bits_at, int64_t cell, bool *taken,
			     struct err *e);
/* Bytes allocated on the device at most. */
int64_t dp_reach_device_memory(const struct dp_reach_device *x);

#endif
