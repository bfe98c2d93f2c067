/* Statistics of samples (times, rates). Arrays are never changed. Functions that return a plain
 * double give NaN where the figure does not exist (an empty sample, a spread of one value): look
 * before writing it anywhere. Sources of the definitions stand at each. */
#ifndef COPRA_BASE_STATS_H
#define COPRA_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

double stat_min(const double *x, size_t n);
double stat_max(const double *x, size_t n);
double stat_mean(const double *x, size_t n); /* two passes: a correction after the sum */
double stat_sd(const double *x, size_t n);   /* sample (n - 1), two-pass corrected */
double stat_cv(const double *x, size_t n);   /* sd / mean; NaN at mean 0 */
/* Standard error of the mean over the mean: sd / (sqrt(n) |mean|). */
double stat_relative_error(const double *x, size_t n);
double stat_lag1(const double *x, size_t n); /* lag-1 autocorrelation (NIST StRD) */

/* Quantile p in [0,1] by linear interpolation of order statistics: Hyndman and Fan (1996) type 7,
 * the default of R and NumPy. NaN when memory is short. */
double stat_quantile(const double *x, size_t n, double p);
double stat_median(const double *x, size_t n);
/* Median absolute deviation from the median, times 1.4826 (consistent for a normal sample). */
double stat_mad(const double *x, size_t n);

/* outlier[i] = |x[i] - median| > threshold * MAD; with MAD 0, whatever differs from the median.
 * Returns how many. 3.5 is the usual threshold (Iglewicz and Hoaglin 1993, with their 0.6745). */
size_t stat_outliers(const double *x, size_t n, double threshold, bool *outlier);

enum stat_interval_kind { STAT_PERCENTILE, STAT_BCA };
struct stat_interval {
	double low, high;
};
typedef double stat_statistic(const double *x, size_t n);
/* Bootstrap confidence interval of statistic(x) at `level` (0.95), with `resamples` (2000) drawn
 * from the seed: the same seed gives the same interval. BCa: Efron (1987), acceleration by the
 * jackknife; it needs n >= 3. ERR_USAGE on impossible arguments, ERR_MEMORY. A sample without
 * spread gives low = high. */
int stat_bootstrap(const double *x, size_t n, stat_statistic *statistic,
		   enum stat_interval_kind kind, double level, int resamples, uint64_t seed,
		   struct stat_interval *out, struct err *e);

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

/* Of `successes` in n trials, the interval of the probability at `level` (0.95): Wilson (1927).
 * 0 .. 1 for n = 0. */
struct stat_interval stat_wilson(int64_t successes, int64_t n, double level);

double stat_normal_cdf(double z);
double stat_normal_quantile(double p); /* 0 < p < 1; error below 1e-12 */

/* Median, min, mean, ... of one sample at once, as the reports show them. */
struct stat_summary {
	size_t n;
	double median, min, max, mean, sd, cv, relative_error, mad;
	struct stat_interval median_interval; /* 95 %, BCa; low = high = median for n < 3 */
	size_t outliers;                      /* MAD rule, threshold 3.5 */
};
int stat_summarise(const double *x, size_t n, uint64_t seed, struct stat_summary *out,
		   struct err *e);

#endif
