/* The searches of this target. The counts of an outcome are those of search.h.
 *
 * Trees: flowshop by bound and branching; N-Queens on half a board; ATSP by path cost. */
#ifndef COPRA_GMYS_IVM_IVM_SEARCH_H
#define COPRA_GMYS_IVM_IVM_SEARCH_H

#include "algorithms/gmys-ivm/ivm_request.h"
#include "harness/bench/solve.h"

typedef int ivm_search_fn(const struct ivm_request *r, struct ivm_outcome *o, struct err *e);

/* The search of a variant. */
ivm_search_fn *ivm_search(enum solve_variant v);

/* Algorithm 2: one IVM on one core. */
int ivm_search_serial(const struct ivm_request *r, struct ivm_outcome *o, struct err *e);
/* Our best on all cores: vector units, bounds tabulated by job set, work stealing. No checkpoints.
 */
int ivm_search_cpu(const struct ivm_request *r, struct ivm_outcome *o, struct err *e);
/* Algorithm 7: devices and host threads with random work stealing. */
int ivm_search_published(const struct ivm_request *r, struct ivm_outcome *o, struct err *e);
/* Our search on devices. The engine depends on the problem, the bound, the size and the checkpoint.
 */
int ivm_search_tuned(const struct ivm_request *r, struct ivm_outcome *o, struct err *e);

/* N-Queens and ATSP in ivm_search_tuned: intervals handed out by the host, prefixes searched on
 * devices (tuned_intervals.c). */
int ivm_tuned_intervals(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
