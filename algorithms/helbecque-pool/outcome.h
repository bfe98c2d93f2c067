/* The figures of an outcome, in a benchmark row and in the answer of `solve`. */
#ifndef COPRA_HELBECQUE_POOL_OUTCOME_H
#define COPRA_HELBECQUE_POOL_OUTCOME_H

#include "algorithms/tree-search/search_case.h"
#include "harness/bench/bench.h"

/* The nodes decomposed. A search of N-Queens that does not count them has decomposed the root and
 * every placement except the complete ones. 0: not known. */
uint64_t pool_decomposed(const struct search_request *r, const struct search_outcome *o);

enum { POOL_FIGURES = 10 };
void pool_figures(const struct search_outcome *o, struct measure figures[POOL_FIGURES]);

/* Counters of a benchmark row: counts, times, stealing, memory, and how the explored nodes were
 * shared between several GPUs: share_min, share_q1, share_median, share_q3, share_max (Figure 11).
 */
void pool_counters(struct bench_case *c, const struct search_request *r,
		   const struct search_outcome *o);

/* Lower bound on the time of LB2 by set, forward: the front of every explored node and its bound, 2
 * add-max operations per machine on 16-bit lanes. No bound for other searches. */
void pool_time_bound(struct bench_case *c, const struct search_case *x);

#endif
