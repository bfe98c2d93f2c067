/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Batched runs on CUDA devices equal serial runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/gboa/batch_runs.h"
#include "tests/gpu/cuda_devices.h"

#if COPRA_HAVE_CUDA
static struct boa_options some_options(int32_t population, int32_t generations)
{
	struct boa_options o;

	boa_defaults(&o);
	o.population = population;
	o.selected = population / 2;
	o.generations = generations;
	return o;
}

static void runs_of_one_block_match_serial(void **state)
{
	struct boa_options o = some_options(1280, 6);

	(void)state;
	check_batch(&devices, "trap5", "60", &o, (struct boa_batch_shape){ .cluster = 1 }, 8);
	check_batch(&devices, "nk", "40:3:7", &o, (struct boa_batch_shape){ .cluster = 1 }, 3);
	o.replacement = BOA_REPLACE_ALL;
	o.stop_converged = true;
	check_batch(&devices, "onemax", "33", &o, (struct boa_batch_shape){ .cluster = 1 }, 3);
}

static void runs_of_a_cluster_match_serial(void **state)
{
	struct boa_options o = some_options(1280, 5);
	struct dev_info info;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(dev_get_info(devices.dev[0], &info, &e), 0);
	for (int cluster = 2; cluster <= 16 && info.compute_major >= 9; cluster *= 2)
		check_batch(&devices, "trap5", "100", &o,
			    (struct boa_batch_shape){ .cluster = cluster }, 2);
	o.stop_at_optimum = o.stop_converged = true;
	o.generations = 100;
	if (info.compute_major >= 9)
		check_batch(&devices, "trap5", "20", &o, (struct boa_batch_shape){ .cluster = 8 },
			    4);
}

static void the_chosen_shape_matches_serial(void **state)
{
	struct boa_options o = some_options(4800, 3);

	(void)state;
	check_batch(&devices, "trap5", "60", &o, (struct boa_batch_shape){ 0 }, 1);
}

/* Few large clusters are resident, so there are enough runs for the host to take some. */
static void runs_of_the_host_and_devices_match_serial(void **state)
{
	struct boa_options o = some_options(1280, 5);
	struct dev_info info;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(dev_get_info(devices.dev[0], &info, &e), 0);
	for (int i = 1; i <= 2 && info.compute_major >= 9; i++)
		check_batch_shared(&devices, "trap5", "100", &o,
				   (struct boa_batch_shape){ .cluster = 16 }, 120, 0.5 * i);
}

static void limits_end_batched_runs(void **state)
{
	(void)state;
	stop_batch(&devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(runs_of_one_block_match_serial),
					    cmocka_unit_test(runs_of_a_cluster_match_serial),
					    cmocka_unit_test(the_chosen_shape_matches_serial),
					    cmocka_unit_test(
						    runs_of_the_host_and_devices_match_serial),
					    cmocka_unit_test(limits_end_batched_runs) };

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
#else
int main(void)
{
	return 0;
}
#endif
