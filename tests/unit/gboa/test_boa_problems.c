/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* All variants and engines agree on every kind of problem, on simulated devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/gboa/boa_problems.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"

/* Large, small and negative values; weights; blocks whose size is not a power of 2. */
static const struct boa_problem_case cases[] = {
	{ "trap7", "14", 128, 1 },
	{ "onemax", "9", 64, 1 },
	{ "overlap4", "10", 64, 1 },
	{ "htrap2", "9", 64, 2 },
	{ "nk", "10:3:2", 128, 1 },
	{ "ising", "3:3", 64, 1 },
	{ "maxsat", "planted:9:40", 64, 1 },
	{ "knapsack", "boyer:11:2", 64, 2 },
	{ "knapsack", "hard:10:100000000:3:0.3:0.001:100", 64, 1 },
};

static void check(const struct boa_problem_case *c, int seed)
{
	struct dev_set set;

	open_devices(&set, 1, "random", seed);
	assert_int_equal(differ_anywhere(c, &set, SOLVE_SERIAL), 0);
	dev_set_close(&set);
}

static void all_variants_agree_on_all_kinds_of_problems(void **state)
{
	/* each case takes half a minute under TSan, and the threads do the same in all of them */
	size_t count = UNDER_TSAN ? 1 : sizeof(cases) / sizeof(*cases);

	(void)state;
	for (size_t i = 0; i < count; i++)
		check(&cases[i], (int)i);
}

static void all_variants_agree_on_weighted_clauses(void **state)
{
	const char *root = getenv("COPRA_TEST_DATA");
	char path[256];
	struct boa_problem_case c = { "maxsat", path, 64, 1 };

	(void)state;
	snprintf(path, sizeof(path), "%s/maxsat_top.wcnf", root ? root : "tests/data");
	check(&c, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_variants_agree_on_all_kinds_of_problems),
		cmocka_unit_test(all_variants_agree_on_weighted_clauses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
