/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The published algorithm on 1 to 4 simulated devices, compared with the plain recursion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "algorithms/dp-knapsack/plan.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/dp-knapsack/small_knapsacks.h"

static double toth_cells(const struct knapsack *k)
{
	double cells = 0;
	int64_t after = k->sum_weight;
	for (int64_t i = 0; i < k->n; i++) {
		after -= k->weight[i];
		int64_t low =
			k->capacity - after > k->weight[i] ? k->capacity - after : k->weight[i];
		if (low <= k->capacity)
			cells += (double)(k->capacity + 1 - low);
	}
	return cells;
}

/* Transfers and assignment of the arrays: 0 to 3, the first as in the paper. */
static void check_solve(const struct knapsack *k, const struct dev_set *set, int gpus, int form)
{
	struct dp_request r = { .instance = k,
				.devices = set,
				.gpus = gpus,
				.pinned = form & 1,
				.swap_arrays = form & 2 };
	struct dp_answer a;
	struct err e = { 0 };
	if (dp_solve_published(&r, &a, &e))
		fail_msg("%s", e.text);
	assert_int_equal(a.value, small_optimum(k));
	assert_true(a.cells == toth_cells(k));
	assert_null(a.taken);
}

static void solve_many(int gpus, const char *schedule, int seed, int trials)
{
	struct dev_set set;
	open_devices(&set, gpus, schedule, seed);
	struct rng r = rng_seeded((uint64_t)(seed * 100 + gpus));
	for (int i = 0; i < small_trials(trials); i++) {
		struct small_knapsack s;
		small_knapsack(&s, &r, i, i % 4 ? 150 : 1500);
		check_solve(&s.k, &set, gpus, i % 4);
	}
	dev_set_close(&set);
}

static void small_instances_are_exact_on_one_device(void **state)
{
	(void)state;
	solve_many(1, "random", 1, 60);
	solve_many(1, "order", 2, 18);
	solve_many(1, "reverse", 3, 18);
}

static void small_instances_are_exact_on_several_devices(void **state)
{
	(void)state;
	solve_many(2, "random", 1, 36);
	solve_many(3, "random", 2, 36);
	solve_many(4, "random", 3, 36);
	solve_many(4, "order", 4, 18);
	solve_many(3, "reverse", 5, 18);
}

/* Uses some devices of a set. Exchanges happen only with several devices. */
static void uses_as_many_devices_as_requested(void **state)
{
	(void)state;
	struct dev_set set;
	open_devices(&set, 3, "random", 9);
	struct rng r = rng_seeded(3);
	struct small_knapsack s;
	small_knapsack(&s, &r, 1, 800);
	s.k.capacity = s.k.sum_weight / 2;
	for (int gpus = 0; gpus <= 3; gpus++) {
		struct dp_request request = { .instance = &s.k, .devices = &set, .gpus = gpus };
		struct dp_answer a;
		struct err e = { 0 };
		assert_int_equal(dp_solve_published(&request, &a, &e), 0);
		assert_int_equal(a.value, small_optimum(&s.k));
		assert_true(gpus == 1 ? a.exchanges == 0 : a.exchanges > 0);
		assert_int_equal(a.memory_peak, (gpus ? gpus : 3) * 2 * 4 * (s.k.capacity + 1));
	}
	struct dp_request request = { .instance = &s.k, .devices = &set, .gpus = 4 };
	struct dp_answer a;
	assert_int_equal(dp_solve_published(&request, &a, NULL), ERR_DEVICE);
	dev_set_close(&set);
}

/* More threads than a small machine has cores: waiting threads must let the others run. */
static void many_devices_share_few_cores(void **state)
{
	(void)state;
	struct dev_set set;
	open_devices(&set, 8, "random", 4);
	struct rng r = rng_seeded(17);
	struct small_knapsack s;
	small_knapsack(&s, &r, 1, 800);
	for (int form = 0; form < 4; form++)
		check_solve(&s.k, &set, 8, form);
	dev_set_close(&set);
}

