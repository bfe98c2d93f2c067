/* Dense dynamic programming for the 0-1 knapsack (Boyer, El Baz, Elkihel 2011).
 *
 * All variants solve the same recursion, f_k(c) = max(f_{k-1}(c), f_{k-1}(c - w_k) + p_k), and
 * return the exact optimum f_n(C). They differ in what they do at once and in what they can leave
 * out. */
#ifndef COPRA_DP_KNAPSACK_KNAPSACK_DP_H
#define COPRA_DP_KNAPSACK_KNAPSACK_DP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "datasets/knapsack/knapsack.h"
#include "harness/device/device.h"
#include "harness/base/error.h"

/* What a fast variant may exploit. Each includes nothing of the next. */
enum kp_form {
	KP_AUTO,   /* choose by the instance */
	KP_FUSED,  /* every item on its own: the paper's work, done faster */
	KP_CLASS,  /* all items of one weight in one register-resident pass: the paper's cell
		      updates still done one by one, for any profits */
	KP_MERGED, /* identical items (weight and profit) merged: less work than the paper's */
};
const char *kp_form_name(enum kp_form f); /* "auto", "fused", "class", "merged" */

struct kp_request {
	const struct knapsack *instance;
	enum kp_form form;     /* cpu and tuned only */
	bool want_items;       /* also return the chosen items */
	int64_t memory_budget; /* bytes the solver may allocate for checkpoints and bit tables when
				  want_items; 0 = half of what is free */
	int threads;           /* cpu: >= 1 */
	const struct dev_set *devices; /* published, tuned: count >= 1 */
	int gpus;                      /* how many of them to use; 0 = all */
	int64_t part_items; /* serial only: stop after this many items, 0 = all (for linear
			       extrapolation; the answer is then not the optimum) */
	double time_limit;  /* seconds, 0 = none */
	const volatile sig_atomic_t *stop;            /* set by a signal handler; may be NULL */
	void (*progress)(void *ctx, double fraction); /* may be NULL */
	void *progress_ctx;
};

struct kp_answer {
	int64_t value;      /* f_n(C) */
	uint8_t *taken;     /* n flags in the instance's order, or NULL; freed by kp_answer_free */
	enum kp_form form;  /* the form that ran */
	double cells;       /* cell updates of Algorithm 1 on this instance:
			       sum over k of C + 1 - c_k (Toth cells) */
	double cells_done;  /* cell updates actually performed, halos included */
	double bytes_floor; /* least bytes to and from device or main memory, for the floor */
	double seconds_search; /* the recursion alone (device events summed to wall time on GPUs) */
	double seconds_items;  /* reconstruction of the items */
	double seconds_total;  /* from entry to exit, allocation and copies included */
	int64_t memory_peak;   /* bytes allocated at the peak: device bytes for GPU variants */
	int exchanges;         /* multi-GPU: exchanges of boundary data */
};

int kp_solve_serial(const struct kp_request *r, struct kp_answer *a, struct err *e);
int kp_solve_cpu(const struct kp_request *r, struct kp_answer *a, struct err *e);
int kp_solve_published(const struct kp_request *r, struct kp_answer *a, struct err *e);
int kp_solve_tuned(const struct kp_request *r, struct kp_answer *a, struct err *e);
void kp_answer_free(struct kp_answer *a);

/* Toth cells of Algorithm 1 in the instance's order, exact. */
double kp_toth_cells(const struct knapsack *k);

#endif
