/* What a row, or the answer of `solve`, tells beside its time. */
#ifndef COPRA_GMYS_IVM_MEASURED_H
#define COPRA_GMYS_IVM_MEASURED_H

#include "harness/bench/measure.h"
#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/tree-search/search_case.h"

enum { IVM_FIGURES = 24 };

/* All that the search tells; returns how many. With `published` the figures of Algorithm 7 too:
 * IVMs, trigger (0: none), mode (1: PTE+PEB, 2: PTE), stealing by kind, busy share, parts of the
 * time. */
int ivm_figures(const struct ivm_outcome *o, bool published, struct measure figures[IVM_FIGURES]);

/* In a row: decomposed, leaves or solutions, evaluated, total_seconds, and the figures above. */
void ivm_counters(struct bench_case *c, const struct ivm_request *r, const struct ivm_outcome *o,
		  enum solve_variant v);

/* Floor of a flowshop search by cpu and tuned where it counts its bounds: the front or back of
 * every child that is bounded, and its bound from numbers looked up, 2 add-max a machine on 16-bit
 * lanes. */
void ivm_floor(struct bench_case *c, const struct search_case *x);

#endif
