/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Runs of BOA by any variant: one call for several independent runs, with memory for the results,
 * verification, comparison and a summary. Used by `solve`, `size` and the experiments. */
#ifndef COPRA_GBOA_RUNS_H
#define COPRA_GBOA_RUNS_H

#include "algorithms/gboa/boa.h"
#include "harness/base/stats.h"
#include "harness/bench/bench.h"

/* Makes the runs by the variant, model and engine of the setup; see boa_runs_function. */
boa_runs_function boa_run;

/* How many of the setup's devices, at least 1, shorten `count` >= 1 runs of tuned, with the time to
 * open them. Engine large: by predicted times. The other engines make a run on one device: as many
 * as there are runs. */
int boa_paying_devices(const struct boa_setup *s, int count);

/* ---- several runs ---- */

struct boa_trials {
	int32_t n;
	int count;
	struct boa_run *runs;
	uint8_t *bits; /* of all runs */
	struct boa_times times;
};

/* Memory for `count` >= 1 runs. ERR_MEMORY. */
int boa_trials_create(struct boa_trials *t, int32_t n, int count, struct err *e);
/* Also accepts a struct of zeros. */
void boa_trials_destroy(struct boa_trials *t);

/* Makes all runs in one call of boa_run. After ERR_LIMIT, each run holds the best individual that
 * it had found. */
int boa_trials_run(struct boa_trials *t, const struct boa_setup *s, struct err *e);
/* The same on all ranks of mpirun (algorithms/tree-search/cluster/world.h), each of which makes a
 * part of the runs. Afterwards every rank has all runs and the same result, as one process would
 * have; `times` has only `total`, the wall time until the rank had all runs. Every rank must make
 * the same calls. Without ranks: boa_trials_run(). Last populations are not shared. */
int boa_trials_share(struct boa_trials *t, const struct boa_setup *s, struct err *e);
/* Makes the same runs with one call for each run, so that each run has the machine to itself.
 * `times` is the sum over the calls. */
int boa_trials_run_singly(struct boa_trials *t, const struct boa_setup *s, struct err *e);

struct boa_summary {
	int began, successes;
	int feasible; /* runs whose best satisfies all hard clauses, or fits the knapsack */
	int best;     /* index of the run with the best value; ties: the first; -1: no run began */
	struct stat_interval success; /* success rate, 95 %, where the optimum is known */
	/* Means over the runs that began. */
	double generations, evaluations, edges;
	double solved; /* share of the terms that have their best value, 0 .. 1 */
};

/* Sums up the runs that began; `l` and `o` are those of the runs. */
void boa_trials_sum_up(const struct boa_trials *t, const struct landscape *l,
		       const struct boa_options *o, struct boa_summary *s);

/* Verifies each run: the oracle evaluates its best string again; the fitness must not exceed the
 * known optimum; `optimum` must be set exactly if the optimum is reached. ERR_FAILED names the run.
 */
int boa_trials_verify(const struct boa_trials *t, const struct landscape *l, struct err *e);

/* ERR_FAILED unless the runs agree in best string, fitness, generations and edges. `variant` is the
 * name of the variant that made `other`. */
int boa_run_compare(const struct boa_run *r, const struct boa_run *other, int32_t n,
		    const char *variant, struct err *e);
/* A hash of the values that boa_run_compare compares. */
uint64_t boa_run_hash(const struct boa_run *r, int32_t n);

/* ---- times ---- */

enum { BOA_MEASURES = 9 };

/* Metrics of a call: seconds of the steps that were measured, and of the set-up, each divided by
 * `divisor`. Returns their number. */
int boa_measures(const struct boa_times *t, double divisor, struct measure out[BOA_MEASURES]);

#endif
