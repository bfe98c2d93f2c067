/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The large-capacity solver on simulated devices against the recursion itself, in every mode: in
 * place and alternating, one and two items a pass, 32 and 64 bits, decision bits and halving. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "algorithms/dp-knapsack/dp.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/dp-knapsack/small_knapsacks.h"

static void check_items(const struct knapsack *k, const struct dp_answer *a)
{
	int64_t value = 0, weight = 0;
	for (int64_t i = 0; i < k->n; i++)
		if (a->taken[i]) {
			assert_int_equal(a->taken[i], 1);
			value += k->profit[i];
			weight += k->weight[i];
		}
	assert_int_equal(value, a->value);
	assert_true(weight <= k->capacity);
}

static void check(const struct dp_request *r)
{
	struct dp_answer a;
	struct err e = { 0 };
	if (dp_solve_wide(r, &a, &e))
		fail_msg("%s", e.text);
	assert_int_equal(a.value, small_optimum(r->instance));
	if (r->want_items) {
		assert_non_null(a.taken);
		check_items(r->instance, &a);
	}
	free(a.taken);
}

static void values(int gpus, const char *schedule, int seed, int trials)
{
	struct dev_set set;
	open_devices(&set, gpus, schedule, seed);
	struct rng r = rng_seeded((uint64_t)(seed * 100 + gpus));
	for (int i = 0; i < small_trials(trials); i++) {
		struct small_knapsack s;
		small_knapsack(&s, &r, i, i % 3 ? 400 : 5000);
		check(&(struct dp_request){ .instance = &s.k, .devices = &set, .gpus = gpus });
	}
	dev_set_close(&set);
}

static void values_are_exact_on_one_device(void **state)
{
	(void)state;
	values(1, "random", 1, 54);
	values(1, "order", 2, 18);
	values(1, "reverse", 3, 18);
}

static void values_are_exact_on_several_devices(void **state)
{
	(void)state;
	values(2, "random", 1, 27);
	values(3, "random", 2, 27);
	values(4, "random", 3, 27);
	values(4, "reverse", 4, 18);
}

/* A budget of one byte more than the second array: hardly any bits fit, so the items are halved
 * down to single ones. */
static void items_from_bits_and_from_halves_are_optimal(void **state)
{
	(void)state;
	struct dev_set set;
	open_devices(&set, 1, "random", 5);
	struct rng r = rng_seeded(17);
	for (int i = 0; i < small_trials(45); i++) {
		struct small_knapsack s;
		small_knapsack(&s, &r, i, i % 3 ? 300 : 3000);
		int64_t cell = s.k.sum_profit > INT32_MAX ? 8 : 4;
		struct dp_request q = { .instance = &s.k, .devices = &set, .want_items = true };
		check(&q);
		int64_t capacity = s.k.capacity < s.k.sum_weight ? s.k.capacity : s.k.sum_weight;
		q.memory_budget = (capacity + 1) * cell + 1 + (i % 2) * 200;
		check(&q);
	}
	dev_set_close(&set);
}

/* Heavy enough that passes run in place over several stretches, light ones first in the spare
 * array: small_knapsack's capacities never leave that. */
static void passes_move_from_the_spare_array_to_stretches(void **state)
{
	(void)state;
	struct dev_set set;
	/* memory for little more than one array: passes that would alternate must run in place */
	assert_int_equal(setenv("COPRA_SIM_MEMORY", "1300K", 1), 0);
	open_devices(&set, 1, "random", 6);
	struct rng r = rng_seeded(23);
	int64_t profit[12], weight[12];
	struct knapsack k = { .n = 12, .profit = profit, .weight = weight };
	for (int round = 0; round < 4; round++) {
		k.capacity = rng_between(&r, 250000, 270000);
		k.sum_profit = k.sum_weight = 0;
		for (int i = 0; i < 12; i++) {
			weight[i] = i < 3 ? rng_between(&r, 1, 60) :
					    rng_between(&r, k.capacity / 9, k.capacity / 2);
			profit[i] = weight[i] + rng_between(&r, 0, 1000);
			k.sum_profit += profit[i];
			k.sum_weight += weight[i];
		}
		check(&(struct dp_request){ .instance = &k, .devices = &set });
	}
	dev_set_close(&set);
	assert_int_equal(unsetenv("COPRA_SIM_MEMORY"), 0);
}

