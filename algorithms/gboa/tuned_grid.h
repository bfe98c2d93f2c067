/* Inside of the grid engine (boa_grid_runs): one run on one whole device. */
#ifndef COPRA_GBOA_TUNED_GRID_H
#define COPRA_GBOA_TUNED_GRID_H

#include "kernels/gboa/grid.h"
#include "algorithms/gboa/boa.h"

/* How learning is divided over a grid. */
struct grid_plan {
	struct grid_task *task;
	int tasks, groups;
};

/* For n variables and so many blocks. */
int grid_plan_create(struct grid_plan *g, int32_t n, int blocks, struct err *e);
void grid_plan_destroy(struct grid_plan *g);

/* Sizes beyond which a run is for another engine. */
enum { GRID_VARIABLES_MAX = 4096, GRID_SELECTED_MAX = 65504 };

/* What a run hands over, pinned. */
struct grid_outcome {
	struct grid_state state;
	uint8_t bits[GRID_VARIABLES_MAX];
};

/* A device with all that runs of one shape need on it, one run at a time. */
struct grid_place {
	struct dev *device;
	struct dev_stream *stream;
	const struct grid_kernels *kernels;
	struct grid_arguments arguments;
	size_t shared_bytes;
	int blocks;
	void *memory;
	size_t counters, cleared; /* bytes from its start that a launch, a run finds to be 0 */
	struct grid_outcome *outcome;
	int32_t chunk;       /* generations of a launch */
	struct boa_run *run; /* NULL: idle */
};

int grid_place_open(struct grid_place *p, const struct boa_setup *s, struct dev *d,
		    bool last_population, struct err *e);
void grid_place_close(struct grid_place *p);
/* Begins a run; then a launch after the other until grid_place_finish says that it is done. */
int grid_place_begin(struct grid_place *p, struct boa_run *run, uint64_t seed, struct err *e);
int grid_place_launch(struct grid_place *p, struct err *e);
int grid_place_finish(struct grid_place *p, bool *done, struct err *e);

#endif
