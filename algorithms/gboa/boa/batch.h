/* tuned, engine batch: many runs at the same time on all devices, each by a block or by a cluster
 * of blocks. kernels/gboa/batch.h describes the kernels. */
#ifndef COPRA_GBOA_BOA_BATCH_H
#define COPRA_GBOA_BOA_BATCH_H

#include "algorithms/gboa/boa.h"
#include "kernels/gboa/batch.h"

/* ERR_UNSUPPORTED: a run does not fit into shared memory, or the options exceed the kernels'
 * limits. */
boa_runs_function boa_batch_runs;

/* How a run is divided over blocks; 0: chosen by the sizes. For tests and measurements. */
struct boa_batch_shape {
	int cluster; /* blocks a run, 1, 2, 4, 8 or 16 */
	int threads; /* threads a block, a multiple of 32, 64 .. 1024 */
	/* BOA_BATCH_PHASES sums of the devices' clocks, or NULL. */
	unsigned long long *clocks;
};

/* boa_batch_runs with a given shape. */
int boa_batch_runs_shaped(const struct boa_setup *s, const struct boa_batch_shape *shape,
			  struct boa_run *runs, int count, struct boa_times *times, struct err *e);

#endif
