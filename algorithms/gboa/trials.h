/* Several independent runs of one problem: room for them, what they say together, and whether they
 * are right. Shared by solve, size and the experiments. */
#ifndef COPRA_GBOA_TRIALS_H
#define COPRA_GBOA_TRIALS_H

#include "harness/base/stats.h"
#include "algorithms/gboa/boa.h"

struct boa_trials {
	int32_t n;
	int count;
	struct boa_run *runs;
	uint8_t *bits; /* of all runs */
	struct boa_times times;
};

/* count >= 1. ERR_MEMORY. */
int boa_trials_create(struct boa_trials *t, int32_t n, int count, struct err *e);
void boa_trials_destroy(struct boa_trials *t); /* of zeros too */

/* All runs in one call of boa_run. ERR_LIMIT leaves what was reached. */
int boa_trials_run(struct boa_trials *t, const struct boa_setup *s, struct err *e);
/* The same runs in one call each, so that the time is that of a run which has the machine for
 * itself: `times` sums up. */
int boa_trials_run_singly(struct boa_trials *t, const struct boa_setup *s, struct err *e);

/* Has the run evaluated anything? Not so where a limit came first. */
bool boa_run_began(const struct boa_run *r);

struct boa_summary {
	int began, successes;
	int feasible;                 /* runs whose best satisfies all hard clauses, or fits */
	int best;                     /* run of the best value, of equal ones the first; -1: none */
	struct stat_interval success; /* of the rate, 95 %, where the optimum is known */
	/* Means over the runs that began. */
	double generations, evaluations, edges;
	double solved; /* share of the terms that are at their best; 1 is all */
};
void boa_trials_sum_up(const struct boa_trials *t, const struct landscape *l,
		       const struct boa_options *o, struct boa_summary *s);

/* Every best string is evaluated again by the oracle, is no better than the known optimum, and is
 * said to be the optimum exactly where it is. ERR_FAILED names the run. */
int boa_trials_verify(const struct boa_trials *t, const struct landscape *l, struct err *e);
/* Is run `r` the same in the bits of its best, its fitness, generations and edges? */
int boa_run_compare(const struct boa_run *r, const struct boa_run *other, int32_t n,
		    const char *variant, struct err *e);
/* Of what boa_run_compare looks at. */
uint64_t boa_run_hash(const struct boa_run *r, int32_t n);

#endif
