/* The searches of this target. Each takes N-Queens and flowshop; see search.h for what goes in and
 * out. */
#ifndef COPRA_HELBECQUE_POOL_POOL_H
#define COPRA_HELBECQUE_POOL_POOL_H

#include "algorithms/tree-search/search.h"

/* Algorithm 1 on one core, depth first. */
int pool_search_serial(const struct search_request *r, struct search_outcome *o, struct err *e);
/* All cores, vector units, work stealing, LB2 by set: the fair baseline. */
int pool_search_cpu(const struct search_request *r, struct search_outcome *o, struct err *e);
/* Section 3: pools on the host, bounds on the device, locality-aware work stealing. */
int pool_search_published(const struct search_request *r, struct search_outcome *o, struct err *e);
/* Ours: the tree lives on the device. */
int pool_search_tuned(const struct search_request *r, struct search_outcome *o, struct err *e);

/* What they dispatch to, beside cpu_search.h, each in its own file(s). */
/* Forward branching with LB2 by a table of all sets: up to tuned_sets_max_jobs() jobs. */
int tuned_sets(const struct search_request *r, struct search_outcome *o, struct err *e);
bool tuned_sets_takes(const struct search_request *r);
/* Any number of jobs up to 200 and more: depth first, bounds computed. */
int tuned_deep(const struct search_request *r, struct search_outcome *o, struct err *e);
int tuned_queens(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
