/* One measured solve: the hooks that all experiments of dp-knapsack share. An experiment names its
 * axes; the hooks read the axes instance, variant, form, n, seed and gpus where present. */
#ifndef COPRA_DP_KNAPSACK_CASE_H
#define COPRA_DP_KNAPSACK_CASE_H

#include "harness/bench/bench.h"
#include "algorithms/dp-knapsack/dp.h"

bool dp_case_exists(const struct bench_case *c);
int dp_case_setup(struct bench_case *c, const char *instance, bool want_items, struct err *e);
/* Serial only: runs the first items, which have `share` (0 to 1) of the cell updates. The time is
 * extrapolated to all items. */
int dp_case_setup_part(struct bench_case *c, const char *instance, double share, struct err *e);
int dp_case_run(struct bench_case *c, struct err *e);
int dp_case_check(struct bench_case *c, struct err *e);
void dp_case_teardown(struct bench_case *c);
/* Predicted seconds for n items and a capacity. */
double dp_case_estimate(const struct bench_case *c, double n, double capacity);

#endif
