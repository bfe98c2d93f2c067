/* Recovery of old states of the synthetic model: Tables III and IV, and the ways of recovery. One
 * input; every layer keeps all S states, as section V has it (S_back = S_max). */
#ifndef COPRA_KOESTER_RECOVERY_EXPERIMENT_RECOVERY_H
#define COPRA_KOESTER_RECOVERY_EXPERIMENT_RECOVERY_H

#include "algorithms/koester-recovery/experiment.h"
#include "algorithms/koester-recovery/solve_synthetic.h"

enum { RECOVERY_LAYERS = 16 }; /* the paper's "solver iteration 16" */

struct recovery_case {
	uint32_t states, state_bytes, load;
	struct archive_options archive;
	uint32_t from_layer, to_layer; /* one run recovers all states of each of these layers; the
					  time is the mean of one */
	bool scattered;                /* in another order than they lie, else slot by slot */
	bool whole;                    /* the run is the search itself, then one recovery: what
					  memory it takes is told */
};

double recovery_case_estimate(const struct bench_case *c, const struct recovery_case *p);

int recovery_case_setup(struct bench_case *c, const struct recovery_case *p, struct err *e);
int recovery_case_run(struct bench_case *c, struct err *e);
int recovery_case_check(struct bench_case *c, struct err *e);
void recovery_case_teardown(struct bench_case *c);

#define RECOVERY_CASE                                                                              \
	.manual_time = true, .unit = "ms", TRACK_MIN_TIME, .run = recovery_case_run,               \
	.check = recovery_case_check, .teardown = recovery_case_teardown,                          \
	.uses_device = bench_uses_device

#endif
