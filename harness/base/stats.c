#include "harness/base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double stat_min(const double *x, size_t n)
{
	double least = n ? x[0] : NAN;

	for (size_t i = 1; i < n; i++)
		least = x[i] < least ? x[i] : least;
	return least;
}

double stat_max(const double *x, size_t n)
{
	double most = n ? x[0] : NAN;

	for (size_t i = 1; i < n; i++)
		most = x[i] > most ? x[i] : most;
	return most;
}

double stat_mean(const double *x, size_t n)
{
	double sum = 0, rest = 0, mean;

	if (n == 0)
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		rest += x[i] - mean;
	return mean + rest / (double)n;
}

/* Sum of squared deviations; subtracting the square of the deviations' sum takes away what the
 * rounding of the mean left (Chan, Golub, LeVeque 1983, "corrected two-pass"). */
static double squared_deviations(const double *x, size_t n, double mean)
{
	double squares = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		double d = x[i] - mean;

		squares += d * d;
		sum += d;
	}
	return squares - sum * sum / (double)n;
}

double stat_sd(const double *x, size_t n)
{
	double squares;

	if (n < 2)
		return NAN;
	squares = squared_deviations(x, n, stat_mean(x, n));
	return squares > 0 ? sqrt(squares / (double)(n - 1)) : 0;
}

double stat_cv(const double *x, size_t n)
{
	double mean = stat_mean(x, n);

	return mean != 0 ? stat_sd(x, n) / mean : NAN;
}

double stat_relative_error(const double *x, size_t n)
{
	return fabs(stat_cv(x, n)) / sqrt((double)n);
}

double stat_lag1(const double *x, size_t n)
{
	double mean = stat_mean(x, n), products = 0, squares;

	if (n < 2)
		return NAN;
	squares = squared_deviations(x, n, mean);
	for (size_t i = 1; i < n; i++)
		products += (x[i] - mean) * (x[i - 1] - mean);
	return squares > 0 ? products / squares : NAN;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A sorted copy to be freed; NULL when memory is short. */
static double *sorted_copy(const double *x, size_t n)
{
	double *copy = malloc(n * sizeof(*copy));

	if (copy) {
		memcpy(copy, x, n * sizeof(*copy));
		qsort(copy, n, sizeof(*copy), ascending);
	}
	return copy;
}

static double quantile_of_sorted(const double *x, size_t n, double p)
{
	double at = (double)(n - 1) * p;
	size_t below = (size_t)at;

	if (below + 1 >= n)
		return x[n - 1];
	return x[below] + (at - (double)below) * (x[below + 1] - x[below]);
}

double stat_quantile(const double *x, size_t n, double p)
{
	double *copy, value;

	if (n == 0 || !(p >= 0 && p <= 1))
		return NAN;
	copy = sorted_copy(x, n);
	if (!copy)
		return NAN;
	value = quantile_of_sorted(copy, n, p);
	free(copy);
	return value;
}

double stat_median(const double *x, size_t n)
{
	return stat_quantile(x, n, 0.5);
}

double stat_mad(const double *x, size_t n)
{
	double median = stat_median(x, n), *distance, mad;

	if (n == 0)
		return NAN;
	distance = malloc(n * sizeof(*distance));
	if (!distance)
		return NAN;
	for (size_t i = 0; i < n; i++)
		distance[i] = fabs(x[i] - median);
	mad = 1.4826 * stat_median(distance, n);
	free(distance);
	return mad;
}

size_t stat_outliers(const double *x, size_t n, double threshold, bool *outlier)
{
	double median = stat_median(x, n), mad = stat_mad(x, n);
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		outlier[i] = fabs(x[i] - median) > threshold * mad;
		count += outlier[i];
	}
	return count;
}

double stat_normal_cdf(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

double stat_normal_quantile(double p)
{
	double tail = p < 0.5 ? p : 1 - p, t, z;

	if (!(p > 0 && p < 1))
		return NAN;
	/* Abramowitz and Stegun 26.2.22 gives two digits; Halley's steps triple them. */
	t = sqrt(-2 * log(tail));
	z = -(t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t)));
	for (int step = 0; step < 4; step++) {
		double density = exp(-0.5 * z * z) / sqrt(2 * M_PI);
		double newton = density > 0 ? (stat_normal_cdf(z) - tail) / density : 0;

		z -= newton / (1 + 0.5 * z * newton);
	}
	return p < 0.5 ? z : -z;
}

struct stat_interval stat_wilson(int64_t successes, int64_t n, double level)
{
	double z = stat_normal_quantile(0.5 + level / 2), count = (double)n, p, centre, half;

	if (n < 1)
		return (struct stat_interval){ 0, 1 };
	p = (double)successes / count;
	centre = p + z * z / (2 * count);
	half = z * sqrt(p * (1 - p) / count + z * z / (4 * count * count));
	return (struct stat_interval){ successes == 0 ? 0 : (centre - half) / (1 + z * z / count),
				       successes == n ? 1 : (centre + half) / (1 + z * z / count) };
}

int stat_summarise(const double *x, size_t n, uint64_t seed, struct stat_summary *out,
		   struct err *e)
{
	bool *outlier;

	if (n == 0)
		return err_set(e, ERR_USAGE, "no samples to summarise");
	outlier = malloc(n * sizeof(*outlier));
	if (!outlier)
		return err_set(e, ERR_MEMORY, "no memory for %zu samples", n);
	*out = (struct stat_summary){
		.n = n,
		.median = stat_median(x, n),
		.min = stat_min(x, n),
		.max = stat_max(x, n),
		.mean = stat_mean(x, n),
		.sd = stat_sd(x, n),
		.cv = stat_cv(x, n),
		.relative_error = stat_relative_error(x, n),
		.mad = stat_mad(x, n),
		.outliers = stat_outliers(x, n, 3.5, outlier),
	};
	free(outlier);
	out->median_interval = (struct stat_interval){ out->median, out->median };
	if (n < 3)
		return 0;
	return stat_bootstrap(x, n, stat_median, STAT_BCA, 0.95, 2000, seed, &out->median_interval,
			      e);
}
