/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The schedule that a flowshop search starts from. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FSP_START_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FSP_START_H

#include <signal.h>

#include "algorithms/tree-search/flowshop/fsp_greedy.h"

enum fsp_start {
	FSP_START_NONE,
	FSP_START_NEH,
	FSP_START_IG, /* NEH, then iterated greedy */
};

/* Computes a first schedule: order gets `jobs` entries, *makespan its value. Iterated greedy ends
 * after `seconds`, when *stop is set, or when the makespan equals the one-machine bound.
 * FSP_START_NONE is not allowed. */
int fsp_start(enum fsp_start kind, const struct flowshop *f, double seconds, uint64_t seed,
	      const volatile sig_atomic_t *stop, int64_t *order, int64_t *makespan, struct err *e);

/* Reads the schedule of an answer to the same instance, as `solve --json` writes it: the member
 * "solution" of an object. order gets `jobs` entries, *makespan its value. ERR_INPUT, with the name
 * of the file, if there is no schedule of all jobs, or if its makespan is not the file's
 * "objective", because it is then of another instance. */
int fsp_start_read(const char *path, const struct flowshop *f, int64_t *order, int64_t *makespan,
		   struct err *e);

/* The default time for iterated greedy, in seconds: 1 from 20 x 20 on, less for smaller instances.
 */
double fsp_start_seconds(const struct flowshop *f);

#endif
