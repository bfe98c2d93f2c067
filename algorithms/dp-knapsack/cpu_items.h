/* The chosen items, from checkpoints: going backwards, only the window of capacities that a path
 * can reach is computed again between two checkpoints, with checkpoints of its own, until one step
 * is left, whose number of items the values before and after it tell. */
#ifndef COPRA_DP_KNAPSACK_CPU_ITEMS_H
#define COPRA_DP_KNAPSACK_CPU_ITEMS_H

#include "algorithms/dp-knapsack/cpu_engine.h"

/* Values f_b(c) at a step boundary: for c = hi, hi - 1, .. lo in `values`, constant above hi. */
struct kp_saved {
	int64_t step, lo, hi;
	void *values;
};

struct kp_trace {
	const struct kp_engine *engine;
	const struct kp_plan *plan;
	const struct kp_step *steps;
	const struct kp_cells *cells;
	int64_t budget; /* bytes for windows and their checkpoints */
	int64_t used, peak;
	uint8_t *taken; /* flags by position in the instance */
	double cells_done;
};

/* Where the path stands: at boundary `step`, capacity c, value f_step(c). */
struct kp_path {
	int64_t step, c, value;
};

/* Follows the path from path->step down to the boundary of `from`, marking what it takes. */
int kp_trace_back(struct kp_trace *t, const struct kp_saved *from, struct kp_path *path,
		  struct err *e);

#endif
