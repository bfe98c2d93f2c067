/* What a call of boa_run tells beside its time, in a row and in a solve alike. */
#ifndef COPRA_GBOA_MEASURED_H
#define COPRA_GBOA_MEASURED_H

#include "harness/bench/bench.h"
#include "algorithms/gboa/boa.h"

enum { BOA_MEASURED = 8 };

/* Seconds of the steps, where the variant can tell them apart, and of what comes before a run, both
 * divided. Returns how many there are. */
int boa_measures(const struct boa_times *t, double divisor, struct measure out[BOA_MEASURED]);

/* The least time that so many generations can take: on cores the popcounts of learning (the counts
 * that do not follow from others, of pairs, given the edges that were found), on a device the
 * integer operations of sampling. `edges`: a generation's, in the mean. Of the graphs of hBOA the
 * counts of the first split. */
struct boa_floor {
	const struct boa_options *options;
	int32_t n;
	double generations, edges;
};
/* Of 64 bits each, on cores. */
double boa_floor_popcounts(const struct boa_floor *f);
void boa_set_floor(struct bench_case *c, const struct boa_floor *f, enum solve_variant v, int gpus);

#endif
