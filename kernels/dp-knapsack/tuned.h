/* Kernels of the tuned knapsack solver: a list of passes over f, run by one launch a device.
 *
 * A pass takes f from before to after one step of the plan (plan.h): a weight class, a run of
 * identical items or a group of items. It is cut into tiles; a tile is read, kept in registers
 * (class, merged) or shared memory (fused) while all items of the pass are applied, and written
 * once. The cells that a tile's own cells depend on, its halo, are read and computed with it.
 *
 * Geometry. Class and merged: the cells c, c + w, c + 2w, ... form a chain; the device's cells of
 * the pass are rows of w cells. A tile is `columns` neighbouring residues times `segments * rows`
 * rows, a thread holds `rows` cells of one chain, a block `segments` threads along a chain; the
 * first `halo` rows are redundant. Bands of segments * rows - halo rows divide the range, `groups`
 * of columns a band. Fused: a band is a run of cells, one tile; weight 1, groups 1, halo cells.
 *
 * Order. Blocks draw tickets; tickets count the tiles of pass 0, of pass 1, ..., in each pass from
 * the highest band down. A tile waits until the bands of the previous pass that it reads, and those
 * that still read what it overwrites, are complete: they all have lower tickets, so that every
 * block that waits waits for one that runs, and there is no barrier between passes. Bands are
 * counted in zones.
 *
 * Several devices. A pass divides its range among the devices in ascending order; a tile reads a
 * cell from the memory of the device that wrote it, and looks at that device's zone counters, over
 * NVLink. There is neither host nor copy in the loop.
 *
 * Memory. A device's cells lie in one allocation; the cell c that pass k wrote is at index
 * store + c, so that a pass may write to one of two or three alternating arrays or to a place of
 * its own, kept for the way back. All tables are in device memory, a copy on each device. Cells
 * above `saturated` are not read, they have the value given; where pass 0 reads any it finds them
 * by row -1 of its table. */
#ifndef COPRA_KERNELS_DP_KNAPSACK_TUNED_H
#define COPRA_KERNELS_DP_KNAPSACK_TUNED_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/device/device.h"

enum {
	DP_TUNED_GPUS = 8,
	DP_TUNED_THREADS = 512,       /* most threads a block; half of it where cells are int64_t */
	DP_TUNED_ITEMS = 512,         /* most items (operations) of a pass */
	DP_TUNED_SHIFT = 5,           /* merged: an operation moves at most 2^5 rows */
	DP_TUNED_EXCHANGE = 4,        /* class: items between two exchanges of neighbours */
	DP_TUNED_FUSED_CELLS = 95,    /* fused: cells a thread; odd, to spread over the banks */
	DP_TUNED_FUSED_CELLS_64 = 47, /* likewise where cells are int64_t */
};

/* One pass on one device. Row k * devices + d of the table; one row a device more ends it, whose
 * tile_first is the number of tiles. */
struct dp_tuned_pass {
	int64_t store;           /* index of cell 0 in the device's cells, for what is written */
	int64_t saturated_value; /* value, before the pass, of the cells above `saturated` */
	int32_t saturated;
	int32_t low, cells; /* written here: low .. low + cells - 1; cells may be 0 */
	int32_t weight;
	int32_t tile_first; /* ticket of the first tile */
	int32_t halo;
	int32_t rows, columns, groups, segments;
	int32_t bands, band_cells;
	int32_t zone_first, zone_bands; /* first counter; bands counted together */
	int32_t op_first, op_count;
};

struct dp_tuned_run {
	const struct dp_tuned_pass *pass;
	const void *gain;     /* of each operation, in the cells' type */
	const int32_t *shift; /* merged: log2 of the rows it moves; fused: cells; class: unused */
	int32_t pass_count, devices, self;
	int32_t lag;      /* pass k overwrites cells that pass k - lag reads: the number of
			     arrays that take turns, less one */
	bool cells_64;    /* cells are int64_t, else int32_t */
	unsigned *ticket; /* at the start: tile_first of pass 0 */
	unsigned *zone[DP_TUNED_GPUS]; /* counters, zero at the start on every device */
	void *cell[DP_TUNED_GPUS];
};

/* The way back through class or merged passes whose outputs were all kept: from the capacity and
 * value after the last pass, how many units each took. */
struct dp_tuned_trace {
	const struct dp_tuned_pass *pass; /* as in the run */
	const int64_t *profit; /* of the best 0, 1, ... units of pass k: from profit[first[k]] */
	const int64_t *first;  /* pass_count + 1 */
	int32_t pass_count, devices;
	bool cells_64;
	int64_t *position; /* in: capacity, value; out: those before pass 0 */
	int32_t *taken;    /* out, one a pass; -1 where no number fits */
	const void *cell[DP_TUNED_GPUS];
};

struct dp_tuned_kernels {
	/* Asynchronous. `threads` a block; `blocks` as many as shall run at once. */
	int (*class_pass)(struct dev_stream *s, const struct dp_tuned_run *r, int blocks,
			  int threads, struct err *e);
	int (*merged_pass)(struct dev_stream *s, const struct dp_tuned_run *r, int blocks,
			   int threads, struct err *e);
	int (*fused_pass)(struct dev_stream *s, const struct dp_tuned_run *r, int blocks,
			  int threads, struct err *e);
	int (*trace)(struct dev_stream *s, const struct dp_tuned_trace *t, struct err *e);
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct dp_tuned_kernels dp_tuned_kernels_sim;
#if COPRA_HAVE_CUDA
extern const struct dp_tuned_kernels dp_tuned_kernels_cuda;
#endif
#ifdef __cplusplus
}
#endif

static inline const struct dp_tuned_kernels *dp_tuned_kernels_for(const struct dev *d)
{
#if COPRA_HAVE_CUDA
	if (dev_backend_of(d) == DEV_CUDA)
		return &dp_tuned_kernels_cuda;
#endif
	(void)d;
	return &dp_tuned_kernels_sim;
}

#endif
