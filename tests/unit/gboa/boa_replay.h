/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Helpers that make runs, compare them, and repeat them generation by generation from the
 * definitions (boa_naive.h). */
#ifndef COPRA_TESTS_UNIT_GBOA_BOA_REPLAY_H
#define COPRA_TESTS_UNIT_GBOA_BOA_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "algorithms/gboa/runs.h"
#include "tests/unit/gboa/boa_naive.h"

/* Runs with all their results. */
struct kept_runs {
	struct boa_run *run;
	int count;
	size_t words; /* of a population */
	int32_t population;
	int status;
	struct boa_times times;
	struct err error;
};

/* Loads a landscape. Fails if there is an error. */
struct landscape replay_landscape(const char *problem, const char *instance);

/* The default options with these sizes. */
struct boa_options replay_options(int32_t population, int32_t selected, int32_t k,
				  int32_t generations);

/* Makes `count` runs and keeps their results, whatever their status is. */
struct kept_runs keep_runs(const struct boa_setup *s, int count);

/* Makes `count` runs and fails unless the status is 0. */
struct kept_runs keep_good_runs(const struct boa_setup *s, int count);

void free_runs(struct kept_runs *k);

/* Fails unless both hold the same runs of n variables, including the last populations. */
void assert_same_runs(const struct kept_runs *a, const struct kept_runs *b, int32_t n);

/* Makes one run of the setup, repeats each generation from the definitions, and checks all
 * results. */
void run_by_definition(struct boa_setup s);

#endif
