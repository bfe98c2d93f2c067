/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* serial and cpu, in every form, with and without the items, against a plain two-dimensional table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/dp-knapsack/plan.h"
#include "datasets/knapsack/knapsack.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/dp-knapsack/small_knapsacks.h"

/* f_k(c) for all k and c, by the plain recursion. */
static int64_t table_optimum(const struct knapsack *k)
{
	int64_t width = k->capacity + 1, value;
	int64_t *f = calloc((size_t)((k->n + 1) * width), sizeof(*f));

	assert_non_null(f);
	for (int64_t i = 1; i <= k->n; i++) {
		for (int64_t c = 0; c <= k->capacity; c++) {
			int64_t without = f[(i - 1) * width + c], with = -1;

			if (k->weight[i - 1] <= c)
				with = f[(i - 1) * width + c - k->weight[i - 1]] + k->profit[i - 1];
			f[i * width + c] = with > without ? with : without;
		}
	}
	value = f[k->n * width + k->capacity];
	free(f);
	return value;
}

static void check_answer(const struct dp_request *r, const struct dp_answer *a, int64_t optimum,
			 const char *what)
{
	int64_t value = 0, weight = 0;

	if (a->value != optimum)
		fail_msg("%s: value %lld, optimum %lld (%s, %d threads)", what, (long long)a->value,
			 (long long)optimum, dp_form_words[r->form], r->threads);
	if (!r->want_items) {
		assert_null(a->taken);
		return;
	}
	assert_non_null(a->taken);
	for (int64_t i = 0; i < r->instance->n; i++) {
		assert_true(a->taken[i] <= 1);
		value += a->taken[i] ? r->instance->profit[i] : 0;
		weight += a->taken[i] ? r->instance->weight[i] : 0;
	}
	assert_int_equal(value, optimum);
	assert_true(weight <= r->instance->capacity);
}

static void solve_cpu(const struct dp_request *r, int64_t optimum, const char *what)
{
	struct dp_answer a;
	struct err e = { 0 };

	if (dp_solve_cpu(r, &a, &e))
		fail_msg("%s: %s", what, e.text);
	check_answer(r, &a, optimum, what);
	dp_answer_free(&a);
}

static void solve_serial(const struct dp_request *r, int64_t optimum)
{
	struct dp_answer a;
	struct err e = { 0 };

	if (dp_solve_serial(r, &a, &e))
		fail_msg("%s", e.text);
	check_answer(r, &a, optimum, "serial");
	assert_true(a.cells == dp_toth_cells(r->instance));
	assert_true(a.cells_done == a.cells);
	dp_answer_free(&a);
}

static void solve_all(const struct knapsack *k, int64_t optimum, int threads, const char *what)
{
	struct dp_request r = { .instance = k, .threads = threads };

	for (int items = 0; items < 2; items++) {
		r.want_items = items;
		solve_serial(&r, optimum);
		for (int form = DP_AUTO; form <= DP_REACHABLE; form++) {
			r.form = (enum dp_form)form;
			solve_cpu(&r, optimum, what);
		}
	}
}

static void random_instances_match_the_plain_table(void **state)
{
	struct rng r = rng_seeded(1);
	int trials = small_trials(3600);

	(void)state;
	for (int t = 0; t < trials; t++) {
		struct small_knapsack s;
		char what[32];

		small_knapsack(&s, &r, t, t % 5 ? 300 : 5000);
		snprintf(what, sizeof(what), "trial %d", t);
		solve_all(&s.k, table_optimum(&s.k), 1 + t % 4, what);
	}
}

/* Many items per weight, so that chains and windows of all lengths occur. */
static void make_classes(struct knapsack *k, struct rng *r, int64_t n, int64_t weights,
			 int64_t profits)
{
	k->n = n;
	k->sum_profit = k->sum_weight = 0;
	for (int64_t i = 0; i < n; i++) {
		k->weight[i] = rng_between(r, 1, weights);
		k->profit[i] = rng_between(r, 1, profits) + k->weight[i];
		k->sum_weight += k->weight[i];
		k->sum_profit += k->profit[i];
	}
	k->capacity = rng_between(r, k->sum_weight / 4, k->sum_weight);
}

