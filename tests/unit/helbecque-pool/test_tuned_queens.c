/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens on simulated devices: exact counts of small boards in both modes, on one to three
 * devices, with and without stealing, with much and little memory, and stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/helbecque-pool/queens_roots.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_searches.h"

/* Published: OEIS A000170; placements of 1..N queens in the first rows, by the plain search. */
static const uint64_t solutions_of[] = { 0, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200 };
static const uint64_t explored_of[] = { 0,   1,    2,    5,     16,     53,    152,
					551, 2056, 8393, 35538, 166925, 856188 };

static void check(struct search_request r, int devices, const char *schedule, int seed)
{
	struct dev_set set;
	struct search_outcome o;
	struct err e = { 0 };

	open_devices(&set, devices, schedule, seed);
	r.devices = &set;
	if (pool_tuned_queens(&r, &o, &e))
		fail_msg("%d queens on %d devices: %s", r.queens, devices, e.text);
	assert_true(o.complete);
	assert_int_equal(o.solutions, solutions_of[r.queens]);
	if (!r.solutions_only)
		assert_int_equal(o.explored, explored_of[r.queens]);
	if (r.queens > POOL_QUEENS_SMALL)
		assert_int_equal(o.workers, devices);
	dev_set_close(&set);
}

static void all_small_boards_match_in_both_modes(void **state)
{
	(void)state;
	for (int n = 1; n <= (UNDER_TSAN ? 10 : 11); n++)
		for (int only = 0; only < 2; only++)
			check((struct search_request){ .queens = n, .solutions_only = only }, 1,
			      "random", n + 20 * only);
}

static void boards_match_on_several_devices(void **state)
{
	(void)state;
	for (int n = 8; n <= 10; n++)
		for (int k = 0; k < 8; k++)
			check((struct search_request){ .queens = n,
						       .solutions_only = k & 1,
						       .no_stealing = k & 2 },
			      2 + (k & 4) / 4, "random", 100 * n + k);
}

/* Leaving out ideas changes no count. */
static void every_form_gives_the_same_counts(void **state)
{
	static const unsigned form[] = { SEARCH_NO_SYMMETRY, SEARCH_BY_LISTS, SEARCH_NO_REFILL };

	(void)state;
	for (int k = 0; k < 32; k++) {
		/* under ThreadSanitizer, boards of 8 to 10 queens */
		struct search_request r = { .queens = UNDER_TSAN ? 8 + k % 3 : 9 + k % 4,
					    .solutions_only = k & 16 };

		for (int i = 0; i < 3; i++)
			r.forms |= k >> i & 1 ? form[i] : 0;
		check(r, 1 + (k & 8) / 8, "random", k);
	}
}

static void other_simulator_schedules_give_the_same_counts(void **state)
{
	(void)state;
	for (int n = 8; n <= 11; n += 3) {
		check((struct search_request){ .queens = n }, 1, "order", 1);
		check((struct search_request){ .queens = n }, 2, "reverse", 1);
	}
}

/* Lists have room for a few nodes only, so parts that outgrow them are repeated in halves. */
static void little_memory_gives_the_same_counts(void **state)
{
	(void)state;
	for (int only = 0; only < 2; only++)
		check((struct search_request){ .queens = 11,
					       .solutions_only = only,
					       .memory = 150000 },
		      1, "random", 7);
}

/* Lists have room for one node, so every node is replaced by its children, recursively. */
static void room_for_single_nodes_gives_the_same_counts(void **state)
{
	(void)state;
	for (int only = 0; only < 2; only++)
		check((struct search_request){ .queens = 8 + only,
					       .solutions_only = only,
					       .memory = only ? 900 : 1 },
		      1, "random", 1);
}

/* Searches of all boards whose counts fit 64 bits start, and stop at the time limit. */
static void large_boards_stop_at_the_time_limit(void **state)
{
	struct search_request r = { 0 };
	struct dev_set set;
	struct search_outcome o;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 1, "order", 1);
	r.devices = &set;
	for (r.queens = 18; r.queens <= (SANITIZED ? 24 : 26); r.queens += 2) {
		stopped_by_time(pool_tuned_queens, &r, &o, &e);
		assert_true(o.explored > 100000);
		assert_non_null(strstr(e.text, "the time limit"));
	}
	dev_set_close(&set);
}

static void limits_and_invalid_requests_are_reported(void **state)
{
	volatile sig_atomic_t stop = 1;
	struct search_request r = { .queens = 10, .stop = &stop };
	struct dev_set set;
	struct search_outcome o;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 2, "random", 1);
	r.devices = &set;
	assert_int_equal(pool_tuned_queens(&r, &o, &e), ERR_LIMIT);
	assert_false(o.complete);
	assert_in_range(o.explored, 1, explored_of[10] - 1);
	r.stop = NULL;
	r.time_limit = 1e-9;
	assert_int_equal(pool_tuned_queens(&r, &o, &e), ERR_LIMIT);
	r.time_limit = 0;
	r.queens = 27;
	assert_int_equal(pool_tuned_queens(&r, &o, &e), ERR_UNSUPPORTED);
	r.queens = 0;
	assert_int_equal(pool_tuned_queens(&r, &o, &e), ERR_INPUT);
	dev_set_close(&set);
	r.queens = 8;
	r.devices = NULL;
	assert_int_equal(pool_tuned_queens(&r, &o, &e), ERR_DEVICE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_small_boards_match_in_both_modes),
		cmocka_unit_test(boards_match_on_several_devices),
		cmocka_unit_test(every_form_gives_the_same_counts),
		cmocka_unit_test(other_simulator_schedules_give_the_same_counts),
		cmocka_unit_test(little_memory_gives_the_same_counts),
		cmocka_unit_test(room_for_single_nodes_gives_the_same_counts),
		cmocka_unit_test(large_boards_stop_at_the_time_limit),
		cmocka_unit_test(limits_and_invalid_requests_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
