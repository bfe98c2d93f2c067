/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The tuned knapsack solver on simulated devices: all forms, both cell widths, one to four devices,
 * items with much and with little memory, against a plain recursion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/dp-knapsack/dp.h"
#include "algorithms/dp-knapsack/solve.h"
#include "algorithms/dp-knapsack/tuned.h"

static struct dev_set devices;

static int open_devices(void **state)
{
	struct err e;

	(void)state;
	return dev_set_open(&devices, "sim:0,1,2,3", 0, &e);
}

static int close_devices(void **state)
{
	(void)state;
	dev_set_close(&devices);
	return 0;
}

/* ---- instances ---- */

struct draw {
	int64_t n, weight_from, weight_to, profit_to;
	bool related;             /* profit = weight + 50 */
	int64_t capacity_percent; /* of the sum of weights */
	int64_t scale;            /* of the profits */
};

static uint64_t next(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % below;
}

static struct knapsack instance(const struct draw *d, uint64_t seed)
{
	struct knapsack k = { .n = d->n };
	uint64_t state = seed * 77 + 1;

	k.weight = calloc((size_t)d->n, sizeof(int64_t));
	k.profit = calloc((size_t)d->n, sizeof(int64_t));
	assert_non_null(k.weight);
	assert_non_null(k.profit);
	for (int64_t i = 0; i < d->n; i++) {
		uint64_t span = (uint64_t)(d->weight_to - d->weight_from + 1);

		k.weight[i] = d->weight_from + (int64_t)next(&state, span);
		k.profit[i] = d->related ? k.weight[i] + 50 :
					   1 + (int64_t)next(&state, (uint64_t)d->profit_to);
		k.profit[i] *= d->scale;
		k.sum_weight += k.weight[i];
		k.sum_profit += k.profit[i];
	}
	k.capacity = k.sum_weight * d->capacity_percent / 100;
	return k;
}

static int64_t plain_optimum(const struct knapsack *k)
{
	int64_t *f = calloc((size_t)k->capacity + 1, sizeof(*f)), best;

	assert_non_null(f);
	for (int64_t i = 0; i < k->n; i++) {
		for (int64_t c = k->capacity; c >= k->weight[i]; c--) {
			int64_t with = f[c - k->weight[i]] + k->profit[i];

			f[c] = with > f[c] ? with : f[c];
		}
	}
	best = f[k->capacity];
	free(f);
	return best;
}

/* ---- checks ---- */

static void check_items(const struct knapsack *k, const struct dp_answer *a)
{
	int64_t value = 0, weight = 0;

	assert_non_null(a->taken);
	for (int64_t i = 0; i < k->n; i++) {
		value += a->taken[i] ? k->profit[i] : 0;
		weight += a->taken[i] ? k->weight[i] : 0;
	}
	assert_int_equal(value, a->value);
	assert_true(weight <= k->capacity);
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
	int rc = dp_solve_tuned(&r, &a, &e);

	if (rc)
		fail_msg("form %s, %d devices, items %d: %s", dp_form_words[form], gpus, items,
			 e.text);
	if (a.value != optimum)
		fail_msg("form %s, %d devices, items %d, n %lld, C %lld: %lld, the optimum is %lld",
			 dp_form_words[form], gpus, items, (long long)k->n, (long long)k->capacity,
			 (long long)a.value, (long long)optimum);
	if (items)
		check_items(k, &a);
	if (form != DP_AUTO)
		assert_int_equal(a.form, form);
	dp_answer_free(&a);
}

static void free_instance(struct knapsack *k)
{
	free(k->weight);
	free(k->profit);
}

static void all_forms(const struct draw *d, uint64_t seed, int gpus, bool items)
{
	struct knapsack k = instance(d, seed);
	int64_t optimum = plain_optimum(&k);

	for (enum dp_form form = DP_FUSED; form <= DP_MERGED; form++)
		solve(&k, form, gpus, items, 0, optimum);
	free_instance(&k);
}

static const struct draw draws[] = {
	{ 40, 1, 30, 100, false, 50, 1 },   /* random */
	{ 60, 1, 9, 0, true, 50, 1 },       /* the paper's kind: identical items */
	{ 30, 7, 7, 50, false, 60, 1 },     /* one weight, any profits */
	{ 200, 3, 3, 1, false, 70, 1 },     /* all identical: more than a pass holds */
	{ 30, 1, 40, 100, false, 100, 1 },  /* everything fits */
	{ 25, 60, 90, 1000, false, 30, 1 }, /* more residues than lanes */
	{ 1, 5, 5, 9, false, 100, 1 },
	{ 40, 1, 30, 100, false, 50, 1000000000 }, /* 64-bit cells */
	{ 60, 1, 9, 0, true, 50, 1000000000 },
};
enum { DRAWS = sizeof(draws) / sizeof(draws[0]) };

