/* How far the host runs ahead of a GPU, and when a run has to end early. */
#ifndef COPRA_DP_KNAPSACK_PACING_H
#define COPRA_DP_KNAPSACK_PACING_H

#include "algorithms/dp-knapsack/knapsack_dp.h"

/* Launches are asynchronous. kp_pace_queued() waits now and then for older ones, so that a stop or
 * a time limit takes effect within milliseconds and progress is true, without ever leaving the GPU
 * idle. Driven by the stream's thread. */
struct kp_pace {
	struct dev_stream *stream;
	struct dev_event *mark[2];
	int marks;
	int64_t cells; /* queued since the last mark */
};

int kp_pace_open(struct kp_pace *p, struct dev_stream *s, struct err *e);
void kp_pace_close(struct kp_pace *p);
int kp_pace_queued(struct kp_pace *p, int64_t cells, struct err *e);

/* ERR_LIMIT where the request's stop flag is set or `deadline` (clock_wall, 0 = none) has passed;
 * reports progress now and then. `done` of `total` items. */
int kp_pace_check(const struct kp_request *r, double deadline, int64_t done, int64_t total,
		  struct err *e);

#endif
