/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Statistics against published values; each test names its source. */
#include "harness/base/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "harness/base/rng.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.15g is not %.15g within %g", value, expected, tolerance);
}

/* NIST Statistical Reference Datasets, univariate, Michelso (speed of light, 1879); also R's
 * `morley`. */
static const double michelson[] = {
	299.85, 299.74, 299.90, 300.07, 299.93, 299.85, 299.95, 299.98, 299.98, 299.88,
	300.00, 299.98, 299.93, 299.65, 299.76, 299.81, 300.00, 300.00, 299.96, 299.96,
	299.96, 299.94, 299.96, 299.94, 299.88, 299.80, 299.85, 299.88, 299.90, 299.84,
	299.83, 299.79, 299.81, 299.88, 299.88, 299.83, 299.80, 299.79, 299.76, 299.80,
	299.88, 299.88, 299.88, 299.86, 299.72, 299.72, 299.62, 299.86, 299.97, 299.95,
	299.88, 299.91, 299.85, 299.87, 299.84, 299.84, 299.85, 299.84, 299.84, 299.84,
	299.89, 299.81, 299.81, 299.82, 299.80, 299.77, 299.76, 299.74, 299.75, 299.76,
	299.91, 299.92, 299.89, 299.86, 299.88, 299.72, 299.84, 299.85, 299.85, 299.78,
	299.89, 299.84, 299.78, 299.81, 299.76, 299.81, 299.79, 299.81, 299.82, 299.85,
	299.87, 299.87, 299.81, 299.74, 299.81, 299.94, 299.95, 299.80, 299.81, 299.87,
};

static void mean_and_deviation_match_nist_michelson(void **state)
{
	(void)state;
	assert_int_equal(COUNT(michelson), 100);
	assert_near(stat_mean(michelson, 100), 299.852400000000, 1e-12);
	assert_near(stat_sd(michelson, 100), 0.0790105478190518, 1e-13);
}

/* R: summary(morley$Speed) prints 620.0 807.5 850.0 852.4 892.5 1070.0 (km/s above 299,000). */
static void quantiles_match_r(void **state)
{
	(void)state;
	assert_near(stat_min(michelson, 100), 299.6200, 1e-12);
	assert_near(stat_quantile(michelson, 100, 0.25), 299.8075, 1e-10);
	assert_near(stat_median(michelson, 100), 299.8500, 1e-10);
	assert_near(stat_quantile(michelson, 100, 0.75), 299.8925, 1e-10);
	assert_near(stat_max(michelson, 100), 300.0700, 1e-12);
}

/* NIST NumAcc1 to NumAcc4: certified mean and standard deviation. */
static void mean_and_deviation_match_nist_numerical_accuracy(void **state)
{
	static const double first[] = { 10000001, 10000003, 10000002 };
	static const double centre[] = { 1.2, 1000000.2, 10000000.2 };
	double x[1001];

	(void)state;
	assert_near(stat_mean(first, 3), 10000002, 0);
	assert_near(stat_sd(first, 3), 1, 0);
	for (size_t set = 0; set < COUNT(centre); set++) {
		double last_place = 1e-15 * centre[set];

		x[0] = centre[set];
		for (size_t i = 1; i < COUNT(x); i++)
			x[i] = centre[set] + (i % 2 ? -0.1 : 0.1);
		assert_near(stat_mean(x, COUNT(x)), centre[set], last_place);
		assert_near(stat_sd(x, COUNT(x)), 0.1, 10 * last_place);
	}
}

static void samples_too_small_give_nan(void **state)
{
	static const double x[] = { 5, 7 };

	(void)state;
	assert_true(isnan(stat_mean(x, 0)) && isnan(stat_median(x, 0)) && isnan(stat_min(x, 0)));
	assert_true(isnan(stat_sd(x, 1)) && isnan(stat_relative_error(x, 1)));
	assert_near(stat_median(x, 1), 5, 0);
	assert_near(stat_median(x, 2), 6, 0);
	assert_near(stat_sd(x, 2), sqrt(2), 1e-15);
	assert_near(stat_cv(x, 2), sqrt(2) / 6, 1e-15);
	assert_near(stat_relative_error(x, 2), 1.0 / 6, 1e-15);
	assert_true(isnan(stat_quantile(x, 2, 1.5)));
}