static void all_forms_are_exact_on_one_device(void **state)
{
	(void)state;
	for (size_t i = 0; i < DRAWS; i++)
		all_forms(&draws[i], i, 1, false);
}

static void all_forms_are_exact_on_several_devices(void **state)
{
	(void)state;
	for (size_t i = 0; i < DRAWS; i++)
		all_forms(&draws[i], i + 100, 2 + (int)i % 3, false);
}

static void items_sum_to_the_optimum(void **state)
{
	(void)state;
	for (size_t i = 0; i < DRAWS; i++)
		all_forms(&draws[i], i + 200, 1 + (int)i % 3, true);
}

/* Every rung of the ladder, on one and on several devices. */
static void rung(const struct knapsack *k, const struct solve_rung *rung, int gpus, int64_t optimum)
{
	struct dp_request r = { .instance = k, .devices = &devices, .gpus = gpus };
	struct dp_answer a;
	struct err e = { .code = 0 };

	dp_rung_apply(rung, &r);
	if (dp_solve(rung->variant, &r, &a, &e))
		fail_msg("rung %s, %d devices: %s", rung->name, gpus, e.text);
	if (a.value != optimum)
		fail_msg("rung %s, %d devices, n %lld: %lld, the optimum is %lld", rung->name, gpus,
			 (long long)k->n, (long long)a.value, (long long)optimum);
}

static void all_rungs_are_exact(void **state)
{
	(void)state;
	for (size_t i = 0; i < DRAWS; i++) {
		struct knapsack k = instance(&draws[i], i + 300);
		int64_t optimum = plain_optimum(&k);

		for (int d = 0; dp_rungs[d].name; d++) {
			rung(&k, &dp_rungs[d], 1, optimum);
			rung(&k, &dp_rungs[d], 2 + (int)i % 3, optimum);
		}
		free_instance(&k);
	}
}

static double cells_done(const struct knapsack *k, const char *name)
{
	const struct solve_rung *one = solve_rung_find(dp_rungs, NULL, name);
	struct dp_request r = { .instance = k, .devices = &devices, .gpus = 1 };
	struct dp_answer a;

	assert_non_null(one);
	dp_rung_apply(one, &r);
	assert_int_equal(dp_solve(one->variant, &r, &a, NULL), 0);
	return a.cells_done;
}

/* An idea that leaves out work must really do so. */
static void rungs_leave_out_what_their_idea_says(void **state)
{
	static const struct draw wide = { 60, 1, 900, 0, true, 50, 1 };
	struct knapsack k = instance(&wide, 7);

	(void)state;
	assert_true(cells_done(&k, "literal") == cells_done(&k, "pinned"));
	assert_true(cells_done(&k, "trim") < cells_done(&k, "one-launch"));
	free_instance(&k);
	k = instance(&draws[1], 7);
	assert_true(cells_done(&k, "merged") < cells_done(&k, "class"));
	free_instance(&k);
}

/* Two cells in a register: tiles of one and of two full windows, values that fit into 16 bits, that
 * do not fit, and whose gains do not fit, on one and two devices. */
static void pairs_are_exact(void **state)
{
	static const struct draw wide[] = {
		{ 300, 1, 500, 0, true, 60, 1 },        /* the paper's kind */
		{ 250, 33, 480, 0, true, 50, 1 },       /* one and two chains in a thread */
		{ 400, 1, 30, 0, true, 60, 1 },         /* bands of existing cells only */
		{ 300, 20, 40, 0, true, 60, 1 },        /* the same */
		{ 250, 1, 500, 2500, false, 70, 1 },    /* steep at first, then flat */
		{ 220, 250, 400, 600, false, 60, 1 },   /* random */
		{ 250, 300, 340, 32000, false, 60, 1 }, /* gains near 16 bits */
		{ 250, 300, 340, 32000, false, 60, 3 }, /* gains above 16 bits */
	};
	double paired[2] = { 0, 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
		for (enum dp_form form = DP_FUSED; form <= DP_CLASS; form++) {
			struct knapsack k = instance(&wide[i], i + 400);
			struct dp_request r = {
				.instance = &k, .form = form, .devices = &devices, .gpus = 1
			};
			int64_t optimum = plain_optimum(&k);
			struct dp_answer a;

			assert_int_equal(dp_solve_tuned(&r, &a, NULL), 0);
			assert_int_equal(a.value, optimum);
			assert_true(a.cells_paired <= a.cells_done);
			paired[form == DP_CLASS] += a.cells_paired;
			assert_true(wide[i].scale == 1 || a.cells_paired == 0);
			solve(&k, form, 2, form == DP_CLASS, 0, optimum);
			r.single_cells = true;
			assert_int_equal(dp_solve_tuned(&r, &a, NULL), 0);
			assert_int_equal(a.value, optimum);
			assert_true(a.cells_paired == 0);
			free_instance(&k);
		}
	}
	assert_true(paired[0] > 0 && paired[1] > 0);
}

