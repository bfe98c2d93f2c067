#include <math.h>
#include <stdlib.h>

#include "harness/bench/bench_run.h"
#include "harness/base/stats.h"

/* The coefficients of variation after each of the last STOP_WINDOW samples lie within 5 % of their
 * mean: the noise is known, and only its square root law is left to gain from. */
static bool noise_is_stable(const double *x, int n)
{
	double cv[STOP_WINDOW], mean;

	if (n < STOP_WINDOW + STOP_LEAST)
		return false;
	for (int i = 0; i < STOP_WINDOW; i++)
		cv[i] = stat_cv(x, (size_t)(n - i));
	mean = stat_mean(cv, STOP_WINDOW);
	return isfinite(mean) &&
	       stat_max(cv, STOP_WINDOW) - stat_min(cv, STOP_WINDOW) <= 0.05 * mean;
}

bool bench_stop_reached(const struct bench_stop_rule *r, const struct bench_row *rows, int count)
{
	double *x, used = 0, error;
	bool stop;

	if (count < r->repetitions)
		return false;
	if (r->precision <= 0 || count >= STOP_MOST)
		return true;
	x = malloc((size_t)count * sizeof(*x));
	if (!x)
		return true;
	for (int i = 0; i < count; i++) {
		x[i] = rows[i].real_seconds;
		used += rows[i].real_seconds * (double)rows[i].iterations;
	}
	error = count >= STOP_LEAST ? stat_relative_error(x, (size_t)count) : INFINITY;
	stop = used >= r->budget || error <= r->precision || noise_is_stable(x, count);
	free(x);
	return stop;
}
