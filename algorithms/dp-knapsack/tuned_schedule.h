/* The list of passes of the tuned solver (kernels/dp-knapsack/tuned.h): which items, which cells on
 * which device, how they are cut into tiles, where the result goes. Host only. */
#ifndef COPRA_DP_KNAPSACK_TUNED_SCHEDULE_H
#define COPRA_DP_KNAPSACK_TUNED_SCHEDULE_H

#include "kernels/dp-knapsack/tuned.h"
#include "algorithms/dp-knapsack/plan.h"

/* What the geometry may use; dp_tuned_choose_shape gives what suits a device. */
struct dp_tuned_shape {
	int threads; /* threads per block; a multiple of 32 */
	int blocks;  /* blocks resident on a device */
	int devices;
	int64_t cells_a_device; /* least number of cells per device: a pass over fewer cells uses
				   fewer devices */
	bool cells_64;
};

/* The items of the plan that one pass applies, from `first` on: `count` times `unit` identical ones
 * (merged, if there are more than a pass can hold), or with unit 1 any items of one weight (class)
 * or any items (fused). */
struct dp_tuned_step {
	int64_t first, count, unit;
	int64_t weight; /* of one unit; 0 in a fused step */
};

/* Cuts the plan's items into steps of the form (not DP_AUTO). The caller frees *out. ERR_MEMORY. */
int dp_tuned_steps(const struct dp_plan *p, enum dp_form form, const struct dp_tuned_shape *shape,
		   struct dp_tuned_step **out, int64_t *count, struct err *e);

/* Makes class steps of the sorted items begin .. end - 1 only. */
int dp_tuned_class_steps(const struct dp_plan *p, const struct dp_tuned_shape *shape, int64_t begin,
			 int64_t end, struct dp_tuned_step **out, int64_t *count, struct err *e);

/* Whether the form's kernels can hold this plan. If not, its weights or capacity are too large. */
bool dp_tuned_fits(const struct dp_plan *p, enum dp_form form, const struct dp_tuned_shape *shape);

/* Whether values may need 64 bits: the sum of profits exceeds what 32-bit cells can hold. */
bool dp_tuned_needs_64(const struct dp_plan *p);

/* A growing list of passes. */
struct dp_schedule {
	const struct dp_plan *plan;
	enum dp_form form;
	struct dp_tuned_shape shape;
	struct dp_tuned_pass
		*pass; /* (pass_count + 1) * devices rows; the last one ends the list */
	int64_t pass_count, pass_room;
	int64_t *gain; /* of each operation */
	int32_t *shift;
	int64_t op_count, op_room;
	int64_t zones[DP_TUNED_GPUS], tiles[DP_TUNED_GPUS];
	double cells_done; /* add-max operations of all tiles, halos included (class, fused: per
			      cell and item) */
	double bytes;      /* read and written by all passes, without halos */
};

/* Makes an empty list. Copies the shape and borrows the plan. */
void dp_schedule_init(struct dp_schedule *s, const struct dp_plan *p, enum dp_form form,
		      const struct dp_tuned_shape *shape);
void dp_schedule_destroy(struct dp_schedule *s);

/* Begins the list with a pass that another schedule ran: one row per device, no tiles.
 * ERR_MEMORY. */
int dp_schedule_resume(struct dp_schedule *s, const struct dp_tuned_pass *rows, struct err *e);

/* Adds the pass of a step, for the cells low .. high after it. Row d of *rows, valid until the next
 * call, is that of device d; the caller sets its `store`. ERR_MEMORY. */
int dp_schedule_add(struct dp_schedule *s, const struct dp_tuned_step *step, int64_t low,
		    int64_t high, struct dp_tuned_pass **rows, struct err *e);

#endif
