/* What the experiments of all tree-search targets measure in the same way. */
#ifndef COPRA_TREE_SEARCH_SEARCH_BENCH_H
#define COPRA_TREE_SEARCH_SEARCH_BENCH_H

#include "harness/bench/bench.h"
#include "harness/bench/solve.h"
#include "algorithms/tree-search/search.h"

/* A flowshop search that is given no incumbent. */
struct scratch {
	double limit;         /* seconds, the first schedule included */
	double start_seconds; /* what the first schedule took */
	int64_t *start;       /* room for it, `jobs` entries; the caller's */
	int64_t makespan;     /* its length */
};

/* Iterated greedy for at most a quarter of the time; the request gets its schedule, its length as
 * ub, and the time that is left. Errors are those of fsp_start. */
int scratch_start(struct scratch *s, struct search_request *r, struct err *e);
/* Counters: proved, best, lower_bound, start_makespan, start_seconds. */
void scratch_report(struct bench_case *c, const struct scratch *s, const struct search_outcome *o);

/* The floor of so many additions and maxima on 16-bit lanes, of the cores (cpu) or of each of the
 * outcome's workers (tuned); none for other variants. */
void search_floor(struct bench_case *c, double operations, const struct search_request *r,
		  const struct search_outcome *o, enum solve_variant v);

#endif