/* With little memory the items come from checkpoints; with too little the request is refused. */
static void items_work_from_checkpoints_or_name_the_bytes(void **state)
{
	static const struct draw d = { 120, 1, 20, 60, false, 50, 1 };
	struct knapsack k = instance(&d, 5);
	int64_t optimum = plain_optimum(&k);
	struct dp_request r = { .instance = &k,
				.form = DP_CLASS,
				.devices = &devices,
				.gpus = 1,
				.want_items = true,
				.memory_budget = 3000 };
	struct dp_answer a;
	struct err e;

	(void)state;
	for (enum dp_form form = DP_FUSED; form <= DP_MERGED; form++) {
		for (int gpus = 1; gpus <= 2; gpus++)
			solve(&k, form, gpus, true, gpus == 1 ? 28000 : 60000, optimum);
	}
	assert_int_equal(dp_solve_tuned(&r, &a, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "bytes"));
	free_instance(&k);
}

static void instances_without_work_are_solved(void **state)
{
	int64_t weight[] = { 0, 50, 3 }, profit[] = { 7, 100, 0 };
	struct knapsack k = { .n = 3,
			      .capacity = 10,
			      .weight = weight,
			      .profit = profit,
			      .sum_weight = 53,
			      .sum_profit = 107 };

	(void)state;
	solve(&k, DP_AUTO, 1, true, 0, 7);
	k.capacity = 0;
	solve(&k, DP_AUTO, 1, true, 0, 7);
}

static void runs_stop_at_the_flag(void **state)
{
	static const struct draw d = { 20, 1, 9, 9, false, 50, 1 };
	struct knapsack k = instance(&d, 1);
	volatile sig_atomic_t stop = 1;
	struct dp_request r = { .instance = &k, .devices = &devices, .gpus = 1, .stop = &stop };
	struct dp_answer a;
	struct err e;

	(void)state;
	assert_int_equal(dp_solve_tuned(&r, &a, &e), ERR_LIMIT);
	free_instance(&k);
}

static void wrong_device_counts_are_refused(void **state)
{
	static const struct draw d = { 5, 1, 9, 9, false, 50, 1 };
	struct knapsack k = instance(&d, 1);
	struct dp_request r = { .instance = &k, .devices = &devices, .gpus = 5 };
	struct dp_answer a;
	struct err e;

	(void)state;
	assert_int_equal(dp_solve_tuned(&r, &a, &e), ERR_USAGE);
	free_instance(&k);
}

/* The number of devices that an as_pays request uses if `least` cell updates pay for more. Only the
 * first of the set has started. The answer is that of the same request on one device. */
static int devices_used(const struct knapsack *k, const char *text, enum dp_form form, bool items,
			int gpus, double least)
{
	struct dev_set set;
	struct dp_request one = {
		.instance = k, .form = form, .want_items = items, .devices = &devices, .gpus = 1
	};
	struct dp_request r = one;
	struct dp_answer alone, a;
	struct err e = { .code = 0 };

	assert_int_equal(dev_set_open_first(&set, text, 0, &e), 0);
	assert_int_equal(dev_set_await(&set, &e), 0);
	r.devices = &set;
	r.gpus = gpus;
	r.as_pays = !gpus;
	r.paying_cells = least;
	if (dp_solve_tuned(&one, &alone, &e) || dp_solve_tuned(&r, &a, &e))
		fail_msg("%s: %s", text, e.text);
	assert_int_equal(alone.devices, 1);
	assert_int_equal(a.value, alone.value);
	if (items)
		check_items(k, &a);
	dp_answer_free(&alone);
	dp_answer_free(&a);
	dev_set_close(&set);
	return a.devices;
}

