/* Devices, streams and memory of the tuned solver, and the running of a schedule on them. */
#ifndef COPRA_DP_KNAPSACK_TUNED_RUN_H
#define COPRA_DP_KNAPSACK_TUNED_RUN_H

#include "algorithms/dp-knapsack/tuned_schedule.h"

/* The devices that work together, each with a stream of its own. */
struct tuned_team {
	const struct kp_tuned_kernels *kernels;
	int count;
	struct dev *dev[KP_TUNED_GPUS];
	struct dev_stream *stream[KP_TUNED_GPUS];
	struct dev_event *start[KP_TUNED_GPUS], *stop[KP_TUNED_GPUS];
	void *cell[KP_TUNED_GPUS];        /* the cells of all passes, tuned_team_cells */
	int64_t cell_bytes;               /* on each device */
	int64_t bytes, peak;              /* device memory allocated now and at most, all devices */
	const struct kp_request *request; /* for stop, time limit, progress; borrowed */
	double deadline;                  /* clock_wall() at which to stop, 0 = none */
};

/* The request's first `gpus` devices, all with access to one another. */
int tuned_team_open(struct tuned_team *t, const struct kp_request *r, struct err *e);
void tuned_team_close(struct tuned_team *t);

/* What the form's kernels like on these devices. */
int tuned_team_shape(const struct tuned_team *t, enum kp_form form, bool cells_64,
		     struct tuned_shape *shape, struct err *e);

/* (Re)allocates `bytes` for cells on each device; what was there is lost. */
int tuned_team_cells(struct tuned_team *t, int64_t bytes, struct err *e);

/* How many arrays take turns: with two a device would wait in every pass for the end of its upper
 * neighbour's last one, with a third it may run ahead. */
static inline int tuned_arrays(int devices)
{
	return devices > 1 ? 3 : 2;
}

/* Runs the schedule's passes from `first` on (those before it only say where their cells lie) and
 * adds the devices' time to *seconds. ERR_LIMIT when stopped. */
int tuned_team_run(struct tuned_team *t, const struct tuned_schedule *s, int64_t first,
		   double *seconds, struct err *e);

/* Value of cell c after the schedule's last pass. */
int tuned_team_value(struct tuned_team *t, const struct tuned_schedule *s, int64_t c,
		     int64_t *value, struct err *e);

/* Goes back through the passes from `first` on, all of them kept, from position[0] = capacity and
 * position[1] = value, which become those before pass `first`. taken[k] is for pass first + k;
 * steps[k] is its step. */
int tuned_team_trace(struct tuned_team *t, const struct tuned_schedule *s, int64_t first,
		     const struct tuned_step *steps, int64_t position[2], int32_t *taken,
		     struct err *e);

#endif
