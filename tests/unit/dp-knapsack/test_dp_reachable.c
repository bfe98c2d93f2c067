/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The recursion on reachable capacities: its sets against tables of flags, and its answers on
 * instances of groups of heavy items against the plain recursion. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "algorithms/dp-knapsack/reachable.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/dp-knapsack/small_knapsacks.h"

/* ---- sets ---- */

enum { WIDTH = 200 };

/* Sets flag[c] for all c of the set, and checks its order. */
static void flags_of(const struct dp_capacities *s, bool *flag)
{
	memset(flag, 0, WIDTH * sizeof(*flag));
	for (int64_t i = 0; i < s->count; i++) {
		assert_true(s->interval[i].lo <= s->interval[i].hi);
		if (i)
			assert_true(s->interval[i].lo > s->interval[i - 1].hi);
		for (int64_t c = s->interval[i].lo; c <= s->interval[i].hi; c++) {
			assert_in_range(c, 0, WIDTH - 1);
			flag[c] = true;
		}
	}
}

static void random_set(struct dp_capacities *s, struct rng *r, struct err *e)
{
	assert_int_equal(dp_capacities_single(s, 0, 0, e), 0);
	for (int i = 0; i < 4; i++) {
		struct dp_capacities more = { .interval = NULL };

		assert_int_equal(dp_capacities_with_shifted(&more, s, rng_between(r, 1, 45), 0,
							    WIDTH - 1, rng_between(r, 0, 2), e),
				 0);
		dp_capacities_free(s);
		*s = more;
	}
}

static void sets_are_those_of_flags(void **state)
{
	struct rng r = rng_seeded(3);
	struct err e = { 0 };

	(void)state;
	for (int t = 0; t < small_trials(600); t++) {
		struct dp_capacities a = { .count = 0 }, b = { .count = 0 }, out = { .count = 0 };
		bool in_a[WIDTH], in_b[WIDTH], in_out[WIDTH];
		int64_t shift = rng_between(&r, -60, 60), low = rng_between(&r, 0, 40);
		int64_t high = rng_between(&r, 100, WIDTH - 1), gap = rng_between(&r, 0, 4),
			rank = 0;

		random_set(&a, &r, &e);
		random_set(&b, &r, &e);
		flags_of(&a, in_a);
		flags_of(&b, in_b);
		assert_int_equal(dp_capacities_common(&out, &a, &b, &e), 0);
		flags_of(&out, in_out);
		for (int64_t c = 0; c < WIDTH; c++) {
			assert_int_equal(in_out[c], in_a[c] && in_b[c]);
			assert_int_equal(dp_capacities_rank(&out, c), in_out[c] ? rank : -1);
			rank += in_out[c];
		}
		assert_int_equal(dp_capacities_size(&out), rank);
		assert_int_equal(dp_capacities_with_shifted(&out, &a, shift, low, high, gap, &e),
				 0);
		flags_of(&out, in_out);
		for (int64_t c = 0; c < WIDTH; c++) {
			bool moved = c - shift >= 0 && c - shift < WIDTH && in_a[c - shift];
			bool inside = c >= low && c <= high;

			if (inside && (in_a[c] || moved))
				assert_true(in_out[c]);
			if (!inside || gap == 0)
				assert_int_equal(in_out[c], inside && (in_a[c] || moved));
		}
		for (int64_t i = 1; i < out.count; i++)
			assert_true(out.interval[i].lo - out.interval[i - 1].hi > gap + 1);
		dp_capacities_free(&a);
		dp_capacities_free(&b);
		dp_capacities_free(&out);
	}
}

/* ---- answers ---- */

static void check_answer(const struct dp_request *q, const struct dp_answer *a, int64_t optimum)
{
	int64_t value, weight;

	assert_int_equal(a->value, optimum);
	if (!q->want_items) {
		assert_null(a->taken);
		return;
	}
	assert_non_null(a->taken);
	knapsack_evaluate(q->instance, a->taken, &value, &weight);
	assert_int_equal(value, optimum);
	assert_true(weight <= q->instance->capacity);
}

