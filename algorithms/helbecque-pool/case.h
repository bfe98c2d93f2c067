/* The measured case that all experiments of helbecque-pool share: its set-up, run and check are the
 * hooks of a benchmark. Every benchmark has the axes instance, variant and gpus.
 *
 * Instances: ta029 and the like; 15Q for 15 queens; r9x5 for a random flowshop of 9 jobs on 5
 * machines, whose optimum is found by brute force and whose tree is counted by `serial` before
 * anything is timed. The time is seconds_search of the outcome (search.h); the counter
 * total_seconds is the time of the whole call. A wrong count, proof or schedule turns the row into
 * an error. */
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
	int64_t m, M;   /* 0: chosen by the search */
	int64_t memory; /* bytes for open nodes, 0: chosen by the search; if too few, the case is
			   skipped */
	double from_scratch; /* time limit in seconds of a search without an incumbent, including
				its heuristic start; 0: the search is given the optimum */
};

/* The variants on devices need gpus > 0, the others gpus = 0. No variant gets a tree that would
 * take hours. */
bool pool_case_exists(const struct bench_case *c);
/* The paper's settings: LB2, forward branching, and its m and M for the published variant. */
struct pool_case pool_case_default(const struct bench_case *c);
int pool_case_setup(struct bench_case *c, const struct pool_case *p, struct err *e);
int pool_case_run(struct bench_case *c, struct err *e);
int pool_case_check(struct bench_case *c, struct err *e);
void pool_case_teardown(struct bench_case *c);
/* Predicted seconds of a search until it ends or stops early. */
double pool_case_estimate(const struct bench_case *c);

/* ---- the figures of an outcome, in a benchmark row and in the answer of `solve` ---- */

/* The nodes decomposed. A search of N-Queens that does not count them has decomposed the root and
 * every placement except the complete ones. 0: not known. */
uint64_t pool_decomposed(const struct search_request *r, const struct search_outcome *o);

enum { POOL_FIGURES = 10 };
void pool_figures(const struct search_outcome *o, struct measure figures[POOL_FIGURES]);

/* The fields that all experiments have in common. */
#define POOL_CASE                                                                                  \
	.manual_time = true, .unit = "ms", .run = pool_case_run, .check = pool_case_check,         \
	.teardown = pool_case_teardown, .uses_device = bench_uses_device

#endif
