/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A measured tree search on one instance: what the benchmark cases of all tree-search targets
 * share.
 *
 * A target's setup hook calls search_case_setup() with its own prepare(). That function fills in
 * `request` (without instance and bound), `variant`, `target`, `by_decomposed` and the limits, and
 * calls search_case_load() with the instance's label (labels.h). The target's run hook calls
 * search_case_run() and the reports below. search_case_check() and search_case_teardown() are
 * hooks.
 *
 * On several ranks (harness/bench/ranks.h) all ranks search the tree together. Rank 0 has the
 * outcome, with the counts of all, and its time. The other ranks have none and check nothing; what
 * they report is not read. */
#ifndef COPRA_TREE_SEARCH_SEARCH_CASE_H
#define COPRA_TREE_SEARCH_SEARCH_CASE_H

#include "algorithms/tree-search/search_target.h"
#include "datasets/atsp/atsp.h"
#include "harness/bench/bench.h"
#include "harness/machine/peaks.h"

struct search_case {
	struct search_request request;
	struct search_outcome outcome; /* of the last run */
	struct search_target target;   /* only context, search and paper_stealing are used */
	enum solve_variant variant;
	bool by_decomposed;  /* trees are compared by decomposed nodes, else by explored ones */
	bool part;           /* the search may stop early, at the request's time limit */
	double from_scratch; /* seconds that a flowshop search without an incumbent may take, its
				heuristic start included; 0: the optimum is given */

	/* set by search_case_load */
	struct flowshop flowshop;
	struct atsp atsp;
	int64_t optimum; /* 0: not known */
	uint64_t tree;   /* expected number of nodes, set by the target; 0: not known */
	int64_t *start;  /* room for a solution: the heuristic start, or an optimal tour */
	int64_t start_makespan;
	double start_seconds; /* 0 unless from_scratch */

	/* Frees what the target has added to its struct; NULL: nothing. Also called after a
	 * prepare() that failed. */
	void (*release)(struct search_case *x);
};

/* Allocates the case's data, a zeroed struct of `bytes` that begins with a struct search_case, and
 * calls prepare(); `settings` is passed on to it. ERR_MEMORY, or the error of prepare(). */
int search_case_setup(struct bench_case *c, size_t bytes,
		      int (*prepare)(struct search_case *x, const struct bench_case *c,
				     const void *settings, struct err *e),
		      const void *settings, struct err *e);
void search_case_teardown(struct bench_case *c);

/* Loads the instance into the request and sets the bound to its optimum, unless from_scratch.
 * ERR_USAGE if the optimum is not known. */
int search_case_load(struct search_case *x, const char *label, struct err *e);

/* Whether a tree without a known size has to be counted by the serial algorithm: for the check, and
 * not by the search that is measured. */
bool search_case_needs_count(const struct search_case *x);

/* Runs the search. From scratch, iterated greedy runs first, for at most a quarter of the time; the
 * request gets its schedule and makespan, and the remaining time. Stopping at the request's own
 * time limit is not an error; stopping by `stop` is (ERR_LIMIT). On several ranks: also errors of
 * cluster_search(). */
int search_case_run(struct search_case *x, struct err *e);
/* Verifies the outcome of the last run: search_verify, the optimum, and the number of nodes.
 * ERR_FAILED. */
int search_case_check(struct bench_case *c, struct err *e);

/* ---- reports on the outcome ---- */

/* Sets the row's time and hash. The hash covers the results that are the same in every run: the
 * number of solutions, the best value and, unless the tree depends on when schedules are found, the
 * number of nodes.
 *
 * If the search was allowed to stop early and did, returns true. The time is then extrapolated from
 * the searched part to the whole tree by the number of nodes (not extrapolated if the size of the
 * tree is unknown); the counter `extrapolated`, the counter `part` (the nodes searched) and the
 * label are set. Otherwise the time is `seconds`, which is that of the search. The time of the
 * heuristic start is added to both. */
bool search_case_report(struct bench_case *c, const struct search_case *x, double seconds,
			const char *part);
/* Sets the counters that are known of a search on several ranks: the counts and the time of all.
 * Other figures of an outcome are those of one slice of one rank (cluster_search.h). */
void search_case_ranks(struct bench_case *c, const struct search_case *x);
/* For setup() of a case that cannot run on several ranks: skips it there. */
int search_case_refuse_ranks(struct bench_case *c, const char *why, struct err *e);
/* Sets the counters of a search from scratch: proved, best, lower_bound, start_makespan,
 * start_seconds. */
void search_case_scratch(struct bench_case *c, const struct search_case *x);
/* Sets the row's demands (bench_demands), each divided among the outcome's devices: `operations` at
 * the peak rate `what`, and `bytes` of device memory. 0: not known. */
void search_case_device_demands(struct bench_case *c, const struct search_case *x, enum peak what,
				double operations, double bytes);
/* The least work of a flowshop search whose operations are not known: `bounds` bounds, each an
 * add-max for each machine to append the job and one for each to bound it. */
void search_case_least_demand(struct bench_case *c, const struct search_case *x, uint64_t bounds);
/* The same for a search by job set on devices (search_work.h). */
void search_case_sets_demands(struct bench_case *c, const struct search_case *x);
/* The same for `operations` add-maxes on 32-bit lanes of the cores, of which 16-bit lanes need half
 * as many, and the bytes that any search must move (search_work.h). */
void search_case_cores_demands(struct bench_case *c, const struct search_case *x,
			       double operations);

#endif
