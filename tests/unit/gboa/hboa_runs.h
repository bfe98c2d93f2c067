/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Compares runs of hierarchical BOA, including the last populations. */
#ifndef COPRA_TESTS_UNIT_GBOA_HBOA_RUNS_H
#define COPRA_TESTS_UNIT_GBOA_HBOA_RUNS_H

#include "algorithms/gboa/runs.h"

enum { HBOA_RUNS_MAX = 8 };

struct hboa_problem {
	struct landscape landscape;
	struct boa_options options;
};

/* A problem with the default options of hBOA and this population. */
struct hboa_problem hboa_problem(const char *problem, const char *instance, int32_t population);

struct hboa_outcome {
	int count, status;
	struct boa_run run[HBOA_RUNS_MAX];
	struct boa_times times;
	struct err error;
};

void hboa_outcome_free(struct hboa_outcome *o);

struct boa_setup hboa_setup(const struct hboa_problem *p, enum solve_variant variant, int threads,
			    const struct dev_set *devices);

/* Makes `count` runs and keeps their results and status. */
void hboa_go(struct hboa_outcome *o, const struct boa_setup *s, int count);

/* Fails unless bits, best fitness and populations are consistent. */
void hboa_check(const struct hboa_problem *p, const struct hboa_outcome *o);

/* Fails unless both hold the same runs, including the last populations. */
void hboa_expect_same(const struct hboa_problem *p, const struct hboa_outcome *a,
		      const struct hboa_outcome *b);

#endif
