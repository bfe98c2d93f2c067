/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Limits how far the host runs ahead of a GPU, and ends runs early. */
#ifndef COPRA_DP_KNAPSACK_PACING_H
#define COPRA_DP_KNAPSACK_PACING_H

#include "algorithms/dp-knapsack/dp.h"

/* Launches are asynchronous. dp_pace_queued() sometimes waits for older ones, so that a stop or a
 * time limit takes effect within milliseconds, without leaving the GPU idle. Only the thread that
 * feeds the stream may use it. */
struct dp_pace {
	struct dev_stream *stream;
	struct dev_event *mark[2];
	int marks;
	int64_t cells; /* queued since the last mark */
};

/* Errors are those of dev_event_create; dp_pace_close is needed after them too. */
int dp_pace_open(struct dp_pace *p, struct dev_stream *s, struct err *e);
void dp_pace_close(struct dp_pace *p);
/* Call after queueing an update of `cells` cells. */
int dp_pace_queued(struct dp_pace *p, int64_t cells, struct err *e);

/* ERR_LIMIT if the request's stop flag is set or `deadline` (clock_wall; 0 = none) has passed.
 * The message says that `done` of `total` items were finished. */
int dp_pace_check(const struct dp_request *r, double deadline, int64_t done, int64_t total,
		  struct err *e);

#endif
