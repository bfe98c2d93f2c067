/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The benchmark case that all experiments of gboa share: plan, set-up, run and check. Every
 * experiment has the axes `variant` and `gpus`.
 *
 * Values of the axis variant: serial (pBOA), sboa and pboa (serial with these models), cpu,
 * published, tuned.
 *
 * The time of a row is the wall time of boa_run with memory and data in place. `time_of` says
 * whether it is that of a run, of a generation, or of all runs together.
 *
 * Check. The oracle evaluates every best string again. Run 0 (or up to 16 runs of a batch) is
 * repeated by another variant if the predicted time allows, and must be identical; the counter
 * `compared` is the number of runs repeated. sBOA has only one variant. Instead, its first network
 * is checked: it has edges, no cycle, at most k parents for each variable, and a score, recomputed
 * in doubles individual by individual, of at least that of pBOA's network from the same
 * individuals.
 *
 * The output hash covers run 0, or all runs of a batch, so rows of all variants and numbers of
 * devices can be compared. */
#ifndef COPRA_GBOA_CASE_H
#define COPRA_GBOA_CASE_H

#include "algorithms/gboa/runs.h"
#include "harness/bench/bench.h"
#include "harness/machine/peaks.h"

enum boa_time_of { BOA_TIME_RUN, BOA_TIME_GENERATION, BOA_TIME_ALL };

struct boa_plan {
	char problem[32], instance[64];
	enum solve_variant variant;
	enum boa_model model;
	int engine;         /* enum boa_engine, for tuned */
	int32_t population; /* half of it is selected */
	int32_t max_parents;
	int32_t generations;
	bool stop; /* stop at the optimum, or when all selected are alike */
	int runs;
	bool singly; /* make one run at a time */
	double host_share;
	int block_threads;             /* published; 0: as in the paper */
	const struct solve_rung *rung; /* of boa_rungs; or NULL: the variant as it is */
	int threads;                   /* 0: all threads of the process */
	enum boa_time_of time_of;
};

/* The plan of a case: variant and model are those of the axes; one run with the options of the
 * paper, but few generations at smoke scale. */
struct boa_plan boa_plan_default(const struct bench_case *c);
/* Sets the instance to n variables (trap5 by default). */
void boa_plan_trap(struct boa_plan *p, int64_t n);

/* Predicted seconds of one run that has the machine to itself, and of all runs. `threads` of the
 * host and `gpus` >= 1. */
double boa_plan_run(const struct boa_plan *p, int threads, int gpus);
double boa_plan_seconds(const struct boa_plan *p, int threads, int gpus);

/* The callbacks of a benchmark, given its plan. */
double boa_case_estimate(const struct bench_case *c, const struct boa_plan *p);
int boa_case_setup(struct bench_case *c, const struct boa_plan *p, struct err *e);
int boa_case_run(struct bench_case *c, struct err *e);
int boa_case_check(struct bench_case *c, struct err *e);
void boa_case_teardown(struct bench_case *c);

/* ERR_UNSUPPORTED if devices are missing, or if they are simulated and the case is too large for
 * the simulator. Part of boa_case_setup. */
int boa_case_check_machine(struct bench_case *c, const struct boa_plan *p, struct err *e);

/* The variant that repeats runs of the plan for the check, and how many runs, at most `most`, it
 * can repeat in the time allowed. */
enum solve_variant boa_plan_reference(const struct boa_plan *p);
int boa_case_repeatable(const struct bench_case *c, const struct boa_plan *p, int most);

/* ---- what a row demands of the machine (bench_demands) ---- */

struct boa_work {
	const struct boa_options *options;
	int32_t n;
	double generations, edges; /* edges: mean over the generations */
	/* published: candidates counted in each round, as in boa_setup, over the generations */
	const double *candidates;
};

/* The least number of 64-bit population counts that learning on cores needs: the counts that do not
 * follow from others, given the edges found; for hBOA, the counts of the first split. */
double boa_least_popcounts(const struct boa_work *w);

/* The least number of AND and popcount of words of 32 individuals in the products of any tuned
 * engine. The first round counts every pair of variables, whatever it finds. The round after q
 * parents counts each candidate with the sets that contain the newest parent, with and without the
 * variable, except the set of the newest parent alone: 2^q - 1. (The engines grid and batch count
 * that one too, and groups of 8 or 16 variables in full.) Rounds that find no parent are left out,
 * as is what only some of the candidates need. */
double boa_least_products(const struct boa_work *w);

enum { BOA_DEMANDS = 3 };

/* The demands of a form of gBOA on one device of `gpus`:
 *
 *   published  the operations that the kernel counts with (Figure 6, step 3), and the bytes of the
 *              selected, written by the copy from the host and read by the kernel
 *   tuned      boa_least_products, at the peak rate of binary products or, in the rung `device`, of
 *              population counts, the operations of sampling, and the bytes of the selected and of
 *              the offspring, each written and read. Bytes are left out for the engines batch,
 *              whose individuals stay in shared memory, and auto, which may choose it
 *
 * *part becomes true where the demands are only a part of the work: if the host makes a share of
 * the runs, and for hBOA, of which only the operations of sampling are counted.
 *
 * Operations are 32-bit additions, shifts and logical operations, all as fast as an add-max,
 * population counts, or those of binary products (peaks.h). Returns the number of demands. */
size_t boa_device_demands(const struct boa_work *w, const struct boa_setup *s, int gpus,
			  struct peak_demand demand[BOA_DEMANDS], bool *part);

/* Minimum seconds of a smoke and of a quick row, because many rows take only milliseconds. */
#define BOA_MIN_TIME .min_time = { 0.02, 0.1, 0 }
#define BOA_CASE                                                                                   \
	.manual_time = true, .unit = "ms", BOA_MIN_TIME, .run = boa_case_run,                      \
	.check = boa_case_check, .teardown = boa_case_teardown, .uses_device = bench_uses_device

/* Defines setup and estimate of a benchmark whose plan is plan_NAME(c). */
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
