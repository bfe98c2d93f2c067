/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* What a plan is made of. Weights divided by their common factor: the same sets of items fit, the
 * optimum is the same. The order of the items, and which are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algorithms/dp-knapsack/plan.h"
#include "tests/unit/dp-knapsack/small_knapsacks.h"

static struct dp_divided divided(const struct knapsack *k)
{
	struct dp_divided d;

	assert_int_equal(dp_divide(&d, k, NULL), 0);
	return d;
}

/* All weights times `factor`, and a capacity that need not be a multiple of it. Items that are too
 * heavy get weights that need not be multiples either. */
static void scale(struct small_knapsack *s, struct rng *r, int64_t factor)
{
	int64_t capacity = s->k.capacity * factor + rng_between(r, 0, factor - 1);

	for (int64_t i = 0; i < s->k.n; i++)
		s->weight[i] = s->weight[i] <= s->k.capacity ?
				       s->weight[i] * factor :
				       capacity + rng_between(r, 1, 3 * factor);
	s->k.capacity = capacity;
	small_sums(s);
}

static void divided_weights_have_the_same_optimum(void **state)
{
	struct rng r = rng_seeded(11);

	(void)state;
	for (int i = 0; i < small_trials(240); i++) {
		struct small_knapsack s;
		struct dp_divided divided_s;
		struct knapsack d;
		int64_t factor = rng_between(&r, 1, 50), divisor, sum = 0;

		small_knapsack(&s, &r, i, 100);
		scale(&s, &r, factor);
		divided_s = divided(&s.k);
		divisor = divided_s.divisor;
		assert_int_equal(divisor % factor && divisor != 1, 0);
		d = divided_s.k;
		assert_int_equal(d.capacity, s.k.capacity / divisor);
		for (int64_t j = 0; j < d.n; j++) {
			assert_int_equal(d.weight[j] > d.capacity, s.weight[j] > s.k.capacity);
			if (s.weight[j] <= s.k.capacity)
				assert_int_equal(d.weight[j] * divisor, s.weight[j]);
			sum += d.weight[j];
		}
		assert_int_equal(d.sum_weight, sum);
		assert_int_equal(small_optimum(&d), small_optimum(&s.k));
		dp_divided_free(&divided_s);
	}
}

/* Any subset fits in both instances or in neither. */
static void the_same_sets_of_items_fit(void **state)
{
	int64_t profit[4] = { 5, 6, 7, 8 }, weight[4] = { 6000, 0, 9000, 15001 };
	struct knapsack k = { .n = 4, .capacity = 15000, .profit = profit, .weight = weight };
	struct dp_divided d = divided(&k);

	(void)state;
	assert_int_equal(d.divisor, 3000);
	assert_int_equal(d.k.capacity, 5);
	for (unsigned set = 0; set < 16; set++) {
		uint8_t taken[4];
		int64_t value, whole, less;

		for (int i = 0; i < 4; i++)
			taken[i] = set >> i & 1;
		knapsack_evaluate(&k, taken, &value, &whole);
		knapsack_evaluate(&d.k, taken, &value, &less);
		assert_int_equal(less <= d.k.capacity, whole <= k.capacity);
	}
	dp_divided_free(&d);
}

static void divisors_ignore_items_that_do_not_fit(void **state)
{
	static const struct {
		int64_t weight[3], capacity, divisor;
	} cases[] = {
		{ { 6, 10, 15 }, 20, 1 },
		{ { 6, 10, 15 }, 14, 2 },
		{ { 0, 0, 0 }, 9, 1 },
		{ { 7, 8, 9 }, 6, 1 },
		{ { 0, 12, 18 }, 18, 6 },
		{ { 5, 5, 5 }, 0, 1 },
		{ { INT64_MAX / 4, INT64_MAX / 4, 0 }, INT64_MAX, INT64_MAX / 4 },
	};
	int64_t profit[3] = { 1, 1, 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct knapsack k = { .n = 3,
				      .capacity = cases[i].capacity,
				      .profit = profit,
				      .weight = (int64_t *)cases[i].weight };
		struct dp_divided d = divided(&k);

		assert_int_equal(d.divisor, cases[i].divisor);
		dp_divided_free(&d);
	}
}

/* Whether item a belongs before item b. */
static bool precedes(const struct knapsack *k, int64_t a, int64_t b)
{
	if (k->weight[a] != k->weight[b])
		return k->weight[a] < k->weight[b];
	return k->profit[a] != k->profit[b] ? k->profit[a] > k->profit[b] : a < b;
}

/* Weights and profits of 1 to 52 bits, many of them equal. */
static void plans_order_the_items_that_matter(void **state)
{
	enum { ITEMS = 300 };
	struct rng r = rng_seeded(3);

	(void)state;
	for (int bits = 1; bits <= 52; bits++) {
		int64_t weight[ITEMS], profit[ITEMS];
		struct knapsack k = { .n = ITEMS, .profit = profit, .weight = weight };
		struct dp_plan p;

		for (int i = 0; i < ITEMS; i++) {
			bool again = i > 0 && rng_below(&r, 2);

			weight[i] = again ? weight[rng_below(&r, (uint64_t)i)] :
					    rng_between(&r, 1, ((int64_t)1 << bits) - 1);
			profit[i] = rng_below(&r, 2) ? 1 + (int64_t)rng_below(&r, 3) :
						       rng_between(&r, 1, ((int64_t)1 << bits) - 1);
			k.capacity = weight[i] > k.capacity ? weight[i] : k.capacity;
		}
		assert_int_equal(dp_plan_create(&p, &k, NULL), 0);
		assert_true(p.n >= 1);
		for (int64_t j = 0, same = 0; j < p.n; j++) {
			assert_int_equal(p.weight[j], weight[p.item[j]]);
			assert_int_equal(p.profit[j], profit[p.item[j]]);
			if (j)
				assert_true(precedes(&k, p.item[j - 1], p.item[j]));
			same = j && p.weight[j] == p.weight[j - 1] ? same + 1 : 1;
			assert_true(same <= k.capacity / p.weight[j]);
		}
		/* of each weight as many as fit, or all */
		for (int i = 0; i < ITEMS; i++) {
			int64_t all = 0, kept = 0;

			for (int j = 0; j < ITEMS; j++)
				all += weight[j] == weight[i];
			for (int64_t j = 0; j < p.n; j++)
				kept += p.weight[j] == weight[i];
			assert_int_equal(kept, dp_min(all, k.capacity / weight[i]));
		}
		dp_plan_destroy(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(divided_weights_have_the_same_optimum),
		cmocka_unit_test(the_same_sets_of_items_fit),
		cmocka_unit_test(divisors_ignore_items_that_do_not_fit),
		cmocka_unit_test(plans_order_the_items_that_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