/* An instance as of Jooken et al.: groups of weights near C/2, C/4, ..., and light items. */
static void grouped(struct small_knapsack *s, struct rng *r, int64_t capacity, int groups)
{
	int64_t small = rng_between(r, 1, 60), shift = rng_between(r, 0, 2) * capacity / 1000;

	memset(s, 0, sizeof(*s));
	s->k.profit = s->profit;
	s->k.weight = s->weight;
	s->k.capacity = capacity;
	s->k.n = SMALL_ITEMS;
	for (int64_t i = 0; i < s->k.n; i++) {
		int64_t group = i % (groups + 1);
		int64_t base = group ? (capacity >> group) + shift : 0;

		s->weight[i] = base + rng_between(r, 1, small);
		s->profit[i] = base + rng_between(r, 1, small);
	}
	small_sums(s);
}

static void groups_of_heavy_items_match_the_plain_recursion(void **state)
{
	struct rng r = rng_seeded(7);
	struct err e = { 0 };
	int refused = 0;

	(void)state;
	for (int t = 0; t < small_trials(120); t++) {
		struct small_knapsack s;
		struct dp_answer a;
		struct dp_request q = { .instance = &s.k,
					.threads = 1 + t % 4,
					.want_items = t % 3 != 0 };

		grouped(&s, &r, rng_between(&r, 1000, t % 8 ? 100000 : 3000000), 2 + t % 6);
		if (t % 5 == 4) /* profits that need cells of 64 bits */
			for (int64_t i = 0; i < s.k.n; i++)
				s.profit[i] *= 1 + (INT64_C(1) << 30);
		/* memory for the decisions of a part of the items */
		q.memory_budget = t % 2 ? rng_between(&r, 1000, 30000) : 0;
		if (dp_solve_reachable(&q, &a, &e)) {
			if (e.code != ERR_MEMORY || q.memory_budget == 0)
				fail_msg("trial %d: %s", t, e.text);
			assert_non_null(strstr(e.text, "bytes at least"));
			refused++;
			continue;
		}
		check_answer(&q, &a, small_optimum(&s.k));
		assert_int_equal(a.form, DP_REACHABLE);
		dp_answer_free(&a);
	}
	assert_true(refused < small_trials(120) / 4);
}

/* Devices whose memory holds the arrays or not, with or without the decisions of some items. */
static void little_memory_on_devices_is_enough(void **state)
{
	enum { LEAST_MEMORY = 4096 };
	struct rng r = rng_seeded(14);
	struct err e = { 0 };
	int in_parts = 0, trials = small_trials(60);

	(void)state;
	for (int t = 0; t < trials; t++) {
		struct dev_set set;
		struct small_knapsack s;
		struct dp_answer a;
		struct dp_reach_work work;
		char memory[32];
		struct dp_request q = {
			.instance = &s.k, .threads = 1, .devices = &set, .want_items = true
		};

		grouped(&s, &r, rng_between(&r, 1000, 3000000), 2 + t % 6);
		assert_int_equal(dp_reach_estimate(&q, &work, &e), 0);
		snprintf(memory, sizeof(memory), "%" PRId64,
			 dp_max(LEAST_MEMORY,
				(int64_t)(work.array_bytes * (1 + t % 8 / 4.0)) + 64 * (t % 50)));
		assert_int_equal(setenv("COPRA_SIM_MEMORY", memory, 1), 0);
		open_devices(&set, 1, "random", t);
		q.memory_budget = t % 3 ? 0 : 500 + (int64_t)work.bit_bytes / 2;
		if (dp_solve_reachable(&q, &a, &e)) {
			if (e.code != ERR_MEMORY || q.memory_budget == 0)
				fail_msg("trial %d: %s", t, e.text);
			assert_non_null(strstr(e.text, "bytes at least"));
		} else {
			check_answer(&q, &a, small_optimum(&s.k));
			in_parts += q.memory_budget > 0;
			dp_answer_free(&a);
		}
		dev_set_close(&set);
	}
	assert_int_equal(unsetenv("COPRA_SIM_MEMORY"), 0);
	assert_true(in_parts > 0);
}

