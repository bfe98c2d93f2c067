/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Known counts of N-Queens, and verification of searches against them. */
#ifndef COPRA_TREE_SEARCH_NQUEENS_QUEENS_VERIFY_H
#define COPRA_TREE_SEARCH_NQUEENS_QUEENS_VERIFY_H

#include "algorithms/tree-search/search.h"

struct queens_known {
	int n;
	uint64_t solutions; /* all of them, symmetric ones included: OEIS A000170 */
	uint64_t explored;  /* placements of 1..N queens (queens.h); 0: not counted */
	uint64_t half;      /* placements of 1..N-1 queens whose first row has the columns
			       0 .. (N+1)/2 - 1 (Gmys et al. 2017); 0 if not counted */
};

/* NULL if N is not in the table (1..27). */
const struct queens_known *queens_known(int n);
/* Whether the count agrees with the known one: equal if complete, else not larger. */
bool queens_agrees(const struct queens_known *k, bool complete, uint64_t solutions);

/* Compares the outcome with the known counts of solutions and of the nodes that the request asks
 * for. ERR_FAILED if they differ, unless the known number is only listed. *verified: there
 * were known counts to compare with, and the search was complete. */
int queens_verify(const struct search_request *q, const struct search_outcome *o, bool *verified,
		  struct err *e);

#endif
