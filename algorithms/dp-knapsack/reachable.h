/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The recursion on the capacities that matter.
 *
 * The items are taken in the order of falling weights: the sums of the light ones, which remain,
 * are few intervals. f_k(c) is here the greatest profit of a choice among the first k items whose
 * weight is exactly c. A capacity c matters after k items if it is reached from below, that is by
 * a choice among the first k items, and from above: the remaining items can bring the weight to
 * C - s .. C. Here s, the slack, is the capacity that a solution may leave unused and still be
 * better than the best one known: with the break item's ratio r, a solution of weight C - s has
 * at most the value of the linear relaxation, less r s (Dantzig 1957; the Lagrangian bound of
 * Martello and Toth, Knapsack Problems, 1990, section 2.3).
 *
 * Both sets are kept as intervals, which may hold more than the set itself. Where the items have
 * similar weights (the instances of Jooken et al. 2022: groups of weights near C/2, C/4, ...),
 * few capacities are in both: 10^7 instead of 10^10. Where all capacities are, this is the dense
 * recursion.
 *
 * The slack is not known before a good solution is. So the search starts from a small one and
 * repeats with a larger one until the solution found shows that it was large enough. */
#ifndef COPRA_DP_KNAPSACK_REACHABLE_H
#define COPRA_DP_KNAPSACK_REACHABLE_H

#include "algorithms/dp-knapsack/capacities.h"
#include "algorithms/dp-knapsack/plan.h"
#include "kernels/dp-knapsack/reachable.h"

/* Solves the request if that takes at most an eighth of the cell updates of Algorithm 1, and if
 * there are many of those. Otherwise sets *solved to false; the answer is then undefined and needs
 * no dp_answer_free(). Errors: those of dp_solve_reachable(). */
int dp_try_reachable(const struct dp_request *r, struct dp_answer *a, bool *solved, struct err *e);

/* What the first round of the form reachable needs, the one of the smallest slack. */
struct dp_reach_work {
	double cells;       /* of all arrays: cell updates */
	double moved_bytes; /* each cell written and read once */
	double array_bytes; /* of the two largest arrays */
	double bit_bytes;   /* of the decisions: for the items without a further round */
	double seconds;     /* in which the sets were computed */
};

/* Computes the sets of the first round alone, on one core. No work if all items fit or the greedy
 * solution is optimal. ERR_LIMIT at the request's time limit; ERR_MEMORY; ERR_INPUT. */
int dp_reach_estimate(const struct dp_request *r, struct dp_reach_work *work, struct err *e);

/* The item of the plan that is taken after `done` others. */
static inline int64_t dp_reach_item(const struct dp_plan *p, int64_t done)
{
	return p->n - 1 - done;
}

/* The sets of capacities of one search, item by item. */
struct dp_reach;

/* Prepares the search for choices of weight low .. high, 0 <= low <= high <= C, among the first
 * `items` >= 1 items. Computes the sets from above. Plan and request are borrowed. ERR_MEMORY;
 * ERR_LIMIT if the request's stop flag is set or `deadline` (clock_wall; 0 = none) has passed. */
int dp_reach_create(struct dp_reach **out, const struct dp_plan *plan,
		    const struct dp_request *request, double deadline, int64_t items, int64_t low,
		    int64_t high, struct err *e);
void dp_reach_destroy(struct dp_reach *r);
/* Goes back to the set before the first item: the capacity 0, or nothing. */
int dp_reach_restart(struct dp_reach *r, struct err *e);
/* Advances by one item. ERR_MEMORY. */
int dp_reach_advance(struct dp_reach *r, struct err *e);
/* The present set. */
const struct dp_capacities *dp_reach_set(const struct dp_reach *r);
/* An item has at most this many segments for each interval of the largest set. */
enum { DP_REACH_SEGMENTS = 6 };

/* The segments of the present set's array, in ascending order; `count` receives their number. Valid
 * until the next advance but one. ERR_MEMORY. */
int dp_reach_segments(struct dp_reach *r, const struct dp_segment **segments, int64_t *count,
		      struct err *e);

#endif
