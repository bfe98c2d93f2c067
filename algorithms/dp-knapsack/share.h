/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The load balancing of section III-B: which cells each device computes, owns and lacks.
 *
 * The cells alive after step k are [L_k, C] with L_k = max(0, C - sum_{i>k} w_i) (Proposition 1).
 * Step k computes [c_k, C] with c_k = max(L_k, w_k), divided into ranges of dT_k =
 * ceil((C+1-c_k)/m).
 *
 * What the paper leaves open, and what is done here:
 *   - Cells [L_k, w_k) are alive but below every range. Step k+1 reads exactly [L_k, C]: its
 *     lowest read is c_{k+1} - w_{k+1} = max(C - sum_{i>k} w_i, 0) = L_k. GPU 1 keeps them: they
 *     stay in f_input if f_output is copied there, as in the paper, and its kernel carries them
 *     over if the two arrays alternate.
 *   - So after step k GPU i owns its range, and GPU 1 also owns [L_k, c_k): each live cell has one
 *     owner. All other cells on a device are stale. In step k+1 GPU i lacks the cells that it
 *     reads, which are its next range and that range moved down by w_{k+1}, except those it owns.
 *     No other cell is exchanged.
 *   - Before step 1 every device holds f_0 = 0 everywhere and lacks nothing.
 *   - An item with w_k > C changes nothing and has no step. */
#ifndef COPRA_DP_KNAPSACK_SHARE_H
#define COPRA_DP_KNAPSACK_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "algorithms/dp-knapsack/dp.h"

enum {
	DP_SHARE_RANGES = 2 * DEV_MAX
}; /* the most ranges that one device sends or receives in a step */

struct dp_range {
	int64_t from, to; /* [from, to); empty if from >= to */
};

struct dp_share {
	int gpus;
	int64_t capacity;
	int64_t weight; /* w_k */
	int64_t first;  /* L_k */
	int64_t c_k;
	int64_t per_gpu; /* dT_k */
	bool everywhere; /* before step 1, when all devices hold all cells */
};

/* The state before step 1. */
void dp_share_start(struct dp_share *p, int gpus, int64_t capacity);
/* Step k, with weights_after = sum_{i>k} w_i. Returns false if w_k > C; *p then stays as it was. */
bool dp_share_step(struct dp_share *p, int gpus, int64_t capacity, int64_t weight,
		   int64_t weights_after);

/* The range [cmin_{i,k}, cmax_{i,k}) that a device computes; gpu counts from 0. */
static inline struct dp_range dp_share_computed(const struct dp_share *p, int gpu)
{
	int64_t end = p->capacity + 1;
	return (struct dp_range){ dp_min(p->c_k + gpu * p->per_gpu, end),
				  dp_min(p->c_k + (gpu + 1) * p->per_gpu, end) };
}

/* The same, including the cells that GPU 1 carries. */
static inline struct dp_range dp_share_owned(const struct dp_share *p, int gpu)
{
	if (p->everywhere)
		return (struct dp_range){ 0, p->capacity + 1 };
	struct dp_range r = dp_share_computed(p, gpu);
	if (gpu == 0)
		r.from = p->first;
	return r;
}

/* The cells that `gpu` must get from others before step `next`: disjoint and ascending. Returns the
 * number of ranges. */
int dp_share_received(const struct dp_share *prev, const struct dp_share *next, int gpu,
		      struct dp_range out[DP_SHARE_RANGES]);
/* The cells owned by `gpu` that another device lacks: disjoint and ascending. */
int dp_share_sent(const struct dp_share *prev, const struct dp_share *next, int gpu,
		  struct dp_range out[DP_SHARE_RANGES]);
/* The device that owns cell C. */
int dp_share_last_owner(const struct dp_share *p);

#endif
