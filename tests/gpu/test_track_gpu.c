/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Compares the tracker's kernels on CUDA devices with plain loops and with the host: copies (also
 * between devices and from pinned memory), scans, selection, children, operations of a domain, and
 * traced paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/koester-recovery/device_checks.h"
#include "tests/gpu/cuda_devices.h"

static struct track_place place[8];

static int open_places(void **state)
{
	if (open_devices(state))
		return -1;
	for (int i = 0; i < devices.count; i++)
		place[i] = check_place(devices.dev[i]);
	return 0;
}

static int close_places(void **state)
{
	for (int i = 0; i < devices.count; i++) {
		assert_int_equal(place[i].used, 0);
		track_place_close(&place[i]);
	}
	return close_devices(state);
}

static void gather_matches_plain_copies(void **state)
{
	struct rng r = rng_seeded(1);

	(void)state;
	check_gathers(place, 1, 108, 70, &r);
	check_gathers(place, 1, 108, 3000, &r);
}

static void gather_reads_peers(void **state)
{
	struct rng r = rng_seeded(2);

	(void)state;
	for (int i = 1; i < devices.count; i++)
		if (dev_enable_peer(devices.dev[0], devices.dev[i], NULL))
			skip();
	if (devices.count == 1)
		skip();
	check_gathers(place, devices.count, 108, 2000, &r);
}

static void scan_matches_plain_sums(void **state)
{
	struct rng r = rng_seeded(3);

	(void)state;
	for (uint32_t count = 0; count < 3000000; count = count * 3 + 1)
		check_scan(place, count, count % 2 ? 7 : UINT32_MAX, &r);
}

static void select_matches_sorting(void **state)
{
	struct rng r = rng_seeded(4);

	(void)state;
	check_selects(place, 32, 700, &r);
	check_selects(place, 32, 60000, &r);
	check_selects(place, 16, 3000000, &r);
}

static void children_are_looked_up(void **state)
{
	struct rng r = rng_seeded(5);

	(void)state;
	for (int k = 0; k < 40; k++)
		check_children(place, check_random(&r, 1, k % 2 ? 3 : 3000), check_random(&r, 0, 9),
			       k % 4 / 2, &r);
}

static void domain_operations_match_the_host(void **state)
{
	struct track_place host = check_place(NULL);
	struct rng r = rng_seeded(6);

	(void)state;
	for (int k = 0; k < 40; k++)
		check_walk(place, &tracked_ops_cuda, &host, k % 2 ? 40 : 5000, &r);
}

static void traced_paths_match_the_history(void **state)
{
	struct rng r = rng_seeded(7);

	(void)state;
	for (int k = 0; k < 24; k++)
		check_traces(place, check_random(&r, 1, 30), k % 3 ? 9 : 3000, k % 4 / 2, k % 2,
			     &r);
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
	};

	return cmocka_run_group_tests(tests, open_places, close_places);
}
