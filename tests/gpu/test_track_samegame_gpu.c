/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of SameGame on one and two CUDA devices: every operation matches the host, and searches
 * find the same games. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/koester-recovery/problems/search.h"
#include "harness/base/team.h"
#include "tests/unit/datasets/samegame_operations.h"
#include "tests/gpu/cuda_devices.h"

static void operations_match_the_host(void **state)
{
	static const char *const some[] = { "random:15x15:5:1", "random:20x20:6:9",
					    "random:1x2:1:1", "random:5x7:3:6" };
	struct track_place host, device;
	struct err e = { 0 };

	(void)state;
	ok(track_place_open(&host, NULL, NULL, 0, &e), &e);
	ok(track_place_open(&device, devices.dev[0], NULL, 0, &e), &e);
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		struct samegame g = loaded(some[i]);
		struct results *r = calloc(2, sizeof(*r));

		assert_non_null(r);
		run_operations(&host, &g, &r[0]);
		run_operations(&device, &g, &r[1]);
		assert_memory_equal(&r[0], &r[1], sizeof(r[0]));
		free(r);
	}
	track_place_close(&device);
	track_place_close(&host);
}

static struct track_outcome search(struct track_place *const *places, int count, uint32_t beam,
				   const struct samegame *g)
{
	struct track_request r = { .engine = TRACK_TUNED,
				   .places = places,
				   .place_count = count,
				   .beam = beam,
				   .rounds = 1,
				   .seed = 3 };
	struct track_outcome o;
	struct err e = { 0 };
	int64_t score;

	r.archive = track_options_default().archive;
	ok(track_samegame_search(g, &r, &o, &e), &e);
	ok(samegame_score(g, o.solution, o.length, &score, &e), &e);
	assert_int_equal(score, o.objective);
	return o;
}

static void searches_match_the_host(void **state)
{
	struct samegame g = loaded("random:15x15:5:4");
	struct track_place host, device[2], *on_host[] = { &host };
	struct track_place *on_devices[] = { &device[0], &device[1] };
	int places = devices.count < 2 ? devices.count : 2;
	struct team *pool;
	struct track_outcome first;
	struct err e = { 0 };

	(void)state;
	ok(team_create(&pool, 8, &e), &e);
	ok(track_place_open(&host, NULL, pool, 0, &e), &e);
	for (int k = 0; k < places; k++)
		ok(track_place_open(&device[k], devices.dev[k], pool, 0, &e), &e);
	first = search(on_host, 1, 200, &g);
	for (int n = 1; n <= places; n++) {
		struct track_outcome o = search(on_devices, n, 200, &g);

		printf("beam 200, %d devices: score %lld, %.0f games a second\n", n,
		       (long long)o.objective, (double)o.figures.children / o.seconds_search);
		assert_int_equal(o.objective, first.objective);
		assert_int_equal(o.length, first.length);
		assert_memory_equal(o.solution, first.solution, o.length * sizeof(*o.solution));
		assert_int_equal(o.figures.children, first.figures.children);
		free(o.solution);
	}
	free(first.solution);
	for (int k = 0; k < places; k++)
		track_place_close(&device[k]);
	track_place_close(&host);
	team_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_match_the_host),
		cmocka_unit_test(searches_match_the_host),
	};

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
