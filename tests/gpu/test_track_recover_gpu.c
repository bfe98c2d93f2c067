/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of every way of recovery on one and on all CUDA devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/koester-recovery/tracked_runs.h"

static void every_recovery_works_on_one_device(void **state)
{
	struct run_places w;

	(void)state;
	run_places_open(&w, 1, 2);
	for (int rule = 0; rule < TRACK_RECOVERIES; rule++)
		for (uint64_t seed = 0; seed < 12 && rule != TRACK_RECOVERY_PEER; seed++) {
			struct track_options o = run_options(
				(enum track_recovery)rule, (enum track_engine)(seed / 3 % 2), seed);

			run_search(&w, &o, 12);
		}
	run_places_close(&w);
}

static void every_recovery_works_on_all_devices(void **state)
{
	int count = dev_cuda_count() < 8 ? dev_cuda_count() : 8;

	(void)state;
	if (count < 2)
		skip();
	run_every_recovery(count - 1, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_recovery_works_on_one_device),
		cmocka_unit_test(every_recovery_works_on_all_devices),
	};

	run_backend = "cuda";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
