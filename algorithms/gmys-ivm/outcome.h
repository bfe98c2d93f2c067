/* The figures of an outcome, in a benchmark row and in the answer of `solve`. */
#ifndef COPRA_GMYS_IVM_OUTCOME_H
#define COPRA_GMYS_IVM_OUTCOME_H

#include "algorithms/gmys-ivm/ivm_request.h"
#include "algorithms/tree-search/search_case.h"
#include "harness/bench/bench.h"

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
void ivm_time_bound(struct bench_case *c, const struct search_case *x);

#endif