/* The estimate is the work of the first round that finds a choice. */
static void the_estimate_is_the_first_round(void **state)
{
	struct rng r = rng_seeded(13);
	struct err e = { 0 };
	int one_round = 0, trials = small_trials(60);

	(void)state;
	for (int t = 0; t < trials; t++) {
		struct small_knapsack s;
		struct dp_answer a;
		struct dp_reach_work work;
		struct dp_request q = { .instance = &s.k, .threads = 1 };

		grouped(&s, &r, rng_between(&r, 1000, 3000000), 2 + t % 6);
		if (dp_reach_estimate(&q, &work, &e) || dp_solve_reachable(&q, &a, &e))
			fail_msg("trial %d: %s", t, e.text);
		assert_true(work.cells <= a.cells_done);
		assert_true(work.cells > 0 || a.cells_done == 0);
		assert_true(work.moved_bytes >= 8 * work.cells);
		assert_true(work.bit_bytes >= work.cells / 8);
		assert_true(work.array_bytes * SMALL_ITEMS >= work.moved_bytes);
		one_round += work.cells == a.cells_done;
		dp_answer_free(&a);
	}
	assert_true(one_round > trials / 4);
}

/* On simulated devices with random schedules, with and without memory for all arrays. */
static void devices_match_the_plain_recursion(void **state)
{
	struct rng r = rng_seeded(11);
	struct err e = { 0 };

	(void)state;
	for (int t = 0; t < small_trials(48); t++) {
		struct dev_set set;
		struct small_knapsack s;
		struct dp_answer a;
		struct dp_request q = {
			.instance = &s.k, .threads = 2, .devices = &set, .want_items = t % 3 != 0
		};

		assert_int_equal(setenv("COPRA_SIM_MEMORY", t % 4 == 3 ? "64K" : "64M", 1), 0);
		open_devices(&set, 1 + t % 2, t % 2 ? "random" : "reverse", t);
		grouped(&s, &r, rng_between(&r, 1000, 100000), 2 + t % 6);
		if (t % 5 == 4)
			for (int64_t i = 0; i < s.k.n; i++)
				s.profit[i] *= 1 + (INT64_C(1) << 30);
		if (dp_solve_reachable(&q, &a, &e))
			fail_msg("trial %d: %s", t, e.text);
		check_answer(&q, &a, small_optimum(&s.k));
		dp_answer_free(&a);
		dev_set_close(&set);
	}
	assert_int_equal(unsetenv("COPRA_SIM_MEMORY"), 0);
}

/* The devices of a benchmark are open for all variants. */
static void cpu_uses_no_device(void **state)
{
	struct dev_set unusable = { .count = 1 };
	struct rng r = rng_seeded(12);
	struct small_knapsack s;
	struct dp_answer a;
	struct err e = { 0 };
	struct dp_request q = { .instance = &s.k,
				.threads = 1,
				.devices = &unusable,
				.form = DP_REACHABLE,
				.want_items = true };

	(void)state;
	grouped(&s, &r, 100000, 4);
	if (dp_solve_cpu(&q, &a, &e))
		fail_msg("%s", e.text);
	check_answer(&q, &a, small_optimum(&s.k));
	dp_answer_free(&a);
}

/* Even weights and an odd capacity, so that no solution reaches the bound; large enough for several
 * threads on one item. */
