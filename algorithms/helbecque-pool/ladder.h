/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The ladders of this target, flowshop with LB2 and N-Queens, from the paper's algorithm to the
 * variant tuned. */
#ifndef COPRA_HELBECQUE_POOL_LADDER_H
#define COPRA_HELBECQUE_POOL_LADDER_H

#include "algorithms/tree-search/search.h"
#include "harness/bench/solve.h"

/* Ended by a NULL name. The problems are "flowshop" and "nqueens". */
extern const struct solve_rung pool_rungs[];

/* Sets `forms` for a rung of the ladder of the request's problem. ERR_USAGE if the ladder has no
 * such rung, or if the request is not its work: LB2 with forward branching, or all placements.
 * ERR_UNSUPPORTED if the tables by job set of the rung cannot hold the request. */
int pool_rung_request(const char *name, struct search_request *q, struct err *e);

#endif
