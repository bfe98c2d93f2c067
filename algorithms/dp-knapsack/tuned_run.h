/* The devices, streams and memory of the tuned solver, and running a schedule on them. */
#ifndef COPRA_DP_KNAPSACK_TUNED_RUN_H
#define COPRA_DP_KNAPSACK_TUNED_RUN_H

#include "algorithms/dp-knapsack/tuned_schedule.h"

/* The devices that work together, each with its own stream. */
struct dp_tuned_devices {
	const struct dp_tuned_kernels *kernels;
	int count;
	struct dev *dev[DP_TUNED_GPUS];
	struct dev_stream *stream[DP_TUNED_GPUS];
	struct dev_event *start[DP_TUNED_GPUS], *stop[DP_TUNED_GPUS];
	void *cell[DP_TUNED_GPUS]; /* the cells of all passes, see dp_tuned_alloc_cells */
	int64_t cell_bytes;        /* on each device */
	int64_t bytes, peak; /* device memory allocated now and at its peak, over all devices */
	const struct dp_request *request; /* for stop, time limit and progress; borrowed */
	double deadline;                  /* clock_wall() at which to stop; 0 = none */
};

/* Opens the request's first `gpus` devices, all with access to one another. */
int dp_tuned_open(struct dp_tuned_devices *t, const struct dp_request *r, struct err *e);
void dp_tuned_close(struct dp_tuned_devices *t);

/* The launch shape that suits the form's kernels on these devices. */
int dp_tuned_choose_shape(const struct dp_tuned_devices *t, enum dp_form form, bool cells_64,
			  struct dp_tuned_shape *shape, struct err *e);

/* Allocates at least `bytes` for cells on each device; earlier cells may be lost. */
int dp_tuned_alloc_cells(struct dp_tuned_devices *t, int64_t bytes, struct err *e);

/* The number of arrays between which the passes alternate. With two, a device would wait in every
 * pass for the end of its upper neighbour's previous one; with a third it may run ahead. */
static inline int dp_tuned_arrays(int devices)
{
	return devices > 1 ? 3 : 2;
}

/* Runs the schedule's passes from `first` on (the earlier ones only say where their cells are) and
 * adds the devices' time to *seconds. ERR_LIMIT when stopped. */
int dp_tuned_run_passes(struct dp_tuned_devices *t, const struct dp_schedule *s, int64_t first,
			double *seconds, struct err *e);

/* The value of cell c after the schedule's last pass. */
int dp_tuned_value(struct dp_tuned_devices *t, const struct dp_schedule *s, int64_t c,
		   int64_t *value, struct err *e);

/* Traces back through the passes from `first` on, all of which were kept. position[0] = capacity
 * and position[1] = value become those before pass `first`. taken[k] receives the number of units
 * taken in pass first + k, whose step is steps[k]. */
int dp_tuned_trace_back(struct dp_tuned_devices *t, const struct dp_schedule *s, int64_t first,
			const struct dp_tuned_step *steps, int64_t position[2], int32_t *taken,
			struct err *e);

#endif
