/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of samples (times, rates). Arrays are not modified. Functions that return a double
 * return NaN where the figure does not exist (an empty sample, the deviation of one value): check
 * before writing it anywhere. Each definition names its source. */
#ifndef COPRA_BASE_STATS_H
#define COPRA_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

typedef double stat_statistic(const double *x, size_t n);

double stat_min(const double *x, size_t n);
double stat_max(const double *x, size_t n);
double stat_mean(const double *x, size_t n); /* two passes: a correction after the sum */
double stat_sd(const double *x, size_t n);   /* sample (n - 1), two-pass corrected */
double stat_cv(const double *x, size_t n);   /* sd / mean; NaN at mean 0 */
/* Standard error of the mean over the mean: sd / (sqrt(n) |mean|). */
double stat_relative_error(const double *x, size_t n);

/* Quantile p in [0,1] by linear interpolation of order statistics: Hyndman and Fan (1996) type 7,
 * the default of R and NumPy. NaN when memory is short. */
double stat_quantile(const double *x, size_t n, double p);
double stat_median(const double *x, size_t n);
/* Mann and Whitney (1947) rank test, two-sided. Exact distribution where both samples have fewer
 * than 50 values and no two values are equal; else the normal approximation with correction for
 * ties and continuity. These are R's wilcox.test rules. */
struct stat_rank_test {
	double u;      /* number of pairs with x > y, ties one half */
	double p;      /* two-sided; 1 when all values are equal */
	double effect; /* P(x > y) + P(x = y)/2 = u / (nx ny); 0.5: no difference */
	bool exact;
};
int stat_mann_whitney(const double *x, size_t nx, const double *y, size_t ny,
		      struct stat_rank_test *out, struct err *e);

/* The least two-sided p-value that a permutation test of nx values against ny can give, when the
 * two samples do not overlap: 2 / C(nx + ny, nx), at most 1. */
double stat_least_p(size_t nx, size_t ny);

struct stat_interval {
	double low, high;
};

/* Wilson's (1927) confidence interval at `level` (such as 0.95) for a probability of which
 * `successes` were seen in n trials; 0 to 1 for n = 0. */
struct stat_interval stat_wilson(int64_t successes, int64_t n, double level);

double stat_normal_cdf(double z);
double stat_normal_quantile(double p); /* 0 < p < 1; error below 1e-12 */

#endif
