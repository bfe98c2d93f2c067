#include "algorithms/gboa/measured.h"

#include <math.h>
#include <string.h>

#include "harness/machine/peaks.h"
#include "algorithms/gboa/random.h"

int boa_measures(const struct boa_times *t, double divisor, struct measure out[BOA_MEASURED])
{
	const struct measure all[] = {
		{ "select_seconds", t->select / divisor, true },
		{ "learn_seconds", t->learn / divisor, true },
		{ "sample_seconds", t->sample / divisor, true },
		{ "evaluate_seconds", t->evaluate / divisor, true },
		{ "transfer_seconds", t->transfer / divisor, true },
		{ "set_up_seconds", t->set_up / divisor, true },
	};
	int count = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].value > 0)
			out[count++] = all[i];
	return count;
}

/* Streams of words that a variable with so many parents has at least read for each candidate: those
 * of its first round, and of the one after q parents 2^q - 1 (counts with the newest parent; with
 * it and the candidate alone is a pair, known already). Linear between whole numbers, which a
 * convex function is at least of. */
static double streams(double parents)
{
	double sum = 0, width = 1;

	for (int q = 0; q < parents; q++, width *= 2)
		sum += fmin(1, parents - q) * (q == 0 ? 1 : width - 1);
	return sum;
}

/* Of a decision graph only the first split is sure to look at all individuals. */
double boa_floor_popcounts(const struct boa_floor *f)
{
	double pairs = 0.5 * f->n * (f->n - 1.0), parents = f->edges / f->n;

	if (f->options->model == BOA_TREES)
		parents = fmin(1, parents);
	return f->generations * pairs * streams(parents) * f->options->selected / 64;
}

/* A word of 32 offspring: four calls of Philox, 7 rounds of two wide multiplications, two
 * three-input logical operations and two additions to the key; and two logical operations a digit.
 */
static double sampling_operations(const struct boa_floor *f)
{
	double word = 4 * 7 * 6 + 2 * BOA_DIGITS;

	return f->generations * f->n * boa_offspring(f->options) / 32.0 * word;
}

void boa_set_floor(struct bench_case *c, const struct boa_floor *f, enum solve_variant v, int gpus)
{
	bool device = v >= SOLVE_PUBLISHED;
	const struct peak_demand demand = {
		device            ? PEAK_GPU_ADD_MAX :
		v == SOLVE_SERIAL ? PEAK_CPU_POPCOUNT_1 :
				    PEAK_CPU_POPCOUNT,
		device ? sampling_operations(f) / (gpus > 1 ? gpus : 1) : boa_floor_popcounts(f),
	};
	enum peak limit;
	double floor = peaks_lower_bound(bench_peaks(c), &demand, 1, &limit);

	if (floor > 0)
		bench_lower_bound(c, floor, peaks_name(limit));
}
