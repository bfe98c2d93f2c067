/* What a row tells beside its time. */
#ifndef COPRA_HELBECQUE_POOL_MEASURED_H
#define COPRA_HELBECQUE_POOL_MEASURED_H

#include "harness/bench/measure.h"
#include "algorithms/tree-search/search_case.h"

/* What an outcome tells of its run, in a row and in a solve alike. */
enum { MEASURED_FIGURES = 10 };
void measured_figures(const struct search_outcome *o, struct measure figures[MEASURED_FIGURES]);

/* Counts, parts of the time, stealing, memory, and how several GPUs shared the nodes:
 * share_min, share_q1, share_median, share_q3, share_max, of all explored nodes (Figure 11). */
void measured_counters(struct bench_case *c, const struct search_request *r,
		       const struct search_outcome *o);

/* Floor of LB2 by set, forward: the front of every explored node and its bound, 2 add-max a
 * machine, on 16-bit lanes. None for others. */
void measured_floor(struct bench_case *c, const struct search_case *x);

#endif