static void threads_agree(void **state)
{
	enum { ITEMS = 24 };
	int64_t profit[ITEMS], weight[ITEMS], value = 0;
	struct knapsack k = { .n = ITEMS, .capacity = 1999999, .profit = profit, .weight = weight };
	struct rng r = rng_seeded(9);
	struct dp_answer a;
	struct err e = { 0 };

	(void)state;
	for (int i = 0; i < ITEMS; i++) {
		weight[i] = 2 * rng_between(&r, 50000, 200000);
		profit[i] = weight[i] + rng_between(&r, 0, 9);
		k.sum_weight += weight[i];
		k.sum_profit += profit[i];
	}
	for (int threads = 1; threads <= 4; threads++) {
		struct dp_request q = { .instance = &k, .threads = threads, .want_items = true };

		if (dp_solve_reachable(&q, &a, &e))
			fail_msg("%s", e.text);
		check_answer(&q, &a, threads == 1 ? a.value : value);
		assert_true(a.cells_done > 1 << 20);
		value = a.value;
		dp_answer_free(&a);
	}
	assert_int_equal(value, small_optimum(&k));
}

/* The choice between this form and a table: the answer is the same, and few cells are needed. */
static void it_is_chosen_where_it_needs_few_cells(void **state)
{
	static const struct {
		const char *name;
		bool solved;
	} cases[] = { { "hard:100:100000000:6:0.3:0.0001:100", true }, { "boyer:1000", false } };
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct knapsack k;
		struct dp_answer a;
		struct dp_request q = { .instance = &k, .threads = 2, .want_items = true };
		int64_t value = 0;
		bool solved;

		assert_int_equal(knapsack_load(&k, cases[i].name, &e), 0);
		assert_int_equal(dp_try_reachable(&q, &a, &solved, &e), 0);
		assert_int_equal(solved, cases[i].solved);
		if (solved) {
			assert_true(a.cells_done < a.cells / 8);
			assert_int_equal(knapsack_oracle(&k, 0, 0, &value, &e), 0);
			check_answer(&q, &a, value);
			dp_answer_free(&a);
		}
		knapsack_free(&k);
	}
}

/* What this form refuses may still be solved by a table. */
static void a_table_is_left_what_this_form_refuses(void **state)
{
	enum { ITEMS = 20 };
	int64_t profit[ITEMS], weight[ITEMS];
	struct knapsack k = {
		.n = ITEMS, .capacity = 20000000, .profit = profit, .weight = weight
	};
	struct dp_request q = { .instance = &k, .threads = 2 };
	struct dp_answer a;
	struct err e = { 0 };
	bool solved = true;

	(void)state;
	for (int i = 0; i < ITEMS; i++) {
		weight[i] = 1000000 + 77777 * i;
		profit[i] = (INT64_C(1) << 57) + i * INT64_C(987654321987);
		k.sum_weight += weight[i];
		k.sum_profit += profit[i];
	}
	assert_int_equal(dp_solve_reachable(&q, &a, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "2^61"));
	assert_int_equal(dp_try_reachable(&q, &a, &solved, &e), 0);
	assert_false(solved);
}

static void limits_and_memory_are_errors(void **state)
{
	volatile sig_atomic_t stop = 1;
	struct knapsack k;
	struct dp_answer a;
	struct err e = { 0 };
	struct dp_request q = { .instance = &k, .threads = 2, .want_items = true, .stop = &stop };

	(void)state;
	assert_int_equal(knapsack_load(&k, "hard:100:1000000:6:0.3:0.0001:100", &e), 0);
	assert_int_equal(dp_solve_reachable(&q, &a, &e), ERR_LIMIT);
	assert_null(a.taken);
	q.stop = NULL;
	q.memory_budget = 1;
	assert_int_equal(dp_solve_reachable(&q, &a, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "the budget is 1"));
	assert_null(a.taken);
	knapsack_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_are_those_of_flags),
		cmocka_unit_test(groups_of_heavy_items_match_the_plain_recursion),
		cmocka_unit_test(little_memory_on_devices_is_enough),
		cmocka_unit_test(the_estimate_is_the_first_round),
		cmocka_unit_test(devices_match_the_plain_recursion),
		cmocka_unit_test(cpu_uses_no_device),
		cmocka_unit_test(threads_agree),
		cmocka_unit_test(it_is_chosen_where_it_needs_few_cells),
		cmocka_unit_test(a_table_is_left_what_this_form_refuses),
		cmocka_unit_test(limits_and_memory_are_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
