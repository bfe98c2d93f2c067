/* The shape of the runs of boa_batch_runs: chosen by the sizes, or by tests and measurements. */
#ifndef COPRA_GBOA_TUNED_BATCH_H
#define COPRA_GBOA_TUNED_BATCH_H

#include "algorithms/gboa/boa.h"

struct batch_shape {
	int cluster; /* blocks a run, 1, 2, 4, 8 or 16; 0: chosen */
	int threads; /* a block's, a multiple of 32, 64 .. 1024; 0: chosen */
	unsigned long long
		*clocks; /* BATCH_PHASES sums of the devices' clocks (batch.h), or NULL */
};

/* boa_batch_runs with a shape. ERR_UNSUPPORTED where it does not fit. */
int boa_batch_runs_shaped(const struct boa_setup *s, const struct batch_shape *shape,
			  struct boa_run *runs, int count, struct boa_times *times, struct err *e);

#endif