static void literal_moves_twice_the_bytes_of_swapping(void **state)
{
	(void)state;
	struct dev_set set;
	open_devices(&set, 2, "random", 4);
	struct rng r = rng_seeded(23);
	struct small_knapsack s;
	small_knapsack(&s, &r, 1, 800);
	struct dp_request request = { .instance = &s.k, .devices = &set };
	struct dp_answer literal, swap;
	assert_int_equal(dp_solve_published(&request, &literal, NULL), 0);
	request.swap_arrays = true;
	assert_int_equal(dp_solve_published(&request, &swap, NULL), 0);
	assert_int_equal(literal.value, swap.value);
	assert_true(literal.cells == swap.cells);
	assert_true(literal.bytes_floor == 2 * swap.bytes_floor);
	dev_set_close(&set);
}

static void refuses_items_and_missing_devices(void **state)
{
	(void)state;
	struct dev_set set;
	open_devices(&set, 1, "random", 1);
	struct rng r = rng_seeded(5);
	struct small_knapsack s;
	small_knapsack(&s, &r, 0, 100);
	struct dp_request request = { .instance = &s.k, .devices = &set, .want_items = true };
	struct dp_answer a;
	struct err e = { 0 };
	assert_int_equal(dp_solve_published(&request, &a, &e), ERR_UNSUPPORTED);
	assert_non_null(strstr(e.text, "value only"));
	request.want_items = false;
	s.k.capacity = INT64_C(1) << 50;
	assert_int_equal(dp_solve_published(&request, &a, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "9007199254741000"));
	dev_set_close(&set);
}

static void stops_at_the_flag_and_the_time_limit(void **state)
{
	(void)state;
	volatile sig_atomic_t stop = 1;
	for (int gpus = 1; gpus <= 2; gpus++) {
		struct dev_set set;
		open_devices(&set, gpus, "random", 1);
		struct rng r = rng_seeded(5);
		struct small_knapsack s;
		small_knapsack(&s, &r, 0, 100);
		struct dp_request request = { .instance = &s.k, .devices = &set, .stop = &stop };
		struct dp_answer a;
		struct err e = { 0 };
		assert_int_equal(dp_solve_published(&request, &a, &e), ERR_LIMIT);
		assert_int_equal(a.value, 0);
		assert_non_null(strstr(e.text, "0 of"));
		request.stop = NULL;
		request.time_limit = 1e-9;
		assert_int_equal(dp_solve_published(&request, &a, &e), ERR_LIMIT);
		assert_non_null(strstr(e.text, "time limit"));
		dev_set_close(&set);
	}
}

static void value_bound_is_never_below_the_optimum(void **state)
{
	(void)state;
	struct rng r = rng_seeded(11);
	for (int i = 0; i < 300; i++) {
		struct small_knapsack s;
		small_knapsack(&s, &r, i, 300);
		int64_t optimum = small_optimum(&s.k), loose, tight;
		assert_int_equal(dp_value_bound(&s.k, INT64_MAX, &loose, NULL), 0);
		assert_int_equal(dp_value_bound(&s.k, 0, &tight, NULL), 0);
		assert_true(optimum <= tight && tight <= loose && loose <= s.k.sum_profit);
	}
	/* two halves of the best item, by hand: 10 + 6 * 3 / 4 */
	int64_t profit[] = { 6, 10, 1 }, weight[] = { 4, 5, 9 };
	struct knapsack k = { .n = 3, .capacity = 8, .profit = profit, .weight = weight };
	int64_t bound;
	assert_int_equal(dp_value_bound(&k, 0, &bound, NULL), 0);
	assert_int_equal(bound, 14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(value_bound_is_never_below_the_optimum),
		cmocka_unit_test(small_instances_are_exact_on_one_device),
		cmocka_unit_test(small_instances_are_exact_on_several_devices),
		cmocka_unit_test(many_devices_share_few_cores),
		cmocka_unit_test(literal_moves_twice_the_bytes_of_swapping),
		cmocka_unit_test(uses_as_many_devices_as_requested),
		cmocka_unit_test(refuses_items_and_missing_devices),
		cmocka_unit_test(stops_at_the_flag_and_the_time_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
