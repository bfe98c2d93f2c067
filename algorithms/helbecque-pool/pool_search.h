/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The searches of this target. Each takes N-Queens and flowshop; search.h describes the request and
 * the outcome. */
#ifndef COPRA_HELBECQUE_POOL_POOL_SEARCH_H
#define COPRA_HELBECQUE_POOL_POOL_SEARCH_H

#include "algorithms/tree-search/search.h"
#include "harness/bench/solve.h"

/* The search of a variant. cpu: all cores, vector units, work stealing, LB2 by set. tuned: the tree
 * stays on the device. */
search_fn *pool_search(enum solve_variant v);

/* Algorithm 1 on one core, depth first. */
int pool_search_serial(const struct search_request *r, struct search_outcome *o, struct err *e);
/* Section 3: pools on the host, bounds on the device, locality-aware work stealing. The devices are
 * divided evenly among `locales`, which model the paper's hierarchy of compute nodes and their GPUs
 * on one machine. pool_search() uses one locale. */
int pool_search_published(const struct search_request *r, int locales, struct search_outcome *o,
			  struct err *e);
/* N-Queens in the variant tuned. */
int pool_tuned_queens(const struct search_request *r, struct search_outcome *o, struct err *e);

/* ---- the figures of an outcome, in a benchmark row and in the answer of `solve` ---- */

/* The nodes decomposed. A search of N-Queens that does not count them has decomposed the root and
 * every placement except the complete ones. 0: not known. */
uint64_t pool_decomposed(const struct search_request *r, const struct search_outcome *o);

enum { POOL_FIGURES = 10 };
void pool_figures(const struct search_outcome *o, struct measure figures[POOL_FIGURES]);

#endif
