/* One measured search: what all experiments of helbecque-pool share. A bench names its axes; these
 * are its hooks. Axes that every bench has: instance, variant, gpus.
 *
 * Instances: ta029 and the like; 15Q for 15 queens; r9x5 for a random flowshop of 9 jobs on 5
 * machines, whose optimum is found by brute force and whose tree is counted by `serial` before
 * anything is timed. The time is the outcome's seconds_search (search.h); the counter total_seconds
 * has all of the call. A count, a proof or a schedule that is wrong turns the row into an error. */
#ifndef COPRA_HELBECQUE_POOL_CASE_H
#define COPRA_HELBECQUE_POOL_CASE_H

#include "harness/bench/bench.h"
#include "algorithms/tree-search/search.h"

/* The paper's choice of m and M (Section 4.4). */
enum { POOL_PAPER_M = 50, POOL_PAPER_MOST = 500000 };

struct pool_case {
	const char *instance;
	enum fsp_bound bound;
	enum fsp_branching branching;
	bool no_stealing, solutions_only;
	int64_t m, M;        /* 0: chosen by the search */
	int64_t memory;      /* bytes for open nodes, 0: chosen by the search; too few: skipped */
	double from_scratch; /* seconds that a search without an incumbent may take, its heuristic
				start included; 0: it is given the optimum */
};

/* A variant runs on devices exactly where gpus > 0, and gets no tree that would take it hours. */
bool pool_case_exists(const struct bench_case *c);
/* The paper's setting of a variant: LB2, forward, its m and M where it is the paper's algorithm. */
struct pool_case pool_case_default(const struct bench_case *c);
int pool_case_setup(struct bench_case *c, const struct pool_case *p, struct err *e);
int pool_case_run(struct bench_case *c, struct err *e);
int pool_case_check(struct bench_case *c, struct err *e);
void pool_case_teardown(struct bench_case *c);
/* Predicted seconds of a search to its end. */
double pool_case_estimate(const struct bench_case *c);

/* What every experiment has in common. */
#define POOL_CASE                                                                                  \
	.manual_time = true, .unit = "ms", .run = pool_case_run, .check = pool_case_check,         \
	.teardown = pool_case_teardown, .uses_device = bench_uses_device

#endif
