/* What all experiments of gboa share. Axes that every bench has: variant, gpus.
 *
 * The words of the axis variant: serial (pBOA), sboa and pboa (serial by these models), cpu,
 * published, tuned. The time is that of boa_run, wall time with memory and data in place: of a run,
 * of a generation, or of all runs together. Every best string is evaluated again by the oracle. Run
 * 0, of a batch up to 16 that are spread over it, are repeated by another variant where the
 * predicted time allows, and must be the same: the counter `compared` says how many were. The
 * networks of sBOA, which has one variant, are checked by themselves (experiment_searched.h). The
 * output hash is of run 0, of a batch of all runs, so that rows of any variant and number of
 * devices compare. */
#ifndef COPRA_GBOA_EXPERIMENT_H
#define COPRA_GBOA_EXPERIMENT_H

#include "harness/bench/bench.h"
#include "algorithms/gboa/trials.h"

enum boa_time_of { BOA_TIME_RUN, BOA_TIME_GENERATION, BOA_TIME_ALL };

struct boa_plan {
	char problem[32], instance[64];
	enum solve_variant variant;
	enum boa_model model;
	int engine;         /* of tuned */
	int32_t population; /* half of it is selected */
	int32_t max_parents;
	int32_t generations;
	bool stop; /* at the optimum, or when all are alike */
	int runs;
	bool singly; /* one run at a time */
	double host_share;
	int block_threads; /* published; 0: the paper's */
	int threads;       /* 0: all that the process was given */
	enum boa_time_of time_of;
};

/* Variant and model from the axes, and one run with the paper's options, of few generations in a
 * smoke run. */
struct boa_plan boa_plan_default(const struct bench_case *c);
/* trap5 of n variables. */
void boa_plan_trap(struct boa_plan *p, int64_t n);

/* Predicted seconds of one generation of a run that has the machine for itself, of a run with or
 * without an early stop, and of all runs. `threads`: of the host. */
double boa_plan_generation(const struct boa_plan *p, int threads, int gpus);
double boa_plan_run(const struct boa_plan *p, int threads, int gpus);
double boa_plan_seconds(const struct boa_plan *p, int threads, int gpus);
double boa_case_estimate(const struct bench_case *c, const struct boa_plan *p);

/* The callbacks of a bench, given its plan. ERR_UNSUPPORTED where devices are not there, or only
 * simulated ones and the case is too large for them. */
int boa_case_setup(struct bench_case *c, const struct boa_plan *p, struct err *e);
int boa_case_run(struct bench_case *c, struct err *e);
int boa_case_check(struct bench_case *c, struct err *e);
void boa_case_teardown(struct bench_case *c);
/* The variant that repeats runs of the plan, and how many of them, at most `most`, it may: by their
 * predicted time. */
enum solve_variant boa_plan_reference(const struct boa_plan *p);
int boa_case_repeatable(const struct bench_case *c, const struct boa_plan *p, int most);
/* Devices, and what can be simulated: for a setup of another kind. */
int boa_case_check_machine(struct bench_case *c, const struct boa_plan *p, struct err *e);

/* Many rows take milliseconds: least seconds of a smoke and a quick row. */
#define BOA_MIN_TIME .min_time = { 0.02, 0.1, 0 }
#define BOA_CASE                                                                                   \
	.manual_time = true, .unit = "ms", BOA_MIN_TIME, .run = boa_case_run,                      \
	.check = boa_case_check, .teardown = boa_case_teardown, .uses_device = bench_uses_device

/* Setup and estimate of a bench whose plan is plan_of(c). */
#define BOA_PLANNED(name_)                                                                         \
	static int setup_##name_(struct bench_case *c, struct err *e)                              \
	{                                                                                          \
		struct boa_plan p = plan_##name_(c);                                               \
                                                                                                   \
		return boa_case_setup(c, &p, e);                                                   \
	}                                                                                          \
	static double estimate_##name_(const struct bench_case *c)                                 \
	{                                                                                          \
		struct boa_plan p = plan_##name_(c);                                               \
                                                                                                   \
		return boa_case_estimate(c, &p);                                                   \
	}

#endif
