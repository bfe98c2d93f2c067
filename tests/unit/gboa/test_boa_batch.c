/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Batched runs on simulated devices equal serial runs, including the last populations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/gboa/batch_runs.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"

static struct dev_set devices;

static int open_one(void **state)
{
	(void)state;
	open_devices(&devices, 1, "random", 7);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	dev_set_close(&devices);
	return 0;
}

static struct boa_options small_options(void)
{
	struct boa_options o;

	boa_defaults(&o);
	o.population = 256;
	o.selected = 128;
	o.generations = 4;
	o.seed = 11;
	return o;
}

static void batched_traps_match_serial(void **state)
{
	struct boa_options o = small_options();

	(void)state;
	check_batch(&devices, "trap5", "15", &o,
		    (struct boa_batch_shape){ .cluster = 1, .threads = 96 }, 3);
}

static void three_parents_are_found(void **state)
{
	struct boa_options o = small_options();

	(void)state;
	o.population = 1024;
	o.selected = 512;
	o.generations = UNDER_TSAN ? 2 : 6;
	check_batch(&devices, "trap5", "10", &o,
		    (struct boa_batch_shape){ .cluster = 1, .threads = 64 }, 1);
}

static void replacing_all_matches_serial(void **state)
{
	struct boa_options o = small_options();

	(void)state;
	o.replacement = BOA_REPLACE_ALL;
	o.smoothing = BOA_SMOOTH_LAPLACE;
	check_batch(&devices, "trap3", "12", &o,
		    (struct boa_batch_shape){ .cluster = 1, .threads = 64 }, 2);
}

static void runs_stop_at_the_optimum(void **state)
{
	struct boa_options o = small_options();

	(void)state;
	o.stop_at_optimum = true;
	o.generations = 20;
	check_batch(&devices, "onemax", "12", &o,
		    (struct boa_batch_shape){ .cluster = 1, .threads = 64 }, 3);
}

static void runs_stop_when_all_are_alike(void **state)
{
	struct boa_options o = small_options();

	(void)state;
	o.stop_converged = true;
	o.generations = 30;
	o.max_parents = 1;
	check_batch(&devices, "trap4", "8", &o,
		    (struct boa_batch_shape){ .cluster = 1, .threads = 64 }, 1);
	check_batch(&devices, "trap4", "8", &o,
		    (struct boa_batch_shape){ .cluster = 2, .threads = 64 }, 1);
}

static void other_landscapes_match_serial(void **state)
{
	struct boa_options o = small_options();

	(void)state;
	o.generations = 2;
	check_batch(&devices, "nk", "14:3:5", &o,
		    (struct boa_batch_shape){ .cluster = 1, .threads = 64 }, 1);
	check_batch(&devices, "htrap", "27", &o,
		    (struct boa_batch_shape){ .cluster = 1, .threads = 64 }, 1);
	check_batch(&devices, "ising", "4:3", &o,
		    (struct boa_batch_shape){ .cluster = 2, .threads = 64 }, 1);
}

static void clusters_of_blocks_match_serial(void **state)
{
	struct boa_options o = small_options();

	(void)state;
	check_batch(&devices, "trap5", "20", &o,
		    (struct boa_batch_shape){ .cluster = 2, .threads = 64 }, 3);
	o.replacement = BOA_REPLACE_ALL;
	check_batch(&devices, "trap5", "20", &o,
		    (struct boa_batch_shape){ .cluster = 4, .threads = 96 }, 1);
	o.population = 2304;
	o.selected = 64;
	o.generations = 2;
	check_batch(&devices, "trap5", "10", &o,
		    (struct boa_batch_shape){ .cluster = 2, .threads = 64 }, 1);
}

/* One warp selects among up to 160 and up to 288 words of the population, otherwise all do. */
static void all_ways_of_selection_match_serial(void **state)
{
	static const int32_t population[] = { 5120, 5184, 9216, 9280 };
	struct boa_options o = small_options();

	(void)state;
	o.generations = 2;
	for (int i = 0; i < 4; i++) {
		o.population = population[i];
		o.selected = population[i] / 2;
		check_batch(&devices, "trap5", "10", &o,
			    (struct boa_batch_shape){ .cluster = 2, .threads = 96 }, 1);
	}
}

static void the_chosen_shape_matches_serial(void **state)
{
	struct boa_options o = small_options();

	(void)state;
	o.generations = 1;
	check_batch(&devices, "trap5", "15", &o, (struct boa_batch_shape){ 0 }, 1);
}

static void odd_sizes_match_serial(void **state)
{
	struct boa_options o = small_options();

	(void)state;
	o.selected = 96;
	o.max_parents = 2;
	check_batch(&devices, "onemax", "1", &o,
		    (struct boa_batch_shape){ .cluster = 1, .threads = 64 }, 1);
	check_batch(&devices, "onemax", "9", &o,
		    (struct boa_batch_shape){ .cluster = 4, .threads = 64 }, 1);
	o.max_parents = 0;
	check_batch(&devices, "onemax", "17", &o,
		    (struct boa_batch_shape){ .cluster = 1, .threads = 96 }, 1);
	o.generations = 0;
	check_batch(&devices, "onemax", "17", &o,
		    (struct boa_batch_shape){ .cluster = 2, .threads = 64 }, 1);
}

static void several_devices_and_the_host_share_runs(void **state)
{
	struct boa_options o = small_options();
	struct dev_set two;

	(void)state;
	o.generations = 2;
	open_devices(&two, 2, "order", 1);
	check_batch_shared(&two, "trap5", "10", &o,
			   (struct boa_batch_shape){ .cluster = 1, .threads = 64 }, 5, 0.4);
	/* more runs than are resident at once several times: the host makes some of them */
	check_batch_shared(&two, "trap5", "10", &o,
			   (struct boa_batch_shape){ .cluster = 1, .threads = 1024 }, 100, 0.4);
	check_batch_shared(&two, "trap5", "10", &o,
			   (struct boa_batch_shape){ .cluster = 1, .threads = 1024 }, 101, 1);
	dev_set_close(&two);
}

static void unsupported_options_are_refused(void **state)
{
	struct boa_options o = small_options();

	(void)state;
	o.max_parents = 4;
	refuse_batch(&devices, "trap5", "10", &o, "at most 3 parents");
	o = small_options();
	o.population = 65472;
	o.selected = 32000;
	refuse_batch(&devices, "onemax", "2000", &o, "do not fit");
	o.population = 1 << 20;
	refuse_batch(&devices, "onemax", "20", &o,
		     "at most 32000 selected individuals of a population of at most 65472");
}

static void a_stop_flag_ends_runs_at_once(void **state)
{
	(void)state;
	stop_batch(&devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batched_traps_match_serial),
		cmocka_unit_test(three_parents_are_found),
		cmocka_unit_test(replacing_all_matches_serial),
		cmocka_unit_test(runs_stop_at_the_optimum),
		cmocka_unit_test(runs_stop_when_all_are_alike),
		cmocka_unit_test(other_landscapes_match_serial),
		cmocka_unit_test(clusters_of_blocks_match_serial),
		cmocka_unit_test(all_ways_of_selection_match_serial),
		cmocka_unit_test(the_chosen_shape_matches_serial),
		cmocka_unit_test(odd_sizes_match_serial),
		cmocka_unit_test(several_devices_and_the_host_share_runs),
		cmocka_unit_test(unsupported_options_are_refused),
		cmocka_unit_test(a_stop_flag_ends_runs_at_once),
	};

	return cmocka_run_group_tests(tests, open_one, close_all);
}
