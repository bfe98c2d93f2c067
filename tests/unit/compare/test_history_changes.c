/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Change points of synthetic series with known changes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "harness/compare/history/changes.h"
#include "harness/base/rng.h"
#include "harness/base/stats.h"

enum { MOST = 200 };

struct found {
	struct change change[MOST];
	size_t count;
};

static struct found find(const double *x, size_t n)
{
	struct found f;
	struct err e;

	assert_int_equal(change_points(x, n, &change_test_default, f.change, &f.count, &e), 0);
	return f;
}

static double normal(struct rng *r)
{
	return stat_normal_quantile(rng_unit(r) * (1 - 2e-12) + 1e-12);
}

/* Fills in times of about `level` with 1 % noise. */
static void fill(double *x, size_t from, size_t to, double level, struct rng *r)
{
	for (size_t i = from; i < to; i++)
		x[i] = level * (1 + 0.01 * normal(r));
}

static void one_step_is_found(void **state)
{
	double x[40];
	struct rng r = rng_seeded(1);
	struct found f;

	(void)state;
	fill(x, 0, 25, 1, &r);
	fill(x, 25, 40, 1.05, &r);
	f = find(x, 40);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.change[0].at, 25);
	assert_true(f.change[0].p <= 0.001 + 1e-12);
}

static void a_step_and_its_return_are_found(void **state)
{
	double x[60];
	struct rng r = rng_seeded(2);
	struct found f;

	(void)state;
	fill(x, 0, 24, 1e-6, &r);
	fill(x, 24, 34, 1.08e-6, &r);
	fill(x, 34, 60, 1e-6, &r);
	f = find(x, 60);
	assert_int_equal(f.count, 2);
	assert_int_equal(f.change[0].at, 24);
	assert_int_equal(f.change[1].at, 34);
}

static void every_step_of_a_staircase_is_found(void **state)
{
	double x[100];
	struct rng r = rng_seeded(3);
	struct found f;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		fill(x, 20 * i, 20 * (i + 1), 1 + 0.1 * (double)i, &r);
	f = find(x, 100);
	assert_int_equal(f.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(f.change[i].at, 20 * (i + 1));
}

/* Four runs after a step of 10 %, with ten runs before it, are enough. */
static void a_recent_change_in_a_short_series_is_found(void **state)
{
	double x[14];
	size_t found = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct rng r = rng_seeded(100 + seed);
		struct found f;

		fill(x, 0, 10, 1, &r);
		fill(x, 10, 14, 1.1, &r);
		f = find(x, 14);
		found += f.count == 1 && f.change[0].at == 10;
	}
	assert_true(found >= 45);
}

/* About one in a hundred series without a change may show one: the level of the test. */
static void no_change(double (*noise)(struct rng *), size_t n)
{
	double x[MOST];
	size_t alarms = 0;

	for (uint64_t seed = 0; seed < 300; seed++) {
		struct rng r = rng_seeded(1000 * n + seed);

		for (size_t i = 0; i < n; i++)
			x[i] = noise(&r);
		alarms += find(x, n).count > 0;
	}
	assert_true(alarms <= 9); /* P(more | 1 %) = 0.1 % */
}

static double gaussian(struct rng *r)
{
	return 1 + 0.01 * normal(r);
}

static double log_normal(struct rng *r)
{
	return exp(0.3 * normal(r));
}

static double two_clocks(struct rng *r)
{
	return (rng_below(r, 4) ? 1 : 1.1) * (1 + 0.005 * normal(r));
}

static double rare_spikes(struct rng *r)
{
	return (rng_below(r, 10) ? 1 : 5) * (1 + 0.01 * normal(r));
}

static void noise_has_few_false_changes(void **state)
{
	(void)state;
	no_change(gaussian, 12);
	no_change(gaussian, 40);
	no_change(log_normal, 30);
	no_change(two_clocks, 30);
	no_change(rare_spikes, 30);
}

static void equal_values_have_no_change(void **state)
{
	double x[50];

	(void)state;
	for (size_t i = 0; i < 50; i++)
		x[i] = 0.125;
	assert_int_equal(find(x, 50).count, 0);
	x[20] = 0.25; /* a single outlier is not a change either */
	assert_int_equal(find(x, 50).count, 0);
}

static void short_series_have_no_change(void **state)
{
	const double x[] = { 1, 1, 1, 2, 2, 2 };

	(void)state;
	for (size_t n = 0; n <= 6; n++)
		assert_int_equal(find(x, n).count, 0); /* 20 orders: p cannot be 0.01 */
}

