/* One measured solve: what all experiments of dp-knapsack share. A bench names its axes; these are
 * its hooks. Axes read where they are there: instance, variant, form, n, seed, gpus. */
#ifndef COPRA_DP_KNAPSACK_EXPERIMENT_H
#define COPRA_DP_KNAPSACK_EXPERIMENT_H

#include "harness/bench/bench.h"
#include "algorithms/dp-knapsack/knapsack_dp.h"

bool kp_case_exists(const struct bench_case *c);
int kp_case_setup(struct bench_case *c, const char *instance, bool want_items, struct err *e);
/* Serial alone: on the first items, those with `share` (0 to 1) of the cell updates; the time is
 * extrapolated to all of them. */
int kp_case_setup_part(struct bench_case *c, const char *instance, double share, struct err *e);
int kp_case_run(struct bench_case *c, struct err *e);
int kp_case_check(struct bench_case *c, struct err *e);
void kp_case_teardown(struct bench_case *c);
/* Predicted seconds for n items and a capacity. */
double kp_case_estimate(const struct bench_case *c, double n, double capacity);

#endif
