/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Runs of the grid engine on simulated devices equal serial runs bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/gboa/grid_checks.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"

/* Includes the source in order to test the plan of learning. */
#define boa_grid_runs grid_runs_here
#define boa_grid_fits grid_fits_here
#define open_devices open_grid_devices
#include "algorithms/gboa/boa/grid.c"
#undef boa_grid_fits
#undef boa_grid_runs
#undef open_devices

static void check(const struct grid_case *t, int devices, int runs, const char *schedule, int seed)
{
	struct dev_set set;

	open_devices(&set, devices, schedule, seed);
	grid_check(t, &set, runs, SOLVE_SERIAL);
	dev_set_close(&set);
}

static void grid_runs_match_serial(void **state)
{
	static const struct grid_case cases[] = {
		{ "trap5", "30", 256, 128, 3, 4, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false, false },
		{ "trap5", "40", 192, 64, 2, 3, BOA_REPLACE_ALL, BOA_SMOOTH_LAPLACE, false, false },
		{ "onemax", "17", 128, 96, 1, 3, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false, false },
		{ "trap4", "20", 64, 32, 0, 3, BOA_REPLACE_ALL, BOA_SMOOTH_NONE, false, false },
		{ "onemax", "1", 64, 32, 3, 2, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false, false },
		/* more bits of fitness than one histogram distinguishes */
		{ "nk", "40:3:1", 256, 128, 3, 3, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false,
		  false },
		/* rows in several chunks; fitness too large for shared memory: the last case,
		 * skipped under TSan */
		{ "trap5", "20", 12352, 5152, 2, 1, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false,
		  false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases) - UNDER_TSAN; i++)
		check(&cases[i], 1, 1, "random", (int)i + 1);
}

/* More work than one task for each block. */
static void many_variables_need_several_tasks(void **state)
{
	static const struct grid_case many = {
		"trap5", "200", 192, 96, 3, 1, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false, false
	};

	(void)state;
	if (UNDER_TSAN)
		skip();
	check(&many, 1, 1, "reverse", 1);
}

static void stopping_rules_end_runs(void **state)
{
	static const struct grid_case cases[] = {
		{ "onemax", "12", 256, 64, 2, 50, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, true, false },
		{ "trap3", "9", 64, 32, 2, 50, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false, true },
		{ "trap3", "9", 64, 32, 2, 50, BOA_REPLACE_ALL, BOA_SMOOTH_NONE, false, true },
		{ "trap3", "9", 64, 32, 2, 0, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check(&cases[i], 1, 1, "order", 1);
}

static void runs_are_spread_over_devices(void **state)
{
	static const struct grid_case few = {
		"trap5", "15", 128, 64, 3, 2, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false, false
	};

	(void)state;
	check(&few, 2, 3, "random", 7);
}

/* Returns the status of boa_run for a problem with these options. */
static int refused(const char *problem, int32_t parents, int32_t population,
		   const volatile sig_atomic_t *stop)
{
	struct landscape l;
	struct boa_options o;
	struct boa_times times;
	struct dev_set set;
	struct err e = { 0 };
	uint8_t *bits = malloc(BOA_VARIABLES_MAX);
	struct boa_run run = { .bits = bits };

	assert_non_null(bits);
	assert_int_equal(landscape_load(&l, "onemax", problem, &e), 0);
	boa_defaults(&o);
	o.max_parents = parents;
	o.population = population;
	o.selected = population / 2;
	o.generations = 1;
	open_devices(&set, 1, "order", 1);
	struct boa_setup s = { .landscape = &l,
			       .options = &o,
			       .variant = SOLVE_TUNED,
			       .threads = 1,
			       .devices = &set,
			       .engine = BOA_GRID,
			       .stop = stop };
	int status = boa_run(&s, &run, 1, &times, &e);

	assert_true(e.text[0] != 0);
	dev_set_close(&set);
	landscape_free(&l);
	free(bits);
	return status;
}

static void sizes_that_do_not_fit_are_refused(void **state)
{
	volatile sig_atomic_t stop = 1;

	(void)state;
	assert_int_equal(refused("20", 4, 64, NULL), ERR_UNSUPPORTED);
	assert_int_equal(refused("5000", 2, 64, NULL), ERR_UNSUPPORTED);
	assert_int_equal(refused("20", 2, 1 << 18, NULL), ERR_UNSUPPORTED);
	assert_int_equal(refused("20", 2, 64, &stop), ERR_LIMIT);
}

/* Every group of variables is combined exactly once with every group of candidates up to itself. */
static void plans_cover_all_pairs_of_groups_once(void **state)
{
	static const int32_t variables[] = { 1, 16, 17, 60, 100, 333, 1000, 2000, 4096 };

	(void)state;
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		for (int blocks = 1; blocks <= 132; blocks += 131) {
			struct grid_plan g;
			struct err e;

			assert_int_equal(grid_plan_create(&g, variables[i], blocks, &e), 0);
			uint8_t *met = calloc((size_t)g.groups * (size_t)g.groups, 1);

			assert_non_null(met);
			for (int t = 0; t < g.tasks; t++)
				for (int w = 0; w < BOA_GRID_WARPS; w++)
					if (g.task[t].slot[w] >= 0)
						met[g.task[t].group[g.task[t].slot[w]] * g.groups +
						    g.task[t].against[w]]++;
			for (int x = 0; x < g.groups; x++)
				for (int y = 0; y < g.groups; y++)
					assert_int_equal(met[x * g.groups + y], y <= x);
			free(met);
			grid_plan_destroy(&g);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grid_runs_match_serial),
		cmocka_unit_test(many_variables_need_several_tasks),
		cmocka_unit_test(stopping_rules_end_runs),
		cmocka_unit_test(runs_are_spread_over_devices),
		cmocka_unit_test(sizes_that_do_not_fit_are_refused),
		cmocka_unit_test(plans_cover_all_pairs_of_groups_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
