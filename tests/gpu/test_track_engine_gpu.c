/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Compares the tracker's engines on one and on all CUDA devices with the plain tracker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/koester-recovery/tracked_runs.h"

static void one_device_matches_the_plain_tracker(void **state)
{
	(void)state;
	run_all_ways(1, 2);
}

static void all_devices_match_the_plain_tracker(void **state)
{
	int count = dev_cuda_count() < 8 ? dev_cuda_count() : 8;

	(void)state;
	if (count < 2)
		skip();
	run_all_ways(count, 2);
}

static void even_layers_match_the_plain_tracker(void **state)
{
	(void)state;
	run_even_layers();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_device_matches_the_plain_tracker),
		cmocka_unit_test(even_layers_match_the_plain_tracker),
		cmocka_unit_test(all_devices_match_the_plain_tracker),
	};

	run_backend = "cuda";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
