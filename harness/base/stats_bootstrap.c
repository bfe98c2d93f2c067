/* Bootstrap confidence intervals: Efron and Tibshirani, An Introduction to the Bootstrap (1993),
 * chapters 13 (percentile) and 14 (BCa). */
#include <math.h>
#include <stdlib.h>

#include "harness/base/checked.h"
#include "harness/base/rng.h"
#include "harness/base/stats.h"

/* Acceleration: a sixth of the skewness of the jackknife values (equation 14.15). */
static double acceleration(const double *x, size_t n, stat_statistic *statistic, double *scratch,
			   double *left_out)
{
	double mean, squares = 0, cubes = 0;

	for (size_t i = 0; i < n; i++) {
		size_t kept = 0;

		for (size_t j = 0; j < n; j++)
			if (j != i)
				scratch[kept++] = x[j];
		left_out[i] = statistic(scratch, n - 1);
	}
	mean = stat_mean(left_out, n);
	for (size_t i = 0; i < n; i++) {
		double d = mean - left_out[i];

		squares += d * d;
		cubes += d * d * d;
	}
	return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

/* Normal quantile of the share of replicates below the estimate, those equal to it counted half
 * (equation 14.14). */
static double bias(const double *replicates, size_t count, double estimate)
{
	double below = 0;

	for (size_t i = 0; i < count; i++)
		below += replicates[i] < estimate ? 1 : replicates[i] == estimate ? 0.5 : 0;
	/* An estimate outside all replicates: as far as they can tell. */
	below = fmin(fmax(below, 0.5), (double)count - 0.5);
	return stat_normal_quantile(below / (double)count);
}

static double bca_level(double z0, double a, double level)
{
	double z = z0 + stat_normal_quantile(level);
	double denominator = 1 - a * z;

	if (!(denominator > 0))
		return level < 0.5 ? 0 : 1;
	return stat_normal_cdf(z0 + z / denominator);
}

static void resample(const double *x, size_t n, struct rng *r, double *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = x[rng_below(r, n)];
}

int stat_bootstrap(const double *x, size_t n, stat_statistic *statistic,
		   enum stat_interval_kind kind, double level, int resamples, uint64_t seed,
		   struct stat_interval *out, struct err *e)
{
	size_t count = resamples > 0 ? (size_t)resamples : 0, bytes;
	double *replicates, *scratch, *left_out, low = 0.5 * (1 - level), high = 1 - low;
	struct rng r = rng_seeded(seed);

	if (n < (kind == STAT_BCA ? 3u : 1u) || count < 10 || !(level > 0 && level < 1))
		return err_set(e, ERR_USAGE, "no bootstrap of %zu values, %d resamples, level %g",
			       n, resamples, level);
	if (!checked_add_size(count, 2 * n, &bytes) ||
	    !checked_mul_size(bytes, sizeof(*replicates), &bytes) || !(replicates = malloc(bytes)))
		return err_set(e, ERR_MEMORY, "no memory for a bootstrap of %zu values", n);
	scratch = replicates + count;
	left_out = scratch + n;
	for (size_t i = 0; i < count; i++) {
		resample(x, n, &r, scratch);
		replicates[i] = statistic(scratch, n);
	}
	if (kind == STAT_BCA) {
		double z0 = bias(replicates, count, statistic(x, n));
		double a = acceleration(x, n, statistic, scratch, left_out);

		low = bca_level(z0, a, low);
		high = bca_level(z0, a, high);
	}
	out->low = stat_quantile(replicates, count, low);
	out->high = stat_quantile(replicates, count, high);
	free(replicates);
	if (!(out->low <= out->high))
		return err_set(e, ERR_FAILED, "a resample gave no number, or memory is short");
	return 0;
}
