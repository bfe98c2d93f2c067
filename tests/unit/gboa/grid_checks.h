/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Compares runs of the grid engine with serial ones, including the last populations. */
#ifndef COPRA_TESTS_UNIT_GBOA_GRID_CHECKS_H
#define COPRA_TESTS_UNIT_GBOA_GRID_CHECKS_H

#include "algorithms/gboa/runs.h"

struct grid_case {
	const char *problem, *instance;
	int32_t population, selected, parents, generations;
	enum boa_replacement replacement;
	enum boa_smoothing smoothing;
	bool stop_at_optimum, stop_converged;
};

/* `runs` is at most 4; `host` is the variant to compare with, serial or cpu. */
void grid_check(const struct grid_case *t, const struct dev_set *devices, int runs,
		enum solve_variant host);

#endif
