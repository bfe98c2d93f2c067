/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The published and the large-capacity solver on CUDA devices: against the recursion, known optima,
 * and each other, on as many devices as there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "algorithms/dp-knapsack/solve.h"
#include "tests/unit/dp-knapsack/small_knapsacks.h"

typedef int solver(const struct dp_request *r, struct dp_answer *a, struct err *e);

static void open_cuda(struct dev_set *set)
{
	struct err e = { 0 };
	if (dev_cuda_count() < 1)
		skip();
	if (dev_set_open(set, "auto", 0, &e))
		fail_msg("%s", e.text);
}

static int64_t solve(solver *how, const struct knapsack *k, const struct dev_set *set, int gpus,
		     bool items, int64_t budget)
{
	struct dp_request r = { .instance = k,
				.devices = set,
				.gpus = gpus,
				.want_items = items,
				.memory_budget = budget };
	struct dp_answer a;
	struct err e = { 0 };
	if (how(&r, &a, &e))
		fail_msg("%s: %s", k->name, e.text);
	if (items) {
		int64_t value, weight;
		knapsack_evaluate(k, a.taken, &value, &weight);
		assert_int_equal(value, a.value);
		assert_true(weight <= k->capacity);
		dp_answer_free(&a);
	}
	return a.value;
}

static void small_instances_are_exact(void **state)
{
	struct dev_set set;
	(void)state;
	open_cuda(&set);
	for (int gpus = 1; gpus <= set.count; gpus++) {
		struct rng r = rng_seeded((uint64_t)gpus);
		for (int i = 0; i < 180; i++) {
			struct small_knapsack s;
			small_knapsack(&s, &r, i, i % 2 ? 600 : 60000);
			int64_t optimum = small_optimum(&s.k);
			assert_int_equal(solve(dp_solve_published, &s.k, &set, gpus, false, 0),
					 optimum);
			assert_int_equal(solve(dp_solve_wide, &s.k, &set, gpus, false, 0), optimum);
			if (gpus > 1)
				continue;
			assert_int_equal(solve(dp_solve_wide, &s.k, &set, 1, true, 0), optimum);
			int64_t second = 8 * (s.k.capacity + 1) + 64;
			assert_int_equal(solve(dp_solve_wide, &s.k, &set, 1, true, second),
					 optimum);
		}
	}
	dev_set_close(&set);
}

static void paper_instances_have_their_known_optima(void **state)
{
	struct dev_set set;
	(void)state;
	open_cuda(&set);
	for (int gpus = 1; gpus <= set.count; gpus++) {
		struct knapsack k;
		assert_int_equal(knapsack_load(&k, "boyer:1000:1", NULL), 0);
		assert_int_equal(solve(dp_solve_published, &k, &set, gpus, false, 0),
				 small_optimum(&k));
		knapsack_free(&k);
		assert_int_equal(knapsack_load(&k, "boyer:10000:1", NULL), 0);
		/* 2,883,787 by branch and bound (D. Pisinger's combo) */
		assert_int_equal(solve(dp_solve_published, &k, &set, gpus, false, 0), 2883787);
		knapsack_free(&k);
	}
	dev_set_close(&set);
}

/* The two solvers share only the recursion: one updates in place, the other never does. */
static void hard_instances_agree_with_the_wide_solver(void **state)
{
	static const char *const name[] = {
		"hard:400:1000000:10:0.3:0.00001:300",
		"hard:200:20000000:6:0.1:0.1:100",
		"hard:100:4000000:14:0.2:0:100:3",
	};
	struct dev_set set;
	(void)state;
	open_cuda(&set);
	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
		struct knapsack k;
		assert_int_equal(knapsack_load(&k, name[i], NULL), 0);
		int64_t value = solve(dp_solve_published, &k, &set, 1, false, 0);
		for (int gpus = 1; gpus <= set.count; gpus++)
			assert_int_equal(solve(dp_solve_wide, &k, &set, gpus, false, 0), value);
		assert_int_equal(solve(dp_solve_wide, &k, &set, 1, true, 0), value);
		int64_t second = 8 * (k.capacity + 1) + (1 << 20);
		assert_int_equal(solve(dp_solve_wide, &k, &set, 1, true, second), value);
		knapsack_free(&k);
	}
	dev_set_close(&set);
}

/* Two workers share one GPU, so that a machine with a single one tests the exchange too. What it
 * adds to the time of one worker is printed; it depends on the machine and is not checked. */
static void exchanges_are_exact_between_two_workers_of_one_gpu(void **state)
{
	static const struct {
		const char *name;
		int64_t optimum;
	} one[] = { { "boyer:10000:1", 2883787 },
		    { "boyer:10000:2", 0 },
		    { "boyer:10000:3", 0 },
		    { "boyer:30000:1", 0 },
		    { "boyer:30000:2", 0 } };
	struct dev_set set;
	(void)state;
	open_cuda(&set);
	struct dev_set twice = { .backend = set.backend,
				 .count = 2,
				 .dev = { set.dev[0], set.dev[0] } };
	for (size_t i = 0; i < sizeof(one) / sizeof(*one); i++) {
		struct knapsack k;
		assert_int_equal(knapsack_load(&k, one[i].name, NULL), 0);
		struct dp_request r = { .instance = &k, .devices = &twice, .gpus = 1 };
		struct dp_answer alone, pageable, pinned;
		assert_int_equal(dp_solve_published(&r, &alone, NULL), 0);
		r.gpus = 2;
		assert_int_equal(dp_solve_published(&r, &pageable, NULL), 0);
		r.pinned = true;
		assert_int_equal(dp_solve_published(&r, &pinned, NULL), 0);
		printf("%s: %.1f us an item; an exchange %.1f us pageable, %.1f us pinned\n",
		       k.name, alone.seconds_search / (double)k.n * 1e6,
		       (pageable.seconds_search - alone.seconds_search) / (double)k.n * 1e6,
		       (pinned.seconds_search - alone.seconds_search) / (double)k.n * 1e6);
		if (one[i].optimum)
			assert_int_equal(alone.value, one[i].optimum);
		assert_int_equal(pageable.value, alone.value);
		assert_int_equal(pinned.value, alone.value);
		assert_true(pageable.exchanges > 0);
		knapsack_free(&k);
	}
	dev_set_close(&set);
}

static void all_rungs_are_exact(void **state)
{
	struct dev_set set;
	(void)state;
	open_cuda(&set);
	struct knapsack k;
	assert_int_equal(knapsack_load(&k, "boyer:10000:1", NULL), 0);
	for (int d = 0; dp_rungs[d].name; d++) {
		for (int gpus = 1; gpus <= set.count; gpus++) {
			struct dp_request r = { .instance = &k, .devices = &set, .gpus = gpus };
			struct dp_answer a;
			struct err e = { 0 };
			dp_rung_apply(&dp_rungs[d], &r);
			if (dp_solve(dp_rungs[d].variant, &r, &a, &e))
				fail_msg("rung %s: %s", dp_rungs[d].name, e.text);
			printf("%s, rung %s, %d devices: %.3f ms\n", k.name, dp_rungs[d].name, gpus,
			       a.seconds_search * 1e3);
			assert_int_equal(a.value, 2883787);
		}
	}
	knapsack_free(&k);
	dev_set_close(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_instances_are_exact),
		cmocka_unit_test(paper_instances_have_their_known_optima),
		cmocka_unit_test(hard_instances_agree_with_the_wide_solver),
		cmocka_unit_test(exchanges_are_exact_between_two_workers_of_one_gpu),
		cmocka_unit_test(all_rungs_are_exact),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
