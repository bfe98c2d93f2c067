/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Dense dynamic programming for the 0-1 knapsack (Boyer, El Baz, Elkihel 2011).
 *
 * All variants solve the recursion f_k(c) = max(f_{k-1}(c), f_{k-1}(c - w_k) + p_k) and return the
 * exact optimum f_n(C). They differ in what they compute at once and in what they can leave out. */
#ifndef COPRA_DP_KNAPSACK_DP_H
#define COPRA_DP_KNAPSACK_DP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "datasets/knapsack/knapsack.h"
#include "harness/device/device.h"
#include "harness/base/error.h"

/* What a fast variant may exploit. No form includes the next one. */
enum dp_form {
	DP_AUTO,   /* chosen by the instance */
	DP_FUSED,  /* every item on its own: the paper's work, done faster */
	DP_CLASS,  /* all items of one weight in one pass in registers: the paper's cell updates are
		      still done one by one, for any profits */
	DP_MERGED, /* identical items (weight and profit) merged: less work than the paper's */
	DP_REACHABLE, /* only capacities that some items reach and that can lead to the
			 optimum; see reachable.h */
};
/* "auto", "fused", "class", "merged", "reachable", NULL, in the order of the enum. */
extern const char *const dp_form_words[];

struct dp_request {
	const struct knapsack *instance;
	enum dp_form form;     /* cpu and tuned only */
	bool want_items;       /* also return the chosen items */
	int64_t memory_budget; /* want_items: bytes that may be allocated for checkpoints and bit
				  tables; 0 = half of the free memory */
	int threads;           /* cpu: >= 1 */
	const struct dev_set *devices; /* published, tuned: count >= 1 */
	int gpus;                      /* number of devices to use; 0 = all */
	bool as_pays;        /* tuned, gpus 0: the first device alone where more do not pay
				(dp_tuned_pays); only the first has to be started */
	double paying_cells; /* as_pays: the least cell updates for which more pay; 0: predicted */
	double sample_cells; /* serial only: time about this many cell updates, spread over the
				recursion, and extend their time to all; 0 = time all */
	/* The steps from the paper's algorithm to ours; see dp_rungs in solve.h. */
	bool pinned;         /* published: exchanges use pinned memory of the CPU, not pageable */
	bool swap_arrays;    /* published: the arrays of f change places; nothing is copied */
	bool constant_cells; /* tuned, fused, without items: also updates the cells above the sum
				of the weights so far */
	bool single_items;   /* tuned, fused: one item per pass */
	bool single_cells;   /* tuned, fused and class: one cell in a register */
	double time_limit;   /* seconds; 0 = none */
	const volatile sig_atomic_t *stop; /* set by a signal handler; may be NULL */
};

struct dp_answer {
	int64_t value;          /* f_n(C) */
	uint8_t *taken;         /* n flags in the instance's order, or NULL; see dp_answer_free */
	enum dp_form form;      /* the form that ran */
	double cells;           /* cell updates of Algorithm 1 on this instance:
				  sum over k of C + 1 - c_k (Toth cells) */
	double cells_done;      /* cell updates performed, halos included */
	double cells_paired;    /* of these, those that GPUs may have done two at a time */
	double bytes_floor;     /* lower bound on the bytes moved to and from memory */
	double cells_timed;     /* serial: the cell updates that seconds_search was measured on */
	double seconds_search;  /* the recursion only (GPUs: measured by events) */
	double seconds_thread;  /* serial: seconds_search as CPU time of the thread, which other
				  processes lengthen less than wall-clock time */
	double seconds_prepare; /* tuned, except wide: from the call to the first pass */
	double seconds_items;   /* reconstruction of the items */
	double seconds_total;   /* the whole call, allocation and copies included */
	int64_t memory_peak;    /* peak of the bytes allocated; device memory for GPU variants */
	int exchanges;          /* several GPUs: exchanges of boundary data */
	int devices; /* tuned: how many devices were used, also if stopped; 0: none yet */
};

/* The solvers. Errors: ERR_LIMIT when stopped or at the time limit,
 * ERR_MEMORY (names the bytes), ERR_INPUT if values are too large, ERR_USAGE, ERR_UNSUPPORTED and
 * ERR_DEVICE for requests that the variant or the devices cannot serve, ERR_FAILED if the items
 * contradict the value. */
int dp_solve_serial(const struct dp_request *r, struct dp_answer *a, struct err *e);
int dp_solve_cpu(const struct dp_request *r, struct dp_answer *a, struct err *e);
int dp_solve_published(const struct dp_request *r, struct dp_answer *a, struct err *e);
int dp_solve_tuned(const struct dp_request *r, struct dp_answer *a, struct err *e);
/* The part of dp_solve_tuned for weights that are too large for its other kernels; see wide.c.
 * `form` is ignored. */
int dp_solve_wide(const struct dp_request *r, struct dp_answer *a, struct err *e);

/* The part of dp_solve_cpu and dp_solve_tuned for few reachable capacities; see reachable.h. `form`
 * is ignored. It uses the first device, if there is one and its memory suffices, else `threads`. */
int dp_solve_reachable(const struct dp_request *r, struct dp_answer *a, struct err *e);

/* Frees the items. The other members stay. */
static inline void dp_answer_free(struct dp_answer *a)
{
	free(a->taken);
	a->taken = NULL;
}

static inline int64_t dp_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t dp_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

#endif
