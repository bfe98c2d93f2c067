/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of the tuned knapsack solver: a list of passes over f, run by one launch per device.
 *
 * A pass applies one step of the plan (plan.h) to f: a weight class, a run of identical items or a
 * group of items. It is cut into tiles. A tile is read, kept in registers (class, merged) or shared
 * memory (fused) while all items of the pass are applied, and written once. The cells that a tile's
 * own cells depend on, its halo, are read and computed with it.
 *
 * Geometry. Class and merged: the cells c, c + w, c + 2w, ... form a chain; the device's cells of
 * the pass are rows of w cells. A tile has `columns` neighbouring residues and `segments * rows`
 * rows. A thread holds `rows` cells of one chain, a block has `segments` threads along a chain; the
 * first `halo` rows are redundant. Bands of segments * rows - halo rows divide the range, with
 * `groups` of columns per band. Fused: a band is a run of cells and one tile; weight and groups are
 * 1, and the halo is counted in cells.
 *
 * Pairs. A pass of class or fused may hold two cells in 32 bits (tuned_pairs.cuh), its `lanes`.
 * Class: a thread has two chains, `columns` residues apart, and a group has twice as many columns.
 * Fused: a tile is two windows, one after the other, each with a halo of its own.
 *
 * Order. Blocks draw tickets. Tickets count the tiles of pass 0, then of pass 1, and so on, in each
 * pass from the highest band down. A tile waits for the bands of the previous pass that it reads,
 * and for the bands of an earlier pass that still read what it overwrites. All of these have lower
 * tickets, so a block waits only for blocks that are running, and there is no barrier between
 * passes. Bands are counted in zones.
 *
 * Several devices. A pass divides its range among the devices in ascending order. A tile reads a
 * cell from the memory of the device that wrote it and polls that device's zone counters, over
 * NVLink. The loop involves neither the host nor copies.
 *
 * Memory. A device's cells are in one allocation. Cell c written by pass k has index store + c, so
 * the passes may alternate between two or three arrays, or each may write to a separate array that
 * is kept for the traceback. All tables are in device memory, with a copy on each device. Cells
 * above `saturated` are not read; they have the value given. If pass 0 reads any cells, it finds
 * them through row -1 of its table. */
#ifndef COPRA_KERNELS_DP_KNAPSACK_TUNED_H
#define COPRA_KERNELS_DP_KNAPSACK_TUNED_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/device/device.h"

enum {
	DP_TUNED_GPUS = 8,
	DP_TUNED_THREADS = 512,       /* most threads per block; half of it if cells are int64_t */
	DP_TUNED_ITEMS = 512,         /* most items (operations) per pass */
	DP_TUNED_SHIFT = 5,           /* merged: an operation moves by at most 2^5 rows */
	DP_TUNED_EXCHANGE = 4,        /* class: items between two exchanges with neighbours */
	DP_TUNED_FUSED_ITEMS = 64,    /* fused: most items per pass */
	DP_TUNED_FUSED_CELLS = 95,    /* fused: cells per thread; odd, to spread over the banks */
	DP_TUNED_FUSED_CELLS_64 = 47, /* the same if cells are int64_t */
};

/* One pass on one device: row k * devices + d of the table. A final row per device ends the table;
 * its tile_first is the number of tiles. */
struct dp_tuned_pass {
	int64_t store;           /* index of cell 0 in the device's cells, for writing */
	int64_t saturated_value; /* value of the cells above `saturated` before the pass */
	int32_t saturated;
	int32_t low, cells; /* writes low .. low + cells - 1; cells may be 0 */
	int32_t weight;
	int32_t tile_first; /* ticket of the first tile */
	int32_t halo;
	int32_t rows, columns, groups, segments;
	int32_t lanes; /* cells per register: 2, or 1 */
	int32_t bands, band_cells;
	int32_t zone_first, zone_bands; /* first counter; bands per counter */
	int32_t op_first, op_count;
};

struct dp_tuned_run {
	const struct dp_tuned_pass *pass;
	const void *gain; /* of each operation, in the type of the cells */
	const int32_t
		*shift; /* merged: log2 of the rows it moves by; fused: cells; class: unused */
	int32_t pass_count, devices, self;
	int32_t lag;   /* pass k overwrites cells that pass k - lag reads: the number of alternating
			  arrays, minus one */
	bool cells_64; /* cells are int64_t, else int32_t */
	unsigned *ticket;              /* initially tile_first of pass 0 */
	unsigned *zone[DP_TUNED_GPUS]; /* counters, initially zero on every device */
	void *cell[DP_TUNED_GPUS];
};

/* The traceback through class or merged passes whose outputs were all kept: finds, from the
 * capacity and value after the last pass, how many units each pass took. */
struct dp_tuned_trace {
	const struct dp_tuned_pass *pass; /* as in struct dp_tuned_run */
	const int64_t *
		profit; /* profit of the best 0, 1, ... units of pass k, from profit[first[k]] on */
	const int64_t *first; /* pass_count + 1 */
	int32_t pass_count, devices;
	bool cells_64;
	int64_t *position; /* in: capacity, value; out: those before pass 0 */
	int32_t *taken;    /* out, one per pass; -1 if no number fits */
	const void *cell[DP_TUNED_GPUS];
};

struct dp_tuned_kernels {
	/* Asynchronous. `threads` per block; `blocks` are to run at once. */
	int (*class_pass)(struct dev_stream *s, const struct dp_tuned_run *r, int blocks,
			  int threads, struct err *e);
	int (*merged_pass)(struct dev_stream *s, const struct dp_tuned_run *r, int blocks,
			   int threads, struct err *e);
	int (*fused_pass)(struct dev_stream *s, const struct dp_tuned_run *r, int blocks,
			  int threads, struct err *e);
	int (*trace)(struct dev_stream *s, const struct dp_tuned_trace *t, struct err *e);
};

DEV_KERNELS(struct dp_tuned_kernels, dp_tuned_kernels);

#endif
