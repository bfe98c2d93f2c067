/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* What the sources of the tuned solver share.
 *
 * tuned_schedule.c makes the list of passes (kernels/dp-knapsack/tuned.h): which items, which cells
 * on which device, how they are cut into tiles, where the result goes. It needs no device.
 * tuned_run.c owns the devices, streams and memory, and runs a list on them. tuned.c chooses the
 * form and finds the items. */
#ifndef COPRA_DP_KNAPSACK_TUNED_H
#define COPRA_DP_KNAPSACK_TUNED_H

#include "kernels/dp-knapsack/tuned.h"
#include "algorithms/dp-knapsack/plan.h"

/* ---- the list of passes ---- */

/* The launch: what the geometry of a pass may use. */
struct dp_tuned_shape {
	int threads; /* threads per block; a multiple of 32 */
	int blocks;  /* blocks resident on a device */
	int devices;
	int64_t cells_a_device; /* least number of cells per device: a pass over fewer cells uses
				   fewer devices */
	int64_t fused_items;    /* most items of a fused pass */
	int64_t fused_rounds;   /* most rounds of windows for which a fused pass has no pairs */
	double path;            /* class: the estimated time of a pass with pairs is at least this
				   many times that of a tile whose pairs do not fit */
	bool cells_64;
	bool pairs; /* passes may hold two cells of 16 bits in a register */
};

/* The items of the plan that one pass applies, from `first` on: `count` times `unit` identical ones
 * (merged, if there are more than a pass can hold), or with unit 1 any items of one weight (class)
 * or any items (fused). */
struct dp_tuned_step {
	int64_t first, count, unit;
	int64_t weight; /* of one unit; 0 in a fused step */
};

/* Cuts the plan's items begin .. end - 1 into steps of the form (not DP_AUTO). begin = 0 and
 * end = p->n, except that DP_CLASS allows any range. The caller frees *out. ERR_MEMORY. */
int dp_tuned_steps(const struct dp_plan *p, enum dp_form form, const struct dp_tuned_shape *shape,
		   int64_t begin, int64_t end, struct dp_tuned_step **out, int64_t *count,
		   struct err *e);

/* Whether the form's kernels can hold this plan. If not, its weights or capacity are too large. */
bool dp_tuned_fits(const struct dp_plan *p, enum dp_form form, const struct dp_tuned_shape *shape);

/* A growing list of passes. An empty one has `plan` (borrowed), `form` and `shape` set, perhaps
 * `constant_cells`, and all else zero. */
struct dp_schedule {
	const struct dp_plan *plan;
	enum dp_form form;
	struct dp_tuned_shape shape;
	bool constant_cells; /* the passes write all cells, up to the capacity, and read them all */
	struct dp_tuned_pass
		*pass; /* (pass_count + 1) * devices rows; the last one ends the list */
	int64_t pass_count, pass_room;
	int64_t *gain; /* of each operation */
	int32_t *shift;
	int64_t op_count, op_room;
	int64_t zones[DP_TUNED_GPUS], tiles[DP_TUNED_GPUS];
	int64_t cells;     /* set by the caller before the run: cells to allocate on each device; 0:
			  keep the allocation */
	double cells_done; /* add-max operations of all tiles, halos included (class, fused: per
			      cell and item) */
	double cells_paired; /* of these, those of passes with two cells in a register */
	double bytes;        /* read and written by all passes, without halos */
};

void dp_schedule_destroy(struct dp_schedule *s);

/* Begins the list with a pass that another schedule ran: one row per device, no tiles.
 * ERR_MEMORY. */
int dp_schedule_resume(struct dp_schedule *s, const struct dp_tuned_pass *rows, struct err *e);

/* Adds the pass of a step, for the cells low .. high after it. Row d of *rows, valid until the next
 * call, is that of device d; the caller sets its `store`. ERR_MEMORY. */
int dp_schedule_add(struct dp_schedule *s, const struct dp_tuned_step *step, int64_t low,
		    int64_t high, struct dp_tuned_pass **rows, struct err *e);

/* ---- running it ---- */

/* Device memory that the runs share. An allocation and its release take longer than a short run. */
struct dp_tuned_block {
	void *at[DP_TUNED_GPUS];
	int64_t bytes; /* on each device */
};

/* The devices that work together, each with its own stream. */
struct dp_tuned_devices {
	const struct dp_tuned_kernels *kernels;
	int count;
	struct dev *dev[DP_TUNED_GPUS];
	struct dev_stream *stream[DP_TUNED_GPUS];
	struct dev_event *start[DP_TUNED_GPUS], *stop[DP_TUNED_GPUS];
	struct dp_tuned_block cells;  /* of all passes */
	struct dp_tuned_block tables; /* the list of passes */
	struct dp_tuned_block trace;  /* on the first device */
	bool warm[DP_MERGED + 1];     /* forms whose kernel has run */
	int64_t bytes, peak; /* device memory allocated now and at its peak, over all devices */
	const struct dp_request *request; /* for stop and time limit; borrowed */
	double deadline;                  /* clock_wall() at which to stop; 0 = none */
	double first_pass;                /* clock_wall() at the first pass; 0: none has begun */
};

/* Opens the request's first `gpus` devices, or the first alone if `first`, all with access to one
 * another. The request's time limit counts from `begin`, a clock_wall(). ERR_USAGE if there are
 * fewer, and the errors of device.h. */
int dp_tuned_open(struct dp_tuned_devices *t, const struct dp_request *r, bool first, double begin,
		  struct err *e);
void dp_tuned_close(struct dp_tuned_devices *t);

/* Whether more of the request's devices shorten this form (fused, class or merged), with the time
 * to open them: whether Algorithm 1 makes at least so many cell updates. */
bool dp_tuned_pays(const struct dp_request *r, enum dp_form form);

/* The number of arrays between which the passes alternate. With two, a device would wait in every
 * pass for the end of its upper neighbour's previous one; with a third it may run ahead. */
static inline int dp_tuned_arrays(int devices)
{
	return devices > 1 ? 3 : 2;
}

/* Runs the schedule's passes from `first` on (the earlier ones only say where their cells are) and
 * adds the devices' time to *seconds. Sets *value, unless it is NULL, to f at the plan's capacity
 * after the last pass. If the schedule needs more cells than are allocated, earlier cells are lost.
 * ERR_LIMIT when stopped. */
int dp_tuned_run_passes(struct dp_tuned_devices *t, const struct dp_schedule *s, int64_t first,
			double *seconds, int64_t *value, struct err *e);

/* Traces back through the passes from `first` on, all of which were kept. position[0] = capacity
 * and position[1] = value become those before pass `first`. taken[k] receives the number of units
 * taken in pass first + k, whose step is steps[k]. */
int dp_tuned_trace_back(struct dp_tuned_devices *t, const struct dp_schedule *s, int64_t first,
			const struct dp_tuned_step *steps, int64_t position[2], int32_t *taken,
			struct err *e);

#endif
