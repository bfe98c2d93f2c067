/* What is reported of an outcome: whether it is right, and the figures in a benchmark row or in the
 * answer of `solve`. */
#ifndef COPRA_GMYS_IVM_OUTCOME_H
#define COPRA_GMYS_IVM_OUTCOME_H

#include "algorithms/gmys-ivm/ivm_search.h"
#include "harness/bench/measure.h"

/* Checks an outcome without the code that searched: evaluates tours and schedules from the
 * instance, compares counts and optima with known values. The contract is that of fsp_verify
 * (flowshop_verify.h), for all three problems. */
int ivm_verify(const struct search_request *r, const struct search_outcome *o, bool *verified,
	       struct err *e);

enum { IVM_FIGURES = 24 };

/* All figures of a search; returns their number. With `published` these include Algorithm 7: IVMs,
 * trigger (0: none), mode (1: PTE+PEB, 2: PTE), steals by kind, busy share, times of the phases. */
int ivm_figures(const struct ivm_outcome *o, bool published, struct measure figures[IVM_FIGURES]);

/* Counters of a benchmark row: decomposed, leaves or solutions, evaluated, total_seconds, and the
 * figures above. */
void ivm_counters(struct bench_case *c, const struct ivm_request *r, const struct ivm_outcome *o,
		  enum solve_variant v);

/* Lower bound on the time of a flowshop search by cpu or tuned that counts its bounds: the front or
 * back of every bounded child, and its bound from tabulated numbers; 2 add-max operations per
 * machine on 16-bit lanes. */
void ivm_time_bound(struct bench_case *c, const struct search_request *r,
		    const struct search_outcome *o, enum solve_variant v);

#endif
