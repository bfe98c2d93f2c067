/* The searches of this target. Each takes N-Queens and flowshop; search.h describes the request and
 * the outcome. */
#ifndef COPRA_HELBECQUE_POOL_POOL_SEARCH_H
#define COPRA_HELBECQUE_POOL_POOL_SEARCH_H

#include "algorithms/tree-search/search.h"
#include "harness/bench/solve.h"

/* The search of a variant. */
search_fn *pool_search(enum solve_variant v);

/* Algorithm 1 on one core, depth first. */
int pool_search_serial(const struct search_request *r, struct search_outcome *o, struct err *e);
/* The baseline: all cores, vector units, work stealing, LB2 by set. */
int pool_search_cpu(const struct search_request *r, struct search_outcome *o, struct err *e);
/* Section 3: pools on the host, bounds on the device, locality-aware work stealing. */
int pool_search_published(const struct search_request *r, struct search_outcome *o, struct err *e);
/* Our search: the tree stays on the device. */
int pool_search_tuned(const struct search_request *r, struct search_outcome *o, struct err *e);

/* N-Queens in pool_search_tuned (tuned_queens.c). */
int pool_tuned_queens(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
