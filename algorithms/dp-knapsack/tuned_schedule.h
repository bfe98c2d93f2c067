/* The list of passes of the tuned solver (kernels/dp-knapsack/tuned.h): which items, which cells on
 * which device, how cut into tiles, where to put the result. Host only. */
#ifndef COPRA_DP_KNAPSACK_TUNED_SCHEDULE_H
#define COPRA_DP_KNAPSACK_TUNED_SCHEDULE_H

#include "kernels/dp-knapsack/tuned.h"
#include "algorithms/dp-knapsack/plan.h"

/* What the geometry may use; tuned_shape_of gives what suits a device. */
struct dp_tuned_shape {
	int threads; /* a block; a multiple of 32 */
	int blocks;  /* resident on a device */
	int devices;
	int64_t cells_a_device; /* a pass uses no more devices than leaves each so many cells */
	bool cells_64;
};

/* Items of the plan that one pass applies: `count` times `unit` identical ones from `first` on
 * (merged, more than a pass can hold), or with unit 1 any of one weight (class) or any at all
 * (fused). */
struct dp_tuned_step {
	int64_t first, count, unit;
	int64_t weight; /* of one unit; 0 in a fused step */
};

/* Cuts the plan's items into steps of the form (not DP_AUTO); `*out` is freed by the caller. */
int dp_tuned_steps(const struct dp_plan *p, enum dp_form form, const struct dp_tuned_shape *shape,
		   struct dp_tuned_step **out, int64_t *count, struct err *e);

/* Class steps of the sorted items begin .. end - 1 alone. */
int dp_tuned_class_steps(const struct dp_plan *p, const struct dp_tuned_shape *shape, int64_t begin,
			 int64_t end, struct dp_tuned_step **out, int64_t *count, struct err *e);

/* Can the form's kernels hold this plan at all? Otherwise its weights or capacity are too large. */
bool dp_tuned_fits(const struct dp_plan *p, enum dp_form form, const struct dp_tuned_shape *shape);

/* Values may need 64 bits: the sum of profits is beyond what 32-bit cells are exact for. */
bool dp_tuned_needs_64(const struct dp_plan *p);

/* A growing list of passes. */
struct dp_schedule {
	const struct dp_plan *plan;
	enum dp_form form;
	struct dp_tuned_shape shape;
	struct dp_tuned_pass
		*pass; /* (pass_count + 1) * devices rows, the last one ends the list */
	int64_t pass_count, pass_room;
	int64_t *gain; /* of each operation */
	int32_t *shift;
	int64_t op_count, op_room;
	int64_t zones[DP_TUNED_GPUS], tiles[DP_TUNED_GPUS];
	double cells_done; /* add-max of all tiles, halos included (class, fused: a cell and item)
			    */
	double bytes;      /* read and written by all passes, halos left out */
};

void dp_schedule_init(struct dp_schedule *s, const struct dp_plan *p, enum dp_form form,
		      const struct dp_tuned_shape *shape);
void dp_schedule_destroy(struct dp_schedule *s);

/* Begins the list with a pass that another schedule ran: one row a device, no tiles. */
int dp_schedule_resume(struct dp_schedule *s, const struct dp_tuned_pass *rows, struct err *e);

/* Adds the pass of a step for the cells low .. high after it. Row d of *rows, valid until the next
 * call, is device d's; the caller sets its `store`. */
int dp_schedule_add(struct dp_schedule *s, const struct dp_tuned_step *step, int64_t low,
		    int64_t high, struct dp_tuned_pass **rows, struct err *e);

#endif
