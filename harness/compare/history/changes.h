/* Where a series of measurements changed: E-divisive means.
 *
 * David S. Matteson, Nicholas A. James: A Nonparametric Approach for Multiple Change Point Analysis
 * of Multivariate Data. Journal of the American Statistical Association 109 (2014), 334-345; with
 * exponent 1, one dimension, and the permutation test of their section 2.4. Its use on benchmarks
 * over commits: David Daly et al., The Use of Change Point Detection to Identify Software
 * Performance Regressions in a Continuous Integration System, ICPE 2020.
 *
 * Nothing is assumed of the distribution, only that the order would not matter if nothing changed.
 */
#ifndef COPRA_COMPARE_HISTORY_CHANGES_H
#define COPRA_COMPARE_HISTORY_CHANGES_H

#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

struct change_test {
	double level;     /* a change counts when p is at most this: 0.01 */
	int permutations; /* 999; p can be as small as 1 / (permutations + 1) */
	size_t least;     /* points between two changes, at least 2: 3 */
	uint64_t seed;
};
extern const struct change_test change_test_default;

struct change {
	size_t at; /* the first point after the change */
	double p;
};

/* Writes the changes of x[0..n), in order, to out[0..n) and their number to *count. A series that
 * is shorter than twice `least` has none. ERR_INPUT where a value is not finite; ERR_USAGE;
 * ERR_MEMORY. */
int change_points(const double *x, size_t n, const struct change_test *test, struct change *out,
		  size_t *count, struct err *e);

/* The fewest points of which a change can be told at the test's level. A perfect step between two
 * halves of n points splits as well in 2 (n/2)!^2 of the n! orders, the smallest share there is, so
 * that n points can give no p below 2 / C(n, n/2): 10 at the level of 0.01. */
size_t change_points_needed(const struct change_test *test);

#endif
