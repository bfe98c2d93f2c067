/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Runs a problem with every variant and engine; compares the runs bit by bit, and the fitness with
 * the oracle. */
#ifndef COPRA_TESTS_UNIT_GBOA_BOA_PROBLEMS_H
#define COPRA_TESTS_UNIT_GBOA_BOA_PROBLEMS_H

#include "tests/unit/gboa/boa_replay.h"

struct boa_problem_case {
	const char *problem, *instance;
	int32_t population, generations;
};

/* Returns the number of runs that differ. */
int differ_anywhere(const struct boa_problem_case *c, const struct dev_set *devices,
		    enum solve_variant reference);

#endif
