/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The ladders of this target, flowshop with LB2 and N-Queens, from the paper's algorithm to the
 * variant tuned. */
#ifndef COPRA_GMYS_IVM_LADDER_H
#define COPRA_GMYS_IVM_LADDER_H

#include "algorithms/gmys-ivm/ivm_search.h"
#include "harness/bench/solve.h"

/* Ended by a NULL name. The problems are "flowshop" and "nqueens". */
extern const struct solve_rung ivm_rungs[];

/* Sets `forms` for a rung of the ladder of the request's problem. ERR_USAGE if the ladder has no
 * such rung, or if the request is not its work: LB2 with branching at both ends, or N-Queens.
 * ERR_UNSUPPORTED if the tables by job set of the rung cannot hold the request. */
int ivm_rung_request(const char *name, struct search_request *q, struct err *e);

#endif