static void more_devices_begin_where_they_pay(void **state)
{
	static const struct draw d = { 60, 1, 30, 100, false, 50, 1 };
	struct knapsack k = instance(&d, 7);
	double cells = dp_toth_cells(&k);

	(void)state;
	for (int form = DP_AUTO; form <= DP_MERGED; form++) {
		for (int items = 0; items < 2; items++) {
			assert_int_equal(devices_used(&k, "sim:0,1", form, items, 0, cells + 1), 1);
			assert_int_equal(devices_used(&k, "sim:0,1", form, items, 0, cells), 2);
			assert_int_equal(devices_used(&k, "sim:0,1", form, items, 0, 0), 1);
			/* a number is a request for as many */
			assert_int_equal(devices_used(&k, "sim:0,1", form, items, 2, cells + 1), 2);
			assert_int_equal(devices_used(&k, "sim", form, items, 0, cells), 1);
		}
	}
	free_instance(&k);
}

/* As many devices as start and reach one another, or the first alone. */
static void devices_that_fail_are_left_out(void **state)
{
	static const char *const failures[] = { "COPRA_SIM_STARTS", "COPRA_SIM_PEERS" };
	static const struct draw d = { 60, 1, 30, 100, false, 50, 1 };
	struct knapsack k = instance(&d, 7);
	double cells = dp_toth_cells(&k);

	(void)state;
	for (int f = 0; f < 2; f++) {
		assert_int_equal(setenv(failures[f], "1", 1), 0);
		for (int form = DP_AUTO; form <= DP_MERGED; form++)
			assert_int_equal(devices_used(&k, "sim:0,1", form, form % 2, 0, cells), 1);
		assert_int_equal(setenv(failures[f], "2", 1), 0);
		assert_int_equal(devices_used(&k, "sim:0,1", DP_AUTO, true, 0, cells), 2);
		assert_int_equal(unsetenv(failures[f]), 0);
	}
	free_instance(&k);
}

/* However often devices are opened, and however long that takes. */
static void a_time_limit_counts_from_the_call(void **state)
{
	struct dp_request r = { .devices = &devices, .time_limit = 5 };
	struct dp_tuned_devices t;
	struct err e;

	(void)state;
	for (int first = 0; first < 2; first++) {
		assert_int_equal(dp_tuned_open(&t, &r, first, 1000, &e), 0);
		assert_true(t.deadline == 1005);
		dp_tuned_close(&t);
	}
}

/* As predicted from recorded runs: a form's least size (tuned.c). */
static void each_form_has_a_least_size(void **state)
{
	static const struct {
		enum dp_form form;
		double cells;
	} least[] = { { DP_FUSED, 2.3e12 }, { DP_CLASS, 5.8e12 }, { DP_MERGED, 1.14e14 } };

	(void)state;
	for (size_t i = 0; i < sizeof(least) / sizeof(least[0]); i++)
		for (int above = 0; above < 2; above++) {
			/* 4 C cells, as if many more items followed */
			int64_t capacity = (int64_t)(least[i].cells / 4) + (above ? 1 : -1);
			int64_t weight[4] = { 1, 1, 1, 1 }, profit[4] = { 1, 1, 1, 1 };
			struct knapsack k = { .n = 4,
					      .capacity = capacity,
					      .sum_weight = 1000 * capacity,
					      .weight = weight,
					      .profit = profit };
			struct dp_request r = { .instance = &k, .devices = &devices };

			assert_int_equal(dp_tuned_pays(&r, least[i].form), above);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms_are_exact_on_one_device),
		cmocka_unit_test(all_forms_are_exact_on_several_devices),
		cmocka_unit_test(all_rungs_are_exact),
		cmocka_unit_test(rungs_leave_out_what_their_idea_says),
		cmocka_unit_test(pairs_are_exact),
		cmocka_unit_test(items_sum_to_the_optimum),
		cmocka_unit_test(items_work_from_checkpoints_or_name_the_bytes),
		cmocka_unit_test(instances_without_work_are_solved),
		cmocka_unit_test(runs_stop_at_the_flag),
		cmocka_unit_test(wrong_device_counts_are_refused),
		cmocka_unit_test(more_devices_begin_where_they_pay),
		cmocka_unit_test(devices_that_fail_are_left_out),
		cmocka_unit_test(a_time_limit_counts_from_the_call),
		cmocka_unit_test(each_form_has_a_least_size),
	};

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
