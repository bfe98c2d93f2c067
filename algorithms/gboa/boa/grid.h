/* tuned, engine grid: each run uses a whole device, one run after another on each device.
 * kernels/gboa/grid.h describes the kernel. */
#ifndef COPRA_GBOA_BOA_GRID_H
#define COPRA_GBOA_BOA_GRID_H

#include "algorithms/gboa/boa.h"
#include "kernels/gboa/grid.h"

boa_runs_function boa_grid_runs;

/* How learning is divided over the blocks of a grid. */
struct boa_grid_plan {
	struct boa_grid_task *task;
	int tasks, groups;
};

/* A plan for n variables on `blocks` blocks. ERR_MEMORY. */
int boa_grid_plan_create(struct boa_grid_plan *g, int32_t n, int blocks, struct err *e);
void boa_grid_plan_destroy(struct boa_grid_plan *g);

#endif
