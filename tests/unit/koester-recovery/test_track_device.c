/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Compares the tracker's kernels on simulated devices with plain loops and with the host: copies,
 * scans, selection, children, and the operations of a domain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/koester-recovery/device_checks.h"

static struct dev_set set;
static struct track_place place[3];

static int open_all(void **state)
{
	(void)state;
	/* few resident blocks, so that a block processes several tiles even with few values */
	assert_int_equal(setenv("COPRA_SIM_SMS", "2", 1), 0);
	open_devices(&set, 3, "random", 5);
	for (int i = 0; i < 3; i++)
		place[i] = check_place(set.dev[i]);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			if (k != i && dev_enable_peer(set.dev[i], set.dev[k], NULL))
				return -1;
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(place[i].used, 0);
		track_place_close(&place[i]);
	}
	dev_set_close(&set);
	return 0;
}

static void gather_matches_plain_copies(void **state)
{
	struct rng r = rng_seeded(1);

	(void)state;
	check_gathers(place, 1, 108, 40, &r);
}

static void gather_reads_peers(void **state)
{
	struct rng r = rng_seeded(2);

	(void)state;
	check_gathers(place, 3, 54, 30, &r);
}

static void scan_matches_plain_sums(void **state)
{
	static const uint32_t counts[] = { 0, 1, 33, 2048, 2049, 20011 };
	struct rng r = rng_seeded(3);

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		check_scan(place, counts[i], i % 3 ? 7 : UINT32_MAX, &r);
}

static void select_matches_sorting(void **state)
{
	const uint32_t count = 20000;
	struct rng r = rng_seeded(4);
	uint32_t *rating;

	(void)state;
	check_selects(place, 16, 700, &r);
	/* several tiles per block */
	rating = check_alloc(count * sizeof(*rating));
	for (int kind = 0; kind < 3; kind++) {
		check_ratings(&r, rating, count, kind);
		check_select(place, rating, count, count / 3);
	}
	free(rating);
}

static void children_are_looked_up(void **state)
{
	struct rng r = rng_seeded(5);

	(void)state;
	for (int k = 0; k < 40; k++)
		check_children(place, check_random(&r, 1, k % 2 ? 3 : 300), check_random(&r, 0, 9),
			       k % 4 / 2, &r);
}

static void domain_operations_match_the_host(void **state)
{
	struct track_place host = check_place(NULL);
	struct rng r = rng_seeded(6);

	(void)state;
	for (int k = 0; k < 25; k++)
		check_walk(&place[k % 3], &tracked_ops_sim, &host, k % 2 ? 40 : 150, &r);
}

static void traced_paths_match_the_history(void **state)
{
	struct rng r = rng_seeded(7);

	(void)state;
	for (int k = 0; k < 24; k++)
		check_traces(&place[k % 2], check_random(&r, 1, 30), k % 3 ? 9 : 150, k % 4 / 2,
			     k % 2, &r);
}

/* A path that jumps past the start layer is reported. */
static void path_that_skips_the_start_layer_is_reported(void **state)
{
	const uint32_t zero = 0;
	const struct track_node input = { 0, 0 }, target = { 2, 0 };
	struct track_history *h;
	uint32_t out[4] = { 0 };
	uint64_t steps = 0;

	(void)state;
	OK(track_history_create(&h, 1, false, 0, &e));
	OK(track_history_add(h, 1, &zero, &zero, &zero, &e));
	OK(track_history_jump(h, 1, &input, &e));
	struct check_mirror m = check_mirror_make(place, h);
	uint32_t *out_there = check_put(place, out, sizeof(out));
	void *target_there = check_put(place, &target, sizeof(target)),
	     *steps_there = check_put(place, &steps, sizeof(steps));
	struct track_trace t = { .entries = m.entries,
				 .entry_at = m.entry_at,
				 .from = m.from,
				 .from_at = m.from_at,
				 .target = target_there,
				 .count = 1,
				 .down_to = 1,
				 .top = 2,
				 .iteration = out_there,
				 .source = out_there + 1,
				 .successor = out_there + 2,
				 .start_slot = out_there + 3,
				 .steps = steps_there };

	OK(track_trace_kernels_sim.trace(place->stream, &t, &e));
	check_take(place, out_there, out, sizeof(out));
	check_take(place, target_there, NULL, sizeof(target));
	check_take(place, steps_there, &steps, sizeof(steps));
	assert_int_equal(out[3], UINT32_MAX);
	assert_int_equal(out[2], TRACK_NO_STEP);
	assert_int_equal(steps, 0);
	check_mirror_free(place, &m);
	track_history_destroy(h);
}

static void unsupported_sizes_are_refused(void **state)
{
	struct track_children c = { .total = UINT32_MAX };
	struct track_batch b = { .layout = { 1, TRACK_NO_STEP / 2 }, .count = 1 };
	struct tracked d = { 0 };
	struct err e;

	(void)state;
	assert_int_equal(tracked_ops_sim.successors(place, &d, &b, &c, NULL, &e), ERR_UNSUPPORTED);
	assert_non_null(strstr(e.text, "4294967295 children"));
	c.total = 1;
	assert_int_equal(tracked_ops_sim.rate_children(place, &d, &b, &c, NULL, 1, 0, 0, NULL, &e),
			 ERR_UNSUPPORTED);
	assert_non_null(strstr(e.text, "2147483647"));
	assert_int_equal(place->common->select(place, NULL, 3000000000, 1, NULL, NULL, NULL, &e),
			 ERR_UNSUPPORTED);
	assert_non_null(strstr(e.text, "2^31"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gather_matches_plain_copies),
		cmocka_unit_test(gather_reads_peers),
		cmocka_unit_test(scan_matches_plain_sums),
		cmocka_unit_test(select_matches_sorting),
		cmocka_unit_test(children_are_looked_up),
		cmocka_unit_test(domain_operations_match_the_host),
		cmocka_unit_test(traced_paths_match_the_history),
		cmocka_unit_test(path_that_skips_the_start_layer_is_reported),
		cmocka_unit_test(unsupported_sizes_are_refused),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
