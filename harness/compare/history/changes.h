/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Change points in a series of measurements, found by E-divisive means.
 *
 * David S. Matteson, Nicholas A. James: A Nonparametric Approach for Multiple Change Point Analysis
 * of Multivariate Data. Journal of the American Statistical Association 109 (2014), 334-345; with
 * exponent 1, one dimension, and the permutation test of their section 2.4. Its use on benchmarks
 * over commits: David Daly et al., The Use of Change Point Detection to Identify Software
 * Performance Regressions in a Continuous Integration System, ICPE 2020.
 *
 * No distribution is assumed, only that the order of the values does not matter if nothing changed.
 */
#ifndef COPRA_COMPARE_HISTORY_CHANGES_H
#define COPRA_COMPARE_HISTORY_CHANGES_H

#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

struct change_test {
	double level;     /* significance level: a change has p <= level; default 0.01 */
	int permutations; /* default 999; the smallest p is 1 / (permutations + 1) */
	size_t least;     /* minimum points between two changes, >= 2; default 3 */
	uint64_t seed;
};
extern const struct change_test change_test_default;

struct change {
	size_t at; /* the first point after the change */
	double p;
};

/* Writes the changes of x[0..n), in order, to out[0..n) and their number to *count. A series
 * shorter than twice `least` has none. ERR_INPUT if a value is not finite; ERR_USAGE for an invalid
 * test; ERR_MEMORY. */
int change_points(const double *x, size_t n, const struct change_test *test, struct change *out,
		  size_t *count, struct err *e);

/* The minimum number of points with which a change can be significant at the test's level. The
 * smallest p belongs to a perfect step in the middle: 2 (n/2)!^2 of the n! permutations split as
 * well. So p is at least 2 / C(n, n/2), and a level of 0.01 needs 10 points. */
size_t change_points_needed(const struct change_test *test);

#endif
