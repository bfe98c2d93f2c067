/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The ladders of a tree search, from the paper's algorithm to the variant tuned: flowshop with LB2
 * and N-Queens. */
#ifndef COPRA_TREE_SEARCH_RUNGS_H
#define COPRA_TREE_SEARCH_RUNGS_H

#include "algorithms/tree-search/search.h"
#include "harness/bench/solve.h"

/* The problems of the rungs. */
#define SEARCH_RUNGS_FLOWSHOP "flowshop"
#define SEARCH_RUNGS_QUEENS "nqueens"

struct search_rungs {
	const struct solve_rung *rung; /* ended by a NULL name */
	const unsigned *forms;         /* of each rung (enum search_form) */
	bool two_sided;                /* flowshop: branching at both ends, not forward */
};

/* Sets `forms` for a rung of the ladder of the request's problem. ERR_USAGE if the ladder has no
 * such rung, or for a flowshop request that is not LB2 with the ladder's branching. ERR_UNSUPPORTED
 * if the tables by job set of the rung cannot hold the request. */
int search_rungs_request(const struct search_rungs *ladders, const char *name,
			 struct search_request *q, struct err *e);

#endif
