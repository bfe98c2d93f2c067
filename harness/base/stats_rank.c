/* The rank test of Mann and Whitney, Annals of Mathematical Statistics 18 (1947). */
#include <math.h>
#include <stdlib.h>

#include "harness/base/checked.h"
#include "harness/base/stats.h"

enum { EXACT_BELOW = 50 };

struct labelled {
	double value;
	bool of_x;
};

static int ascending(const void *a, const void *b)
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

/* P(U <= u) when nothing but chance orders the nx + ny values: counts the sets of nx ranks by their
 * sum, rank after rank. Only additions, so that small probabilities keep their digits. */
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

	z = fabs(z) - 0.5; /* continuity */
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
	qsort(all, count, sizeof(*all), ascending);
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
