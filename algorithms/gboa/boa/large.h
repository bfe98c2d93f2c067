/* tuned, engine large: one run of many variables and individuals on all devices, by a few launches
 * for each step of a generation. boa_large_device.h describes how the work is divided. */
#ifndef COPRA_GBOA_BOA_LARGE_H
#define COPRA_GBOA_BOA_LARGE_H

#include "algorithms/gboa/boa.h"

boa_runs_function boa_large_runs;

/* boa_large_runs with panels of at most `panel_bytes`; 0: all free memory. For tests. */
int boa_large_runs_within(const struct boa_setup *s, struct boa_run *runs, int count,
			  struct boa_times *times, size_t panel_bytes, struct err *e);

#endif