static void classes_and_identical_items_match_the_plain_table(void **state)
{
	enum { ITEMS = 900 };
	int64_t profit[ITEMS], weight[ITEMS];
	struct knapsack k = { .profit = profit, .weight = weight };
	struct rng r = rng_seeded(2);
	int trials = small_trials(180);

	(void)state;
	for (int t = 0; t < trials; t++) {
		int64_t optimum;
		struct err e = { 0 };

		make_classes(&k, &r, rng_between(&r, 40, ITEMS), rng_between(&r, 1, 60),
			     rng_between(&r, 1, 20));
		if (knapsack_oracle(&k, 0, 0, &optimum, &e))
			fail_msg("%s", e.text);
		for (int form = DP_FUSED; form <= DP_REACHABLE; form++) {
			struct dp_request q = { .instance = &k,
						.form = (enum dp_form)form,
						.threads = 1 + t % 4,
						.want_items = t % 2 };

			solve_cpu(&q, optimum, "classes");
		}
	}
}

static void values_beyond_32_bits_are_exact(void **state)
{
	int64_t profit[60], weight[60];
	struct knapsack k = { .profit = profit, .weight = weight };
	struct rng r = rng_seeded(3);

	(void)state;
	for (int t = 0; t < small_trials(90); t++) {
		make_classes(&k, &r, 60, t % 2 ? 4 : 50, 1000);
		for (int64_t i = 0; i < k.n; i++)
			profit[i] <<= 30 + t % 10;
		k.sum_profit <<= 30 + t % 10;
		solve_all(&k, table_optimum(&k), 1 + t % 3, "wide");
	}
}

/* Every budget gives the right items or an error that names the bytes. */
static void small_budgets_give_items_or_name_the_bytes(void **state)
{
	struct knapsack k;
	struct err e = { 0 };
	struct dp_answer a;
	int refused = 0, solved = 0;
	int64_t optimum;

	(void)state;
	assert_int_equal(knapsack_load(&k, "boyer:150", &e), 0);
	optimum = table_optimum(&k);
	for (int form = DP_FUSED; form <= DP_REACHABLE; form++) {
		for (int64_t budget = 1000; budget < 1 << 24; budget += budget / 3) {
			struct dp_request r = { .instance = &k,
						.form = (enum dp_form)form,
						.threads = 2,
						.want_items = true,
						.memory_budget = budget };

			if (dp_solve_cpu(&r, &a, &e)) {
				assert_int_equal(e.code, ERR_MEMORY);
				assert_non_null(strstr(e.text, "bytes"));
				refused++;
				continue;
			}
			check_answer(&r, &a, optimum, "budget");
			dp_answer_free(&a);
			solved++;
		}
	}
	assert_true(refused > 0 && solved > 0);
	knapsack_free(&k);
}

/* The paper's size where it is fast; a smaller one under a sanitizer. */
static void paper_instance_has_its_known_optimum(void **state)
{
	const char *name = SANITIZED ? "boyer:1200:2" : "boyer:10000:1";
	struct knapsack k;
	struct err e = { 0 };
	int64_t optimum;

	(void)state;
	assert_int_equal(knapsack_load(&k, name, &e), 0);
	if (!knapsack_known_optimum(&k, &optimum, NULL))
		assert_int_equal(knapsack_oracle(&k, 0, 0, &optimum, &e), 0);
	for (int form = DP_FUSED; form <= DP_REACHABLE; form++) {
		struct dp_request r = {
			.instance = &k, .form = (enum dp_form)form, .threads = 2, .want_items = true
		};

		solve_cpu(&r, optimum, name);
	}
	knapsack_free(&k);
}

static void heavy_items_match_the_plain_table(void **state)
{
	static const char *const names[] = { "hard:60:200000:4:0.3:0.01:50",
					     "hard:90:300000:10:0.1:0.0001:300" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct knapsack k;
		struct err e = { 0 };
		struct dp_request r = { .instance = &k, .threads = 3, .want_items = true };
		int64_t optimum;

		assert_int_equal(knapsack_load(&k, names[i], &e), 0);
		assert_int_equal(knapsack_oracle(&k, 0, 0, &optimum, &e), 0);
		solve_cpu(&r, optimum, names[i]);
		knapsack_free(&k);
	}
}

/* The serial loop is checked against the engine after every block, and the value against the
 * oracle. */