/* Abramowitz and Stegun, tables 26.1 and 26.5; R's qnorm(1e-10) = -6.361341. */
static void normal_distribution_matches_tables(void **state)
{
	(void)state;
	assert_near(stat_normal_cdf(1), 0.841344746068543, 1e-14);
	assert_near(stat_normal_cdf(-1.959963984540054), 0.025, 1e-15);
	assert_near(stat_normal_quantile(0.975), 1.959963984540054, 1e-12);
	assert_near(stat_normal_quantile(0.5), 0, 1e-12);
	assert_near(stat_normal_quantile(1e-10), -6.361340902404056, 1e-10);
	for (double p = 0.001; p < 1; p += 0.007)
		assert_near(stat_normal_cdf(stat_normal_quantile(p)), p, 1e-14);
}

/* Hollander and Wolfe (1973), permeability of membranes; R, example(wilcox.test): W = 35, one-sided
 * p = 0.1272, hence 0.2544 two-sided. */
static void exact_rank_test_matches_r(void **state)
{
	static const double x[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
	static const double y[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	struct stat_rank_test t, back;
	struct err e;

	(void)state;
	assert_int_equal(stat_mann_whitney(x, COUNT(x), y, COUNT(y), &t, &e), 0);
	assert_true(t.exact);
	assert_near(t.u, 35, 0);
	assert_near(t.p, 0.2544, 1e-4);
	assert_near(t.effect, 0.7, 1e-15);
	assert_int_equal(stat_mann_whitney(y, COUNT(y), x, COUNT(x), &back, &e), 0);
	assert_near(back.u, 15, 0);
	assert_near(back.p, t.p, 1e-15);
}

/* R, example(wilcox.test): Ozone in May and August of airquality: W = 127.5, p = 0.0001208. */
static void rank_test_with_ties_matches_r(void **state)
{
	static const double may[] = { 41, 36, 12, 18, 28, 23, 19, 8, 7,  16, 11, 14,  18,
				      14, 34, 6,  30, 11, 1,  11, 4, 32, 23, 45, 115, 37 };
	static const double august[] = { 39, 9,  16, 78, 35, 66, 122, 89,  110, 44, 28,  65, 22,
					 59, 23, 31, 44, 21, 9,  45,  168, 73,  76, 118, 84, 85 };
	struct stat_rank_test t;
	struct err e;

	(void)state;
	assert_int_equal(stat_mann_whitney(may, COUNT(may), august, COUNT(august), &t, &e), 0);
	assert_false(t.exact);
	assert_near(t.u, 127.5, 0);
	assert_near(t.p, 0.0001208, 5e-8);
}

/* Two samples of n values without ties that have the given U. */
static double p_of(size_t n, size_t u)
{
	double x[20], y[20];
	struct stat_rank_test t;
	struct err e;

	for (size_t i = 0; i < n; i++)
		y[i] = (double)i + 1;
	/* Each x exceeds as many y values as the remaining U allows. */
	for (size_t i = 0; i < n; i++) {
		size_t above = u < n ? u : n;

		x[i] = (double)above + 0.5 + 0.001 * (double)i;
		u -= above;
	}
	assert_int_equal(stat_mann_whitney(x, n, y, n, &t, &e), 0);
	assert_true(t.exact);
	return t.p;
}

/* Critical values of U, two-sided 5 % (Mann and Whitney's table as extended by Auble 1953, in every
 * textbook): the largest U that is significant. */
static void rank_test_matches_critical_values(void **state)
{
	static const struct {
		size_t n, critical;
	} table[] = { { 4, 0 },  { 5, 2 },   { 6, 5 },   { 7, 8 },   { 8, 13 },
		      { 9, 17 }, { 10, 23 }, { 15, 64 }, { 20, 127 } };

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		assert_true(p_of(table[i].n, table[i].critical) <= 0.05);
		assert_true(p_of(table[i].n, table[i].critical + 1) > 0.05);
	}
	assert_near(p_of(4, 0), 2.0 / 70, 1e-15);
	assert_near(p_of(4, 8), 1, 0);
}

/* The p-value of samples that do not overlap. */
static void least_p_is_that_of_samples_that_do_not_overlap(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 20; n++)
		assert_near(stat_least_p(n, n), p_of(n, 0), 1e-15);
	assert_near(stat_least_p(6, 6), 2.0 / 924, 0);
	assert_near(stat_least_p(3, 16), 2.0 / 969, 0);
	assert_near(stat_least_p(16, 3), 2.0 / 969, 0);
	assert_near(stat_least_p(0, 5), 1, 0);
	assert_true(stat_least_p(100000, 100000) >= 0 && stat_least_p(100000, 100000) < 1e-300);
}

