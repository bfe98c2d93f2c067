/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The rank test in blocks: against published values and against all permutations of the labels. */
#include "harness/compare/rank.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/rng.h"
#include "harness/base/stats.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.15g is not %.15g within %g", value, expected, tolerance);
}

/* Hollander and Wolfe, p. 69 (R: example of wilcox.test): W = 35, two-sided p = 0.2544. */
static void one_block_equals_mann_whitney(void **state)
{
	static const double x[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
	static const double y[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	struct rank_value v[15];
	struct rank_result r;

	(void)state;
	for (size_t i = 0; i < COUNT(x); i++)
		v[i] = (struct rank_value){ .seconds = x[i], .of_new = true };
	for (size_t i = 0; i < COUNT(y); i++)
		v[COUNT(x) + i] = (struct rank_value){ .seconds = y[i] };
	assert_int_equal(rank_compare(v, 15, 0.95, &r, NULL), 0);
	assert_near(r.p, 0.25441, 1e-5);
	assert_int_equal(r.news, 10);
	assert_int_equal(r.olds, 5);
	assert_near(r.new_median, 1.415, 1e-12);
}

/* With blocks of different speed the quotient of the medians is not the ratio. */
static void typical_times_have_the_ratio(void **state)
{
	static const double old[] = { 1.00, 1.01, 1.02, 5.00, 5.05, 5.10, 1.03 };
	static const double new[] = { 1.03, 1.04, 1.05, 5.10, 5.15, 5.20, 5.25 };
	struct rank_value v[14];
	struct rank_result r;

	(void)state;
	for (int i = 0; i < 7; i++) {
		v[i] = (struct rank_value){ .seconds = old[i], .block = i / 2 };
		v[7 + i] = (struct rank_value){ .seconds = new[i], .block = i / 2, .of_new = true };
	}
	assert_int_equal(rank_compare(v, 14, 0.99, &r, NULL), 0);
	assert_true(fabs(r.new_median / r.old_median - r.ratio) > 0.5);
	assert_near(r.new_typical / r.old_typical, r.ratio, 1e-12);
	assert_true(r.old_typical > 1 && r.old_typical < 5.1);
}

/* ---- all permutations of two labels over four values in each of three blocks ---- */

enum { BLOCKS = 3, SIZE = 4, VALUES = BLOCKS * SIZE };

static void make_values(struct rank_value *v, uint64_t seed)
{
	struct rng rng = rng_seeded(seed);

	for (int i = 0; i < VALUES; i++)
		v[i] = (struct rank_value){ .seconds = 1 + rng_unit(&rng) + i / SIZE,
					    .block = i / SIZE,
					    .of_new = i % SIZE < 2 };
}

/* The ranks of the values relative to the median of their block, by counting. */
static void plain_ranks(const struct rank_value *v, double *rank)
{
	double aligned[VALUES];

	for (int i = 0; i < VALUES; i++) {
		double block[SIZE];

		for (int k = 0; k < SIZE; k++)
			block[k] = log(v[i / SIZE * SIZE + k].seconds);
		aligned[i] = log(v[i].seconds) - stat_median(block, SIZE);
	}
	for (int i = 0; i < VALUES; i++) {
		rank[i] = 1;
		for (int k = 0; k < VALUES; k++)
			rank[i] += aligned[k] < aligned[i];
	}
}

static double variance_by_permuting(const double *rank)
{
	static const int pairs[6][2] = {
		{ 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 }
	};
	double sum = 0, squares = 0;

	for (int deal = 0; deal < 216; deal++) {
		double total = 0;

		for (int block = 0, rest = deal; block < BLOCKS; block++, rest /= 6)
			total += rank[SIZE * block + pairs[rest % 6][0]] +
				 rank[SIZE * block + pairs[rest % 6][1]];
		sum += total;
		squares += total * total;
	}
	return squares / 216 - sum / 216 * (sum / 216);
}

static double p_by_permuting(const struct rank_value *v)
{
	double rank[VALUES], excess = 0, distance;

	plain_ranks(v, rank);
	for (int block = 0; block < BLOCKS; block++)
		excess += 0.5 * (rank[SIZE * block] + rank[SIZE * block + 1] -
				 rank[SIZE * block + 2] - rank[SIZE * block + 3]);
	distance = fabs(excess) - 0.5;
	return distance <= 0 ?
		       1 :
		       fmin(1, 2 * stat_normal_cdf(-distance / sqrt(variance_by_permuting(rank))));
}

static void variance_equals_that_of_all_permutations(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct rank_value v[VALUES];
		struct rank_result r;
		double expected;

		make_values(v, seed);
		expected = p_by_permuting(v);
		assert_int_equal(rank_compare(v, VALUES, 0.95, &r, NULL), 0);
		assert_near(r.p, expected, 1e-9);
	}
}

/* ---- blocks ---- */

/* Each block is twice as slow as the one before: a change of 4 % is still found. */
static void blocks_remove_a_drift(void **state)
{
	struct rng rng = rng_seeded(5);
	struct rank_value v[40], flat[40];
	struct rank_result r, blind;

	(void)state;
	for (int i = 0; i < 40; i++) {
		double work = i % 2 ? 1.04 : 1;

		v[i] = (struct rank_value){ .block = i / 4, .of_new = i % 2 };
		v[i].seconds = work * ldexp(1 + 0.005 * rng_unit(&rng), i / 4);
		flat[i] = v[i];
		flat[i].block = 0;
	}
	assert_int_equal(rank_compare(v, 40, 0.99, &r, NULL), 0);
	assert_int_equal(rank_compare(flat, 40, 0.99, &blind, NULL), 0);
	assert_true(r.p < 1e-5);
	assert_near(r.ratio, 1.04, 0.002);
	assert_true(r.low > 1.03 && r.high < 1.05);
	assert_true(blind.p > 0.5);
}

static void interval_covers_at_its_level(void **state)
{
	int covered = 0, trials = 600;

	(void)state;
	for (int trial = 0; trial < trials; trial++) {
		struct rng rng = rng_seeded(1000 + (uint64_t)trial);
		struct rank_value v[36];
		struct rank_result r;

		for (int i = 0; i < 36; i++) {
			double z = stat_normal_quantile(rng_unit(&rng) * 0.999998 + 1e-6);

			v[i] = (struct rank_value){ .seconds = exp(0.03 * z),
						    .block = i / 6,
						    .of_new = i % 3 == 0 };
			v[i].seconds *= i % 3 ? 1 : 1.1;
		}
		assert_int_equal(rank_compare(v, 36, 0.95, &r, NULL), 0);
		covered += r.low <= 1.1 && 1.1 <= r.high;
	}
	/* 95 % of 600 within four standard deviations; too wide an interval is wrong, too */
	assert_in_range(covered, 548, 591);
}

/* Both labels are the same build: p is at most 5 % in about 5 % of the trials. */
static void equal_builds_raise_alarms_at_the_level(void **state)
{
	int alarms = 0;

	(void)state;
	for (uint64_t trial = 0; trial < 2000; trial++) {
		struct rng rng = rng_seeded(rng_mix(trial));
		struct rank_value v[30];
		struct rank_result r;

		for (int i = 0; i < 30; i++)
			v[i] = (struct rank_value){ .seconds = 1 + rng_unit(&rng) + 0.1 * (i / 6),
						    .block = i / 6,
						    .of_new = i % 3 == 0 };
		assert_int_equal(rank_compare(v, 30, 0.95, &r, NULL), 0);
		alarms += r.p <= 0.05;
	}
	assert_in_range(alarms, 60, 145);
}

static void incomplete_blocks_are_dropped_and_bad_times_refused(void **state)
{
	struct rank_value v[] = { { 1, 1, false }, { 2, 1, true },  { 9, 2, true },
				  { 9, 2, true },  { 3, 3, false }, { 3.5, 3, true } };
	struct rank_value bad[] = { { 1, 1, false }, { 0, 1, true } };
	struct rank_value alone[] = { { 1, 1, false }, { 2, 2, true } };
	struct rank_value same[] = {
		{ 1, 1, false }, { 1, 1, true }, { 1, 2, false }, { 1, 2, true }
	};
	struct rank_result r;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(rank_compare(v, COUNT(v), 0.95, &r, &e), 0);
	assert_int_equal(r.olds, 2);
	assert_int_equal(r.news, 2);
	assert_true(isinf(r.high)); /* four values give an open interval at 95 % */
	assert_int_equal(rank_compare(bad, 2, 0.95, &r, &e), ERR_USAGE);
	bad[1].seconds = NAN;
	assert_int_equal(rank_compare(bad, 2, 0.95, &r, &e), ERR_USAGE);
	bad[1].seconds = INFINITY;
	assert_int_equal(rank_compare(bad, 2, 0.95, &r, &e), ERR_USAGE);
	assert_int_equal(rank_compare(alone, 2, 0.95, &r, &e), ERR_USAGE);
	assert_int_equal(rank_compare(NULL, 0, 0.95, &r, &e), ERR_USAGE);
	assert_int_equal(rank_compare(same, 4, 0.95, &r, &e), 0);
	assert_near(r.p, 1, 0);
	assert_near(r.ratio, 1, 0);
}

/* The example of Benjamini and Hochberg (1995), section 3.2: at 0.05 the first four are rejected;
 * the 4th has 0.0095 * 15 / 4. */
static void adjusted_p_values_match_benjamini_hochberg(void **state)
{
	static const double from_paper[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201,
					     0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
					     0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
	double p[15], ties[] = { 0.04, 0.04, 0.01 };
	int rejected = 0;

	(void)state;
	for (size_t i = 0; i < 15; i++)
		p[(7 * i) % 15] = from_paper[i]; /* in any order */
	assert_int_equal(rank_adjust(p, 15, NULL), 0);
	for (size_t i = 0; i < 15; i++)
		rejected += p[i] <= 0.05;
	assert_int_equal(rejected, 4);
	assert_near(p[(7 * 3) % 15], 0.035625, 1e-12);
	assert_near(p[(7 * 14) % 15], 1, 0);
	assert_int_equal(rank_adjust(ties, 3, NULL), 0);
	assert_near(ties[0], 0.04, 1e-12);
	assert_near(ties[2], 0.03, 1e-12);
	assert_int_equal(rank_adjust(NULL, 0, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_block_equals_mann_whitney),
		cmocka_unit_test(typical_times_have_the_ratio),
		cmocka_unit_test(variance_equals_that_of_all_permutations),
		cmocka_unit_test(blocks_remove_a_drift),
		cmocka_unit_test(interval_covers_at_its_level),
		cmocka_unit_test(equal_builds_raise_alarms_at_the_level),
		cmocka_unit_test(incomplete_blocks_are_dropped_and_bad_times_refused),
		cmocka_unit_test(adjusted_p_values_match_benjamini_hochberg),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
