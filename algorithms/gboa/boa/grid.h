/* The division of learning over the blocks of a grid, for the grid engine (engines.h). */
#ifndef COPRA_GBOA_BOA_GRID_H
#define COPRA_GBOA_BOA_GRID_H

#include "kernels/gboa/grid.h"

struct boa_grid_plan {
	struct boa_grid_task *task;
	int tasks, groups;
};

/* A plan for n >= 1 variables on `blocks` >= 1 blocks. ERR_MEMORY. */
int boa_grid_plan_create(struct boa_grid_plan *g, int32_t n, int blocks, struct err *e);
void boa_grid_plan_destroy(struct boa_grid_plan *g);

#endif