static void devices_that_fail_are_left_out(void **state)
{
	static const char *const failures[] = { "COPRA_SIM_STARTS", "COPRA_SIM_PEERS" };
	struct small_knapsack s;
	struct rng rng = rng_seeded(29);
	(void)state;
	do /* not all items may fit, or no device is needed */
		small_knapsack(&s, &rng, 0, 400);
	while (s.k.sum_weight <= s.k.capacity);
	for (int f = 0; f < 2; f++)
		for (int there = 1; there <= 3; there++) {
			char text[] = { (char)('0' + there), 0 };
			struct dev_set set;
			struct dp_answer a;
			struct err e = { 0 };
			assert_int_equal(setenv(failures[f], text, 1), 0);
			assert_int_equal(dev_set_open_first(&set, "sim:0,1,2", 0, &e), 0);
			assert_int_equal(unsetenv(failures[f]), 0);
			assert_int_equal(dev_set_await(&set, &e), 0);
			struct dp_request q = { .instance = &s.k,
						.devices = &set,
						.as_pays = true };
			if (dp_solve_wide(&q, &a, &e))
				fail_msg("%s=%d: %s", failures[f], there, e.text);
			assert_int_equal(a.value, small_optimum(&s.k));
			assert_int_equal(a.devices, there);
			/* a number of devices is a request */
			q.gpus = 3;
			assert_int_equal(dp_solve_wide(&q, &a, &e) != 0, there < 3);
			dev_set_close(&set);
		}
}

static void refuses_large_capacities_and_stops_at_limits(void **state)
{
	(void)state;
	struct dev_set set;
	open_devices(&set, 2, "random", 1);
	int64_t big = INT64_C(1) << 40;
	int64_t profit[] = { 5, 6, 7 }, weight[] = { big, big + 1, big + 2 };
	struct knapsack k = { .n = 3,
			      .capacity = 2 * big + 1,
			      .profit = profit,
			      .weight = weight,
			      .sum_profit = 18,
			      .sum_weight = 3 * big + 3 };
	volatile sig_atomic_t stop = 1;
	struct dp_answer a;
	struct err e = { 0 };
	for (int gpus = 1; gpus <= 2; gpus++) {
		struct dp_request q = { .instance = &k, .devices = &set, .gpus = gpus };
		assert_int_equal(dp_solve_wide(&q, &a, &e), ERR_MEMORY);
		assert_non_null(strstr(e.text, "needs 8796093022"));
	}
	struct dp_request q = { .instance = &k, .devices = &set, .want_items = true };
	assert_int_equal(dp_solve_wide(&q, &a, &e), ERR_MEMORY);
	assert_null(a.taken);
	q.gpus = 3;
	assert_int_equal(dp_solve_wide(&q, &a, &e), ERR_DEVICE);
	for (int i = 0; i < 3; i++)
		weight[i] = 70 + i;
	k.capacity = 150;
	k.sum_weight = 213;
	for (int gpus = 1; gpus <= 2; gpus++) {
		struct dp_request halt = { .instance = &k,
					   .devices = &set,
					   .gpus = gpus,
					   .stop = &stop,
					   .want_items = gpus == 2 };
		assert_int_equal(dp_solve_wide(&halt, &a, &e), ERR_LIMIT);
		assert_null(a.taken);
	}
	/* the budget holds neither the bits nor a second array */
	q = (struct dp_request){
		.instance = &k, .devices = &set, .want_items = true, .memory_budget = 1
	};
	assert_int_equal(dp_solve_wide(&q, &a, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "budget is 1"));
	dev_set_close(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_exact_on_one_device),
		cmocka_unit_test(values_are_exact_on_several_devices),
		cmocka_unit_test(items_from_bits_and_from_halves_are_optimal),
		cmocka_unit_test(passes_move_from_the_spare_array_to_stretches),
		cmocka_unit_test(devices_that_fail_are_left_out),
		cmocka_unit_test(refuses_large_capacities_and_stops_at_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
