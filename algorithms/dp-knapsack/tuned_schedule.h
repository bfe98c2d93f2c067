/* The list of passes of the tuned solver (kernels/dp-knapsack/tuned.h): which items, which cells on
 * which device, how cut into tiles, where to put the result. Host only. */
#ifndef COPRA_DP_KNAPSACK_TUNED_SCHEDULE_H
#define COPRA_DP_KNAPSACK_TUNED_SCHEDULE_H

#include "kernels/dp-knapsack/tuned.h"
#include "algorithms/dp-knapsack/plan.h"

/* What the geometry may use; tuned_shape_of gives what suits a device. */
struct tuned_shape {
	int threads; /* a block; a multiple of 32 */
	int blocks;  /* resident on a device */
	int devices;
	int64_t cells_a_device; /* a pass uses no more devices than leaves each so many cells */
	bool cells_64;
};

/* Items of the plan that one pass applies: `count` times `unit` identical ones from `first` on
 * (merged, more than a pass can hold), or with unit 1 any of one weight (class) or any at all
 * (fused). */
struct tuned_step {
	int64_t first, count, unit;
	int64_t weight; /* of one unit; 0 in a fused step */
};

/* Cuts the plan's items into steps of the form (not KP_AUTO); `*out` is freed by the caller. */
int tuned_steps(const struct kp_plan *p, enum kp_form form, const struct tuned_shape *shape,
		struct tuned_step **out, int64_t *count, struct err *e);

/* Class steps of the sorted items begin .. end - 1 alone. */
int tuned_class_steps(const struct kp_plan *p, const struct tuned_shape *shape, int64_t begin,
		      int64_t end, struct tuned_step **out, int64_t *count, struct err *e);

/* Can the form's kernels hold this plan at all? Otherwise its weights or capacity are too large. */
bool tuned_fits(const struct kp_plan *p, enum kp_form form, const struct tuned_shape *shape);

/* Values may need 64 bits: the sum of profits is beyond what 32-bit cells are exact for. */
bool tuned_needs_64(const struct kp_plan *p);

/* A growing list of passes. */
struct tuned_schedule {
	const struct kp_plan *plan;
	enum kp_form form;
	struct tuned_shape shape;
	struct kp_pass *pass; /* (pass_count + 1) * devices rows, the last one ends the list */
	int64_t pass_count, pass_room;
	int64_t *gain; /* of each operation */
	int32_t *shift;
	int64_t op_count, op_room;
	int64_t zones[KP_TUNED_GPUS], tiles[KP_TUNED_GPUS];
	double cells_done; /* add-max of all tiles, halos included (class, fused: a cell and item)
			    */
	double bytes;      /* read and written by all passes, halos left out */
};

void tuned_schedule_init(struct tuned_schedule *s, const struct kp_plan *p, enum kp_form form,
			 const struct tuned_shape *shape);
void tuned_schedule_destroy(struct tuned_schedule *s);

/* Begins the list with a pass that another schedule ran: one row a device, no tiles. */
int tuned_schedule_resume(struct tuned_schedule *s, const struct kp_pass *rows, struct err *e);

/* Adds the pass of a step for the cells low .. high after it. Row d of *rows, valid until the next
 * call, is device d's; the caller sets its `store`. */
int tuned_schedule_add(struct tuned_schedule *s, const struct tuned_step *step, int64_t low,
		       int64_t high, struct kp_pass **rows, struct err *e);

#endif