static void the_same_seed_gives_the_same_changes(void **state)
{
	double x[50];
	struct rng r = rng_seeded(9);
	struct found f, g;

	(void)state;
	fill(x, 0, 30, 1, &r);
	fill(x, 30, 50, 1.012, &r);
	f = find(x, 50);
	g = find(x, 50);
	assert_int_equal(f.count, g.count);
	for (size_t i = 0; i < f.count; i++) {
		assert_int_equal(f.change[i].at, g.change[i].at);
		assert_true(f.change[i].p == g.change[i].p);
	}
}

static double sum_of_distances(const double *x, size_t nx, const double *y, size_t ny)
{
	double sum = 0;

	for (size_t i = 0; i < nx; i++)
		for (size_t j = 0; j < ny; j++)
			sum += fabs(x[i] - y[j]);
	return sum;
}

/* The statistic Q of section 2.1 of Matteson and James, by its definition. */
static double reference_q(const double *x, size_t nx, const double *y, size_t ny)
{
	double m = (double)nx, n = (double)ny;
	double energy = 2 * sum_of_distances(x, nx, y, ny) / (m * n) -
			sum_of_distances(x, nx, x, nx) / (m * (m - 1)) -
			sum_of_distances(y, ny, y, ny) / (n * (n - 1));

	return m * n / (m + n) * energy;
}

/* By hand: x = {0, 2}, y = {4, 8, 6}. Between 4+8+6+2+6+4 = 30; within x 2; within y 4+2+2 = 8.
 * E = 2*30/6 - 2/1 - 8/3 = 16/3; Q = 6/5 E = 6.4. */
static void reference_statistic_matches_a_hand_calculation(void **state)
{
	const double x[] = { 0, 2 }, y[] = { 4, 8, 6 };

	(void)state;
	assert_true(fabs(reference_q(x, 2, y, 3) - 6.4) < 1e-12);
}

/* The split found is the best one according to the reference statistic. */
static void the_best_split_matches_the_reference(void **state)
{
	double x[30], best = -1;
	struct rng r = rng_seeded(11);
	size_t at = 0;
	struct found f;

	(void)state;
	fill(x, 0, 17, 3, &r);
	fill(x, 17, 30, 3.2, &r);
	for (size_t cut = 3; cut + 3 <= 30; cut++)
		for (size_t end = cut + 3; end <= 30; end++) {
			double q = reference_q(x, cut, x + cut, end - cut);

			if (q > best) {
				best = q;
				at = cut;
			}
		}
	f = find(x, 30);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.change[0].at, at);
}

/* The number of series, of 20, in which a step that doubles the time is found. */
static size_t steps_found(size_t n)
{
	double x[MOST];
	size_t found = 0;

	for (uint64_t seed = 0; seed < 20; seed++) {
		struct rng r = rng_seeded(seed);

		fill(x, 0, n / 2, 1, &r);
		fill(x, n / 2, n, 2, &r);
		found += find(x, n).count;
	}
	return found;
}

static void fewer_points_than_needed_find_no_change(void **state)
{
	struct change_test t = change_test_default;

	(void)state;
	assert_int_equal(change_points_needed(&t), 10);
	assert_true(steps_found(12) >= 10);
	assert_int_equal(steps_found(8), 0);
	t.level = 0.05;
	assert_int_equal(change_points_needed(&t), 8); /* 2 / 70 <= 0.03; 2 / 35 is larger */
	t.least = 9;
	assert_int_equal(change_points_needed(&t), 18);
}

static void invalid_tests_and_values_are_refused(void **state)
{
	struct change_test t = change_test_default;
	double x[] = { 1, 2, NAN, 4, 5, 6 };
	struct change out[6];
	size_t count;
	struct err e;

	(void)state;
	assert_int_equal(change_points(x, 6, &t, out, &count, &e), ERR_INPUT);
	x[2] = INFINITY;
	assert_int_equal(change_points(x, 6, &t, out, &count, &e), ERR_INPUT);
	x[2] = 3;
	t.least = 1;
	assert_int_equal(change_points(x, 6, &t, out, &count, &e), ERR_USAGE);
	t = change_test_default;
	t.level = 0;
	assert_int_equal(change_points(x, 6, &t, out, &count, &e), ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_step_is_found),
		cmocka_unit_test(a_step_and_its_return_are_found),
		cmocka_unit_test(every_step_of_a_staircase_is_found),
		cmocka_unit_test(a_recent_change_in_a_short_series_is_found),
		cmocka_unit_test(noise_has_few_false_changes),
		cmocka_unit_test(equal_values_have_no_change),
		cmocka_unit_test(short_series_have_no_change),
		cmocka_unit_test(the_same_seed_gives_the_same_changes),
		cmocka_unit_test(reference_statistic_matches_a_hand_calculation),
		cmocka_unit_test(the_best_split_matches_the_reference),
		cmocka_unit_test(fewer_points_than_needed_find_no_change),
		cmocka_unit_test(invalid_tests_and_values_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
