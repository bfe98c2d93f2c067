/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Flowshop heuristics: the schedule that a search starts from. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FSP_START_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FSP_START_H

#include <signal.h>

#include "datasets/flowshop/flowshop.h"

/* NEH (Nawaz, Enscore, Ham: "A heuristic algorithm for the m-machine, n-job flow-shop sequencing
 * problem", Omega 11, 1983) with Taillard's acceleration. order gets `jobs` entries. Returns the
 * makespan, or an error (negative). */
int64_t fsp_neh(const struct flowshop *f, int64_t *order, struct err *e);

/* Iterated greedy (Ruiz, Stuetzle: "A simple and effective iterated greedy algorithm for the
 * permutation flowshop scheduling problem", EJOR 177, 2007). Improves `order` in place for
 * `seconds`, or until *stop (may be NULL) is set or the makespan reaches `target`. The order after
 * k steps depends only on the initial order and the seed; the number of steps depends on the time.
 * Returns the makespan, or an error: ERR_USAGE if `order` is not a permutation, ERR_MEMORY. */
int64_t fsp_iterated_greedy(const struct flowshop *f, int64_t *order, double seconds,
			    int64_t target, uint64_t seed, const volatile sig_atomic_t *stop,
			    struct err *e);

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
