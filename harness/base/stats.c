/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"

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

/* Sum of squared deviations. Subtracting the squared sum of the deviations removes the effect of
 * rounding in the mean (Chan, Golub, LeVeque 1983, "corrected two-pass"). */
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

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A sorted copy, which the caller frees; NULL if out of memory. */
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

double stat_normal_cdf(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

double stat_normal_quantile(double p)
{
	double tail = p < 0.5 ? p : 1 - p, t, z;

	if (!(p > 0 && p < 1))
		return NAN;
	/* Abramowitz and Stegun 26.2.22 gives two digits; each Halley step triples them. */
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

/* ---- the rank test of Mann and Whitney, Annals of Mathematical Statistics 18 (1947) ---- */

enum { EXACT_BELOW = 50 };

struct labelled {
	double value;
	bool of_x;
};

static int by_value(const void *a, const void *b)
{
	double x = ((const struct labelled *)a)->value, y = ((const struct labelled *)b)->value;

	return (x > y) - (x < y);
}

/* Sum of x's mid-ranks in the sorted values, and the sum of t^3 - t over groups of t ties. */
static double rank_sum(const struct labelled *all, size_t count, double *ties)
{
	double sum = 0;

	*ties = 0;
	for (size_t first = 0, last; first < count; first = last) {
		size_t from_x = 0;
		double t, rank;

		for (last = first; last < count && all[last].value == all[first].value; last++)
			from_x += all[last].of_x;
		t = (double)(last - first);
		rank = 0.5 * ((double)first + 1 + (double)last); /* of ranks first+1 .. last */
		sum += rank * (double)from_x;
		*ties += t * t * t - t;
	}
	return sum;
}

/* P(U <= u) under the null hypothesis: counts the sets of nx ranks by their sum, rank by rank. Uses
 * additions only, so that small probabilities keep their precision. */
static int exact_lower_tail(size_t nx, size_t ny, size_t u, double *p, struct err *e)
{
	size_t least = nx * (nx + 1) / 2, width = least + nx * ny + 1;
	double *ways = calloc((nx + 1) * width, sizeof(*ways)), lower = 0, all = 0;

	if (!ways)
		return err_set(e, ERR_MEMORY, "no memory for a rank test of %zu and %zu", nx, ny);
	ways[0] = 1;
	for (size_t rank = 1; rank <= nx + ny; rank++)
		for (size_t k = rank < nx ? rank : nx; k > 0; k--)
			for (size_t sum = rank; sum < width; sum++)
				ways[k * width + sum] += ways[(k - 1) * width + sum - rank];
	for (size_t sum = least; sum < width; sum++) {
		all += ways[nx * width + sum];
		if (sum - least <= u)
			lower += ways[nx * width + sum];
	}
	free(ways);
	*p = lower / all;
	return 0;
}

double stat_least_p(size_t nx, size_t ny)
{
	size_t few = nx < ny ? nx : ny, many = nx < ny ? ny : nx;
	double splits = 1; /* C(many + i, i) */

	for (size_t i = 1; i <= few && isfinite(splits); i++)
		splits = splits * ((double)many + (double)i) / (double)i;
	return fmin(1, 2 / splits);
}

static double approximate_p(double nx, double ny, double u, double ties)
{
	double n = nx + ny, z = u - 0.5 * nx * ny;
	double variance = nx * ny / 12 * (n + 1 - ties / (n * (n - 1)));

	z = fabs(z) - 0.5; /* continuity correction */
	if (!(variance > 0) || z <= 0)
		return 1;
	return fmin(1, 2 * stat_normal_cdf(-z / sqrt(variance)));
}

static struct labelled *sorted_union(const double *x, size_t nx, const double *y, size_t ny)
{
	struct labelled *all;
	size_t count, bytes;

	if (!checked_add_size(nx, ny, &count) || !checked_mul_size(count, sizeof(*all), &bytes))
		return NULL;
	all = malloc(bytes);
	if (!all)
		return NULL;
	for (size_t i = 0; i < nx; i++)
		all[i] = (struct labelled){ x[i], true };
	for (size_t i = 0; i < ny; i++)
		all[nx + i] = (struct labelled){ y[i], false };
	qsort(all, count, sizeof(*all), by_value);
	return all;
}

int stat_mann_whitney(const double *x, size_t nx, const double *y, size_t ny,
		      struct stat_rank_test *out, struct err *e)
{
	double ties, pairs = (double)nx * (double)ny, smaller, tail = 1;
	struct labelled *all;
	int status = 0;

	if (nx == 0 || ny == 0)
		return err_set(e, ERR_USAGE, "a rank test needs values in both samples");
	all = sorted_union(x, nx, y, ny);
	if (!all)
		return err_set(e, ERR_MEMORY, "no memory for a rank test of %zu and %zu", nx, ny);
	out->u = rank_sum(all, nx + ny, &ties) - 0.5 * (double)nx * ((double)nx + 1);
	free(all);
	out->effect = out->u / pairs;
	out->exact = ties == 0 && nx < EXACT_BELOW && ny < EXACT_BELOW;
	if (!out->exact) {
		out->p = approximate_p((double)nx, (double)ny, out->u, ties);
		return 0;
	}
	smaller = fmin(out->u, pairs - out->u); /* the distribution is symmetric */
	status = exact_lower_tail(nx, ny, (size_t)smaller, &tail, e);
	if (!status)
		out->p = fmin(1, 2 * tail);
	return status;
}