static void serial_samples_the_whole_recursion(void **state)
{
	struct knapsack k;
	struct err e = { 0 };
	struct dp_request r = { .instance = &k, .threads = 2 };
	struct dp_answer a;
	int64_t optimum;

	(void)state;
	assert_int_equal(knapsack_load(&k, "boyer:900", &e), 0);
	assert_int_equal(knapsack_oracle(&k, 0, 0, &optimum, &e), 0);
	r.sample_cells = dp_toth_cells(&k) / 8;
	if (dp_solve_serial(&r, &a, &e))
		fail_msg("%s", e.text);
	assert_int_equal(a.value, optimum);
	assert_true(a.cells_timed > a.cells / 16 && a.cells_timed < a.cells / 4);
	assert_true(a.cells_done == a.cells && a.seconds_search > 0);
	r.want_items = true;
	assert_int_equal(dp_solve_serial(&r, &a, &e), ERR_UNSUPPORTED);
	knapsack_free(&k);
}

/* Blocks would overlap: everything is timed. */
static void serial_times_small_instances_in_full(void **state)
{
	struct knapsack k;
	struct err e = { 0 };
	struct dp_request r = { .instance = &k, .sample_cells = 1000 };
	struct dp_answer a;
	int64_t optimum;

	(void)state;
	assert_int_equal(knapsack_load(&k, "boyer:20", &e), 0);
	assert_int_equal(knapsack_oracle(&k, 0, 0, &optimum, &e), 0);
	assert_int_equal(dp_solve_serial(&r, &a, &e), 0);
	assert_int_equal(a.value, optimum);
	assert_true(a.cells_timed == a.cells);
	knapsack_free(&k);
}

static void runs_stop_at_the_flag_and_the_time_limit(void **state)
{
	static const volatile sig_atomic_t raised = 1;
	struct knapsack k;
	struct err e = { 0 };
	struct dp_request r = { .instance = &k, .threads = 2, .stop = &raised };
	struct dp_answer a;

	(void)state;
	assert_int_equal(knapsack_load(&k, "boyer:600", &e), 0);
	assert_int_equal(dp_solve_cpu(&r, &a, &e), ERR_LIMIT);
	assert_int_equal(dp_solve_serial(&r, &a, &e), ERR_LIMIT);
	r.stop = NULL;
	r.time_limit = 1e-6;
	assert_int_equal(dp_solve_cpu(&r, &a, &e), ERR_LIMIT);
	assert_int_equal(dp_solve_serial(&r, &a, &e), ERR_LIMIT);
	knapsack_free(&k);
}

static void tables_larger_than_memory_are_refused(void **state)
{
	int64_t profit[2] = { 5, 6 }, weight[2] = { INT64_C(1) << 60, INT64_C(1) << 60 };
	struct knapsack k = { .n = 2,
			      .capacity = INT64_C(1) << 60,
			      .profit = profit,
			      .weight = weight,
			      .sum_profit = 11,
			      .sum_weight = INT64_C(1) << 61 };
	struct dp_request r = { .instance = &k, .threads = 1, .want_items = true };
	struct dp_answer a;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(dp_solve_cpu(&r, &a, &e), ERR_MEMORY);
	assert_int_equal(dp_solve_serial(&r, &a, &e), ERR_MEMORY);
}

static void values_near_64_bits_are_refused(void **state)
{
	int64_t profit[2] = { INT64_C(1) << 61, INT64_C(1) << 61 }, weight[2] = { 1, 2 };
	struct knapsack k = { .n = 2,
			      .capacity = 2,
			      .profit = profit,
			      .weight = weight,
			      .sum_profit = INT64_C(1) << 62,
			      .sum_weight = 3 };
	struct dp_request r = { .instance = &k, .threads = 1 };
	struct dp_answer a;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(dp_solve_cpu(&r, &a, &e), ERR_INPUT);
	assert_int_equal(dp_solve_serial(&r, &a, &e), 0);
	assert_true(a.value == INT64_C(1) << 61);
}

/* ---- the plan ---- */

static int64_t one_value(void *ctx, int64_t c)
{
	const int64_t *f = ctx;

	return f[c];
}

