/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* All variants and engines agree on every kind of problem, on a CUDA device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/gboa/boa_problems.h"
#include "tests/gpu/cuda_devices.h"

static const struct boa_problem_case cases[] = {
	{ "trap4", "100", 1024, 4 },
	{ "trap8", "200", 640, 3 },
	{ "onemax", "101", 320, 4 },
	{ "overlap3", "61", 4800, 5 },
	{ "htrap", "81", 1600, 6 },
	{ "htrap2", "243", 1024, 3 },
	{ "nk", "100:5:3", 1024, 4 },
	{ "nk", "ring:300:3", 1600, 3 },
	{ "ising", "10", 4800, 4 },
	{ "maxsat", "random:250:1065", 1024, 4 },
	{ "maxsat", "planted:100:400", 1600, 4 },
	{ "knapsack", "boyer:200:2", 1024, 4 },
	{ "knapsack", "hard:100:10000000:10:0.3:0.0001:100", 1024, 4 },
};

static void all_variants_agree_on_all_kinds_of_problems(void **state)
{
	int different = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		different += differ_anywhere(&cases[i], &devices, SOLVE_CPU);
	assert_int_equal(different, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_variants_agree_on_all_kinds_of_problems),
	};

	if (dev_cuda_unavailable()) {
		printf("skipped: %s\n", dev_cuda_unavailable());
		return 0;
	}
	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
