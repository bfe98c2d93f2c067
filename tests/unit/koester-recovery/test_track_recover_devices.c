/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of every way of recovery on one and two simulated devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/koester-recovery/tracking/engine.h"
#include "tests/unit/koester-recovery/tracked_runs.h"

static void every_recovery_works_on_one_device(void **state)
{
	(void)state;
	run_every_recovery(1, 8);
}

/* The search is deep enough for the device's copy of the history to grow several times. */
static void copy_of_the_history_grows_on_the_device(void **state)
{
	struct track_options o = run_options(TRACK_RECOVERY_REPLAY, TRACK_TUNED, 5);
	static struct run r;
	struct run_places w;

	(void)state;
	run_places_open(&w, 1, 1);
	run_begin(&r, &w, &run_search_domain, &o, true, 2);
	for (int i = 0; i < 14; i++) {
		run_iterate(&r, false);
		if (i % 5 == 4)
			run_recover(&r, 40);
	}
	run_backtrack(&r, 7);
	run_iterate(&r, false);
	run_recover(&r, 40);
	run_end(&r);
	run_places_close(&w);
}

/* A path that jumps over a kept layer does not start there. */
static void path_that_skips_a_kept_layer_is_replayed(void **state)
{
	struct track_options o = run_options(TRACK_RECOVERY_CHECKPOINT, TRACK_TUNED, 2);
	static struct run r;
	struct run_places w;

	(void)state;
	o.archive.cache = false;
	o.archive.distance = 2;
	run_places_open(&w, 1, 1);
	run_begin(&r, &w, &run_search_domain, &o, true, 2);
	for (int i = 0; i < 5; i++)
		run_iterate(&r, false);
	for (int i = 0; i < 3; i++) {
		run_backtrack(&r, 9);
		run_iterate(&r, false);
		run_recover(&r, 9);
	}
	run_end(&r);
	run_places_close(&w);
}

/* A replay without the host counts as a load of the kept layer that it starts from. */
static void device_replays_count_as_loads(void **state)
{
	struct track_options o = run_options(TRACK_RECOVERY_CHECKPOINT, TRACK_TUNED, 2);
	struct track_node third = { 3, 0 }, current = { 5, 0 };
	struct track_figures f;
	static struct run r;
	struct run_places w;

	(void)state;
	o.archive.cache = false;
	o.archive.distance = 2;
	run_places_open(&w, 1, 1);
	run_begin(&r, &w, &run_search_domain, &o, true, 2);
	for (int i = 0; i < 5; i++)
		run_iterate(&r, false);
	track_figures(r.t, &f);
	assert_int_equal(f.archive.loads, 0);
	RUN_OK(track_recover_there(r.t, &current, 1, RUN_E));
	track_figures(r.t, &f);
	assert_int_equal(f.archive.loads, 0);
	RUN_OK(track_recover_there(r.t, &third, 1, RUN_E));
	track_figures(r.t, &f);
	assert_int_equal(f.archive.loads, 1);
	assert_int_equal(f.archive.last_loaded, 2);
	run_end(&r);
	run_places_close(&w);
}

static void every_recovery_works_on_two_devices(void **state)
{
	(void)state;
	run_every_recovery(2, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_recovery_works_on_one_device),
		cmocka_unit_test(copy_of_the_history_grows_on_the_device),
		cmocka_unit_test(path_that_skips_a_kept_layer_is_replayed),
		cmocka_unit_test(device_replays_count_as_loads),
		cmocka_unit_test(every_recovery_works_on_two_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