static void plan_groups_items_and_trims_cells(void **state)
{
	int64_t profit[] = { 9, 4, 7, 0, 3, 4, 50, 4 }, weight[] = { 3, 2, 3, 1, 0, 2, 99, 2 };
	struct knapsack k = { .n = 8, .capacity = 5, .profit = profit, .weight = weight };
	int64_t f[] = { 0, 0, 4, 4, 8, 8 }, lo, hi;
	uint8_t taken[8] = { 0 };
	struct dp_plan p;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(dp_plan_create(&p, &k, &e), 0);
	/* kept: two of weight 2 (5 / 2), one of weight 3; the free one apart; worthless and heavy
	 * out */
	assert_int_equal(p.n, 3);
	assert_int_equal(p.base_value, 3);
	assert_int_equal(p.class_count, 2);
	assert_int_equal(p.kind_count, 2);
	assert_int_equal(p.classes[0].count, 2);
	assert_true(p.classes[0].uniform);
	assert_int_equal(p.profit[2], 9);
	assert_int_equal(p.capacity, 5);
	dp_plan_live(&p, 2, &lo, &hi);
	assert_int_equal(lo, 2);
	assert_int_equal(hi, 4);
	/* step 1 (weight 3, profit 9) at c = 5: f_1(2) + 9 = 13 */
	assert_int_equal(dp_plan_taken(&p, &p.classes[1], 5, 13, one_value, f), 1);
	assert_int_equal(dp_plan_taken(&p, &p.classes[1], 5, 8, one_value, f), 0);
	assert_int_equal(dp_plan_taken(&p, &p.classes[1], 5, 14, one_value, f), -1);
	dp_plan_mark(&p, &p.classes[1], 1, taken);
	dp_plan_mark_always(&p, taken);
	assert_memory_equal(taken, ((uint8_t[]){ 1, 0, 0, 0, 1, 0, 0, 0 }), 8);
	dp_plan_destroy(&p);
}

static void plan_chooses_the_form_by_the_instance(void **state)
{
	static const struct {
		const char *name;
		enum dp_form form;
	} cases[] = { { "boyer:10000", DP_MERGED },
		      { "correlation:uncorrelated:10000", DP_CLASS },
		      { "boyer:100", DP_FUSED },
		      { "hard:400:1000000:10:0.3:0.0001:300", DP_FUSED } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct knapsack k;
		struct dp_plan p;
		struct err e = { 0 };

		assert_int_equal(knapsack_load(&k, cases[i].name, &e), 0);
		assert_int_equal(dp_plan_create(&p, &k, &e), 0);
		if (dp_plan_form(&p) != cases[i].form)
			fail_msg("%s: form %s", cases[i].name, dp_form_words[dp_plan_form(&p)]);
		dp_plan_destroy(&p);
		knapsack_free(&k);
	}
}

static void checkpoints_fit_their_budget(void **state)
{
	struct knapsack k;
	struct dp_plan p;
	struct dp_checkpoint c[50];
	struct err e = { 0 };

	(void)state;
	assert_int_equal(knapsack_load(&k, "boyer:2000", &e), 0);
	assert_int_equal(dp_plan_create(&p, &k, &e), 0);
	for (int64_t budget = 0; budget < 1 << 26; budget = 2 * budget + 1000) {
		int64_t bytes = 0,
			n = dp_plan_checkpoints(&p, p.classes, p.class_count, 50, 4, budget, c);

		assert_in_range(n, 0, 50);
		for (int64_t i = 0; i < n; i++) {
			int64_t lo, hi;

			assert_true(i == 0 ? c[i].step > 0 : c[i].step > c[i - 1].step);
			dp_plan_live(&p, p.classes[c[i].step].first, &lo, &hi);
			assert_int_equal(c[i].lo, lo);
			assert_int_equal(c[i].cells, hi - lo + 1);
			bytes += 4 * c[i].cells;
		}
		assert_true(bytes <= budget);
		assert_true(budget < 1 << 25 || n == 50);
	}
	dp_plan_destroy(&p);
	knapsack_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plan_groups_items_and_trims_cells),
		cmocka_unit_test(plan_chooses_the_form_by_the_instance),
		cmocka_unit_test(checkpoints_fit_their_budget),
		cmocka_unit_test(random_instances_match_the_plain_table),
		cmocka_unit_test(classes_and_identical_items_match_the_plain_table),
		cmocka_unit_test(values_beyond_32_bits_are_exact),
		cmocka_unit_test(small_budgets_give_items_or_name_the_bytes),
		cmocka_unit_test(paper_instance_has_its_known_optimum),
		cmocka_unit_test(heavy_items_match_the_plain_table),
		cmocka_unit_test(serial_samples_the_whole_recursion),
		cmocka_unit_test(serial_times_small_instances_in_full),
		cmocka_unit_test(runs_stop_at_the_flag_and_the_time_limit),
		cmocka_unit_test(tables_larger_than_memory_are_refused),
		cmocka_unit_test(values_near_64_bits_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
