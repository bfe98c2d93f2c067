/* One iteration of the synthetic model: Tables I and II, and the fill rate. Axes: schedule, load,
 * states, P, F. */
#ifndef COPRA_KOESTER_RECOVERY_EXPERIMENT_MODEL_H
#define COPRA_KOESTER_RECOVERY_EXPERIMENT_MODEL_H

#include "algorithms/koester-recovery/experiment.h"
#include "algorithms/koester-recovery/solve_synthetic.h"

/* The axes' setting: a layer keeps a sixteenth of the states, at most 1,024. By schedule:
 *   printed  as the paper's times imply; P has no influence there
 *   literal  Algorithm 2, every state waits after a step with probability P
 *   fitted   Algorithm 2 with the one probability, 9 %, that gives the printed times' breaks
 *   each     every state is assigned as soon as it waits, with probability P */
struct synthetic_setup model_case_default(const struct bench_case *c);
bool model_case_exists(const struct bench_case *c);
/* Multiply-adds of one iteration. */
double model_case_work(const struct bench_case *c, const struct synthetic_setup *s);
double model_case_estimate(const struct bench_case *c);

int model_case_setup(struct bench_case *c, struct err *e);
/* A run makes so many iterations, not one. */
int model_case_setup_several(struct bench_case *c, uint32_t iterations, struct err *e);
int model_case_run(struct bench_case *c, struct err *e);
int model_case_check(struct bench_case *c, struct err *e);
void model_case_teardown(struct bench_case *c);

#define MODEL_CASE                                                                                 \
	.manual_time = true, .unit = "ms", TRACK_MIN_TIME, .exists = model_case_exists,            \
	.setup = model_case_setup, .run = model_case_run, .check = model_case_check,               \
	.teardown = model_case_teardown, .uses_device = bench_uses_device,                         \
	.estimate = model_case_estimate

#endif
