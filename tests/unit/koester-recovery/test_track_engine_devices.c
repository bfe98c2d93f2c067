/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Compares bytes, entries and counts of the tracker's engines on simulated devices with the plain
 * tracker. */
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

static void two_devices_match_the_plain_tracker(void **state)
{
	(void)state;
	run_all_ways(2, 3);
}

static void three_devices_match_the_plain_tracker(void **state)
{
	(void)state;
	run_all_ways(3, 1);
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
		cmocka_unit_test(two_devices_match_the_plain_tracker),
		cmocka_unit_test(three_devices_match_the_plain_tracker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
