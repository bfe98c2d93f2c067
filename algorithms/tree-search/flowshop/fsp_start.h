/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The schedule that a flowshop search starts from. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FSP_START_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FSP_START_H

#include <signal.h>

#include "datasets/flowshop/flowshop.h"

enum fsp_start {
	FSP_START_NONE,
	FSP_START_NEH,
	FSP_START_IG, /* NEH, then iterated greedy */
};

/* How long iterated greedy works for a start. */
struct fsp_start_effort {
	double seconds; /* 0: the default, fsp_start_seconds(), or less if gains are long past */
	double most;    /* never longer; 0: no limit */
	int threads;    /* at least 1 and at most FSP_IMPROVE_THREADS_MAX are used */
	uint64_t seed;
	const volatile sig_atomic_t *stop; /* may be NULL */
};

/* Computes a first schedule: order gets `jobs` entries, *makespan its value. Iterated greedy ends
 * after the time of `x`, when *stop is set, or when the makespan equals the one-machine bound. `x`
 * is not used for NEH and may then be NULL. FSP_START_NONE is not allowed. */
int fsp_start(enum fsp_start kind, const struct flowshop *f, const struct fsp_start_effort *x,
	      int64_t *order, int64_t *makespan, struct err *e);

/* Goes on from a schedule in the same way. `target`: ends at this makespan or less. Returns the
 * makespan, or an error: ERR_USAGE if `order` is not a permutation, ERR_MEMORY. */
int64_t fsp_start_improve(const struct flowshop *f, const struct fsp_start_effort *x,
			  int64_t target, int64_t *order, struct err *e);

/* Reads the schedule of an answer to the same instance, as `solve --json` writes it: the member
 * "solution" of an object. order gets `jobs` entries, *makespan its value. ERR_INPUT, with the name
 * of the file, if there is no schedule of all jobs, or if its makespan is not the file's
 * "objective", because it is then of another instance. */
int fsp_start_read(const char *path, const struct flowshop *f, int64_t *order, int64_t *makespan,
		   struct err *e);

/* The default time for iterated greedy, in seconds: on one thread 1 from 20 x 20 on and less for
 * smaller instances, divided by the square root of the number of threads. Four threads thus do
 * twice the work in half of the time, unless a step takes longer than that. */
double fsp_start_seconds(const struct flowshop *f, int threads);

#endif
