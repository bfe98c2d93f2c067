/* The chosen items, by a way back through the passes.
 *
 * Where memory suffices every pass writes to a place of its own instead of to one of two arrays
 * that take turns: f after every pass is then at hand and costs no time at all on the way forward.
 * Otherwise some passes are kept (checkpoints), and on the way back each segment between two of
 * them is run again from its checkpoint, keeping every pass: from capacity c at its end only the
 * cells from c down to c - (weight of the segment's later items) can matter, so that little is run
 * twice. A fused segment is run again by weight classes.
 *
 * The way back itself is one small kernel a segment (tuned_trace.cu). */
#ifndef COPRA_DP_KNAPSACK_TUNED_ITEMS_H
#define COPRA_DP_KNAPSACK_TUNED_ITEMS_H

#include "algorithms/dp-knapsack/tuned_run.h"

/* Runs the empty schedule's form over the whole plan and fills value (without base_value), taken,
 * seconds_search and seconds_items, within the request's memory budget: ERR_MEMORY names the bytes
 * that would do. */
int tuned_items(struct tuned_team *t, const struct kp_plan *p, struct tuned_schedule *s,
		struct kp_answer *a, struct err *e);

#endif
