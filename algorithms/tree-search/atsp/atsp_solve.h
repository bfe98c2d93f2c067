/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The command `solve` on the asymmetric travelling salesman problem. */
#ifndef COPRA_TREE_SEARCH_ATSP_ATSP_SOLVE_H
#define COPRA_TREE_SEARCH_ATSP_ATSP_SOLVE_H

#include "algorithms/tree-search/search_target.h"

/* Solves an instance; see search_solve. r->instance is not set. --ub opt is computed by dynamic
 * programming: ERR_USAGE above ATSP_HELD_KARP_MAX cities. `start` (--start): none, or local
 * (atsp_start.h); the default NULL is local, or with --ub opt the optimal tour. */
int atsp_solve_instance(const struct solve_options *o, const char *start,
			const struct search_request *q, const struct search_target *t,
			const struct atsp *a, struct solve_result *r, struct err *e);
/* The same with --instance. */
int atsp_solve(const struct solve_options *o, const char *start, const struct search_request *q,
	       const struct search_target *t, struct solve_result *r, struct err *e);

#endif
