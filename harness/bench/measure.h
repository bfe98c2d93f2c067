/* What a run tells beside its time: in a row of `bench` and in the answer of `solve` alike. */
#ifndef COPRA_BENCH_MEASURE_H
#define COPRA_BENCH_MEASURE_H

#include "harness/bench/bench.h"
#include "harness/bench/solve.h"

struct measure {
	const char *name; /* [a-z0-9_]+, static text */
	double value;
	bool seconds; /* in a row the mean over its iterations, as its time is */
};

void bench_measures(struct bench_case *c, const struct measure *m, int count);
void solve_measures(struct solve_result *r, const struct measure *m, int count);

#endif