static void equal_values_give_p_of_one(void **state)
{
	static const double same[] = { 3, 3, 3 };
	struct stat_rank_test t;
	struct err e;

	(void)state;
	assert_int_equal(stat_mann_whitney(same, 3, same, 3, &t, &e), 0);
	assert_near(t.p, 1, 0);
	assert_near(t.effect, 0.5, 0);
	assert_int_equal(stat_mann_whitney(same, 0, same, 3, &t, &e), ERR_USAGE);
}

/* The exact test and the approximation must agree where both are valid. */
static void approximation_is_close_to_exact_test(void **state)
{
	struct rng r = rng_seeded(11);
	double x[49], y[49];
	size_t nearest = 0;
	struct stat_rank_test exact, approximate;
	struct err e;

	(void)state;
	for (size_t i = 0; i < 49; i++) {
		x[i] = rng_unit(&r);
		y[i] = rng_unit(&r) + 0.15;
	}
	assert_int_equal(stat_mann_whitney(x, 49, y, 49, &exact, &e), 0);
	assert_true(exact.exact);
	for (size_t i = 1; i < 49; i++)
		if (fabs(x[i] - y[0]) < fabs(x[nearest] - y[0]))
			nearest = i;
	y[0] = x[nearest]; /* one tie */
	assert_int_equal(stat_mann_whitney(x, 49, y, 49, &approximate, &e), 0);
	assert_false(approximate.exact);
	/* compared as normal deviates, of which half a step of U is 0.01 */
	assert_near(stat_normal_quantile(approximate.p / 2), stat_normal_quantile(exact.p / 2),
		    0.05);
}

/* Figures of Newcombe (1998) and of R's prop.test(correct = FALSE). */
static void wilson_intervals_match_newcombe_and_r(void **state)
{
	static const struct {
		int64_t successes, n;
		double low, high;
	} cases[] = {
		{ 81, 263, 0.2553, 0.3662 },
		{ 15, 148, 0.0624, 0.1605 },
		{ 0, 20, 0, 0.1611 },
		{ 1, 29, 0.0061, 0.1718 },
		{ 4, 10, 0.1682, 0.6873 },
		{ 10, 10, 0.7225, 1 },
		{ 0, 0, 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stat_interval w = stat_wilson(cases[i].successes, cases[i].n, 0.95);

		assert_near(w.low, cases[i].low, 5e-5);
		assert_near(w.high, cases[i].high, 5e-5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mean_and_deviation_match_nist_michelson),
		cmocka_unit_test(quantiles_match_r),
		cmocka_unit_test(mean_and_deviation_match_nist_numerical_accuracy),
		cmocka_unit_test(samples_too_small_give_nan),
		cmocka_unit_test(normal_distribution_matches_tables),
		cmocka_unit_test(exact_rank_test_matches_r),
		cmocka_unit_test(rank_test_with_ties_matches_r),
		cmocka_unit_test(rank_test_matches_critical_values),
		cmocka_unit_test(least_p_is_that_of_samples_that_do_not_overlap),
		cmocka_unit_test(equal_values_give_p_of_one),
		cmocka_unit_test(approximation_is_close_to_exact_test),
		cmocka_unit_test(wilson_intervals_match_newcombe_and_r),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
