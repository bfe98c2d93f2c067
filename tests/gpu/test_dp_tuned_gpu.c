/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The tuned knapsack solver on CUDA devices: the paper's instances against golden optima, forms and
 * numbers of devices against one another, and the sums of the items. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "algorithms/dp-knapsack/dp.h"
#include "tests/gpu/cuda_devices.h"

/* The first compute capability on which passes hold two cells in a register. */
enum { PAIRS_COMPUTE = 9 };

/* Whether the form holds two cells in a register in some passes of a large instance. */
static bool has_pairs(enum dp_form form)
{
	struct dev_info info;

	assert_int_equal(dev_get_info(devices.dev[0], &info, NULL), 0);
	return (form == DP_FUSED || form == DP_CLASS) && info.compute_major >= PAIRS_COMPUTE;
}

static void solve(const struct knapsack *k, enum dp_form form, int gpus, bool items, int64_t budget,
		  int64_t optimum)
{
	struct dp_request r = { .instance = k,
				.form = form,
				.devices = &devices,
				.gpus = gpus,
				.want_items = items,
				.memory_budget = budget };
	struct dp_answer a;
	struct err e = { .code = 0 };
	int64_t value, weight;

	if (dp_solve_tuned(&r, &a, &e))
		fail_msg("form %s, %d devices: %s", dp_form_words[form], gpus, e.text);
	printf("%s %s, %d devices: %.3f ms, items %.3f ms, total %.3f s, %lld bytes\n", k->name,
	       dp_form_words[a.form], gpus, a.seconds_search * 1e3, a.seconds_items * 1e3,
	       a.seconds_total, (long long)a.memory_peak);
	assert_int_equal(a.value, optimum);
	if (k->n >= 100000 && gpus == 1 && has_pairs(form))
		assert_true(a.cells_paired > 0);
	if (items) {
		knapsack_evaluate(k, a.taken, &value, &weight);
		assert_int_equal(value, optimum);
		assert_true(weight <= k->capacity);
	}
	dp_answer_free(&a);
}

static void check(int64_t n, int64_t optimum)
{
	struct knapsack k;
	struct err e;
	char name[32];

	snprintf(name, sizeof(name), "boyer:%d:1", (int)n);
	assert_int_equal(knapsack_load(&k, name, &e), 0);
	for (int gpus = 1; gpus <= devices.count; gpus *= 2) {
		for (enum dp_form form = DP_FUSED; form <= DP_MERGED; form++) {
			solve(&k, form, gpus, false, 0, optimum);
			if (form != DP_FUSED)
				solve(&k, form, gpus, true, 0, optimum);
		}
		solve(&k, DP_AUTO, gpus, true, ((int64_t)4 << 30) * gpus, optimum);
	}
	knapsack_free(&k);
}

static void all_forms_solve_10000_items(void **state)
{
	(void)state;
	check(10000, 2883787);
}

static void all_forms_solve_100000_items(void **state)
{
	(void)state;
	check(100000, 28640695);
}

/* Capacities of 1e8 whose tables are far larger than the arrays; the optima are those of the
 * recursion on cores. */
static void reachable_capacities_are_those_of_cores(void **state)
{
	static const char *const names[] = { "hard:400:10000000:10:0.3:0.0001:300",
					     "hard:600:100000000:8:0.2:0.001:200",
					     "hard:400:100000000:10:0.3:0:300" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct dp_request q = { .threads = 8, .want_items = true };
		struct knapsack k;
		struct dp_answer a;
		struct err e;

		assert_int_equal(knapsack_load(&k, names[i], &e), 0);
		q.instance = &k;
		if (dp_solve_reachable(&q, &a, &e))
			fail_msg("%s: %s", names[i], e.text);
		solve(&k, DP_REACHABLE, 1, false, 0, a.value);
		solve(&k, DP_REACHABLE, 1, true, 0, a.value);
		dp_answer_free(&a);
		knapsack_free(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms_solve_10000_items),
		cmocka_unit_test(all_forms_solve_100000_items),
		cmocka_unit_test(reachable_capacities_are_those_of_cores),
	};

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
