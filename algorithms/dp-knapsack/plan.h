/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* What a knapsack solver can compute before the recursion: a bound on the value, smaller weights,
 * and a plan: which items matter, their weight classes and identical kinds, what can be trimmed,
 * where checkpoints go. Host only.
 *
 * The plan. The items kept are sorted by ascending weight and, within a weight, by descending
 * profit. Items that no optimal solution needs are dropped: those heavier than C, without profit,
 * or beyond the best floor(C / w) of their weight. Items without weight but with profit are always
 * taken; their value is `base_value` and is not part of the recursion.
 *
 * A *step* is what one pass applies: a single item (fused), a whole weight class (class), or a run
 * of identical items (merged). The steps are runs of the sorted items, in order, and cover all of
 * them.
 *
 * Trims, for steps 0..S-1 and c in 0..C (sums are over the weights of whole steps):
 *   after step k only the cells C - (weight of the steps after k) <= c matter     (Toth)
 *   cells above W_k = weight of the steps up to k are constant, f_k(c) = f_k(W_k) = P_k
 * So step k updates max(w, C - (W - W_k)) <= c <= min(C, W_k). If W <= C, everything is taken. */
#ifndef COPRA_DP_KNAPSACK_PLAN_H
#define COPRA_DP_KNAPSACK_PLAN_H

#include "algorithms/dp-knapsack/dp.h"

/* The cell updates of Algorithm 1 with Toth's lower end, for the items in the instance's order. */
double dp_toth_cells(const struct knapsack *k);

/* An upper bound on f(C), for choosing the width of a cell: the sum of the profits of the items
 * that fit or, if that exceeds `enough`, the minimum of it and Dantzig's bound of the fractional
 * knapsack. ERR_MEMORY. */
int dp_value_bound(const struct knapsack *k, int64_t enough, int64_t *bound, struct err *e);

/* ---- weights with a common factor ----
 *
 * The tables of dense dynamic programming grow with the capacity. Dividing the weights by their
 * common factor makes the tables smaller by that factor; the answer stays the same. */

struct dp_divided {
	struct knapsack k; /* borrows the profits, and with divisor 1 also the weights */
	int64_t divisor; /* the greatest common divisor of the weights that are neither 0 nor above
			      the capacity; 1 if there are none */
	int64_t *owned;  /* the weights of `k`; NULL with divisor 1 */
};

/* Divides the weights by their common factor: ceil(w / divisor), with capacity floor(C / divisor).
 * The same sets of items fit. Weights are rounded up so that items heavier than the capacity stay
 * too heavy. ERR_MEMORY. */
int dp_divide(struct dp_divided *d, const struct knapsack *k, struct err *e);
void dp_divided_free(struct dp_divided *d);

/* ---- the plan ---- */

/* Items first .. first + count - 1 of the plan. In a class all have the same weight; `uniform`
 * means that they also have the same profit. */
struct dp_step {
	int64_t weight;
	int64_t first, count;
	bool uniform;
};

struct dp_plan {
	const struct knapsack *instance; /* borrowed */
	int64_t capacity;                /* min(C, weight of the kept items) */
	int64_t base_value;
	int64_t n;                /* number of items kept */
	int64_t *item;            /* positions of the items in the instance */
	int64_t *weight, *profit; /* of item[k]; weights ascending */
	int64_t *sum_weight;      /* n + 1 prefix sums: sum_weight[k] = weights of items 0..k-1 */
	int64_t *sum_profit;      /* n + 1 prefix sums of the profits */
	struct dp_step *classes;  /* one per distinct weight */
	int64_t class_count;
	struct dp_step *kinds; /* one per distinct (weight, profit) */
	int64_t kind_count;
	int64_t max_weight; /* of the kept items; 0 if there are none */
};

/* Sorts and groups the items. The plan borrows the instance. ERR_MEMORY. */
int dp_plan_create(struct dp_plan *p, const struct knapsack *instance, struct err *e);
void dp_plan_destroy(struct dp_plan *p);

/* The form that DP_AUTO selects: merged if there are many identical items, class if there are many
 * items of one weight, else fused. */
enum dp_form dp_plan_form(const struct dp_plan *p);

/* A backward step of the reconstruction. Returns how many of the step's best items an optimal path
 * takes, if it is at capacity c with value `after`; before(ctx, c') gives the values before the
 * step (c' >= 0). Returns -1 if no number fits, which means that the values are wrong. */
int64_t dp_plan_taken(const struct dp_plan *p, const struct dp_step *s, int64_t c, int64_t after,
		      int64_t (*before)(void *ctx, int64_t c), void *ctx);

/* Marks the step's best `count` items in `taken` (one byte per item of the instance, zeroed by the
 * caller). */
void dp_plan_mark(const struct dp_plan *p, const struct dp_step *s, int64_t count, uint8_t *taken);
/* Marks the items that are always taken. */
void dp_plan_mark_always(const struct dp_plan *p, uint8_t *taken);

/* Checkpoints for the reconstruction. Boundary b is before step b. A checkpoint there holds the
 * cells lo .. lo + cells - 1 of f_b that an optimal path can reach and that are not constant:
 *   max(0, C - (W - W_b)) .. min(C, W_b).
 * Between neighbouring checkpoints a path moves down by at most the weight of the steps between
 * them, so only that window is computed again. */
struct dp_checkpoint {
	int64_t step;  /* the boundary */
	int64_t lo;    /* lowest capacity held */
	int64_t cells; /* >= 1 */
};

/* Chooses at most `most` checkpoints strictly inside steps 0..step_count, evenly spaced by number
 * of items, so that the sum of their cells * cell_bytes is at most max_bytes. `out` has room for
 * `most`. Returns their number; 0 if none fits. */
int64_t dp_plan_checkpoints(const struct dp_plan *p, const struct dp_step *steps,
			    int64_t step_count, int64_t most, int64_t cell_bytes, int64_t max_bytes,
			    struct dp_checkpoint *out);

/* The range of cells that matter at a boundary, between Toth's lower end and the upper trim. */
static inline void dp_plan_live(const struct dp_plan *p, int64_t items_done, int64_t *lo,
				int64_t *hi)
{
	int64_t after = p->sum_weight[p->n] - p->sum_weight[items_done];

	*lo = p->capacity > after ? p->capacity - after : 0;
	*hi = p->sum_weight[items_done] < p->capacity ? p->sum_weight[items_done] : p->capacity;
}

#endif
