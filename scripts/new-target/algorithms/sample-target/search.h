/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The search: every variant tries all assignments. */
#ifndef COPRA_SCRIPTS_NEW_TARGET_ALGORITHMS_SAMPLE_TARGET_SEARCH_H
#define COPRA_SCRIPTS_NEW_TARGET_ALGORITHMS_SAMPLE_TARGET_SEARCH_H

#include <signal.h>
#include <stdbool.h>

#include "datasets/sample_target/sample_target.h"
#include "harness/device/device.h"
#include "harness/bench/solve.h"
#include "kernels/sample-target/assignment.h"

struct sample_target_request {
	const struct sample_target_instance *instance;
	enum solve_variant variant;
	int threads;                   /* for cpu: >= 1 */
	const struct dev_set *devices; /* for published and tuned */
	int gpus;                      /* number of devices to use; 0: all */
	double time_limit;             /* seconds; 0: no limit */
	const volatile sig_atomic_t *stop;
};

struct sample_target_answer {
	int64_t difference;
	int64_t heap[SAMPLE_TARGET_MAX]; /* 0 or 1 for each number */
	double tried;                    /* number of assignments */
	bool complete;                   /* all assignments were tried */
	double seconds;
};

/* ERR_LIMIT if the search was stopped; *a has the best answer so far. */
int sample_target_search(const struct sample_target_request *r, struct sample_target_answer *a,
			 struct err *e);

/* ---- shared by search.c and the variants ---- */

/* The work of a search. Variants take parts until none is left or the search is to stop. */
struct sample_target_work {
	struct sample_target_numbers numbers;
	uint64_t next, end; /* the assignments that were not taken yet */
	double deadline;    /* of clock_wall(); 0: none */
	const volatile sig_atomic_t *stop;
};

/* Takes at most `size` assignments, *from .. *to - 1. Returns false if there are no more. */
bool sample_target_take(struct sample_target_work *w, uint64_t size, uint64_t *from, uint64_t *to);

int sample_target_on_cores(struct sample_target_work *w, int threads, uint64_t *best,
			   struct err *e);
/* Each GPU thread tries `per_thread` assignments. */
int sample_target_on_devices(struct sample_target_work *w, const struct dev_set *set, int gpus,
			     uint64_t per_thread, uint64_t *best, struct err *e);

#endif
