/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Runs of the grid engine on CUDA devices equal those of the host bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/gboa/grid_checks.h"
#include "tests/gpu/cuda_devices.h"

static void grid_runs_match_the_host(void **state)
{
	static const struct grid_case cases[] = {
		{ "trap5", "60", 4800, 2400, 3, 8, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false,
		  false },
		{ "trap5", "400", 4800, 2400, 3, 4, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false,
		  false },
		{ "trap5", "1000", 4800, 2400, 3, 2, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false,
		  false },
		{ "trap5", "2000", 1280, 640, 3, 2, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false,
		  false },
		{ "trap3", "333", 6400, 3200, 2, 3, BOA_REPLACE_ALL, BOA_SMOOTH_LAPLACE, false,
		  false },
		{ "nk", "40:3:1", 1024, 512, 3, 5, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false,
		  false },
		{ "onemax", "77", 640, 320, 1, 50, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		grid_check(&cases[i], &devices, 1, SOLVE_CPU);
}

static void runs_are_spread_over_devices(void **state)
{
	static const struct grid_case few = {
		"trap5", "30", 640, 320, 3, 5, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false, false
	};

	(void)state;
	grid_check(&few, &devices, 3, SOLVE_CPU);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grid_runs_match_the_host),
		cmocka_unit_test(runs_are_spread_over_devices),
	};

	if (dev_cuda_unavailable()) {
		printf("skipped: %s\n", dev_cuda_unavailable());
		return 0;
	}
	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
