/* What is known of N-Queens: for checking searches. */
#ifndef COPRA_TREE_SEARCH_NQUEENS_QUEENS_KNOWN_H
#define COPRA_TREE_SEARCH_NQUEENS_QUEENS_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"

struct queens_known {
	int n;
	uint64_t solutions; /* all of them, no symmetry taken out: OEIS A000170 */
	uint64_t explored;  /* placements of 1..N queens (queens.h); 0 where nobody counted */
	uint64_t half;      /* placements of 1..N-1 queens whose first row has the columns
			       0 .. (N+1)/2 - 1 (Gmys et al. 2017); 0 where nobody counted */
};

/* What the number of solutions rests on. */
enum queens_basis {
	QUEENS_COUNTED_HERE, /* by searches of copra too */
	QUEENS_CITED,        /* counted in a paper */
	QUEENS_LIST,         /* in OEIS A000170; no paper is cited */
};

/* NULL where N is not in the table (1..27). */
const struct queens_known *queens_known(int n);
enum queens_basis queens_basis(const struct queens_known *k);
/* Are so many solutions possible? All of them where complete, else at most as many. */
bool queens_agrees(const struct queens_known *k, bool complete, uint64_t solutions);
/* ERR_FAILED where they are not, unless the number rests on a list alone. */
int queens_check_solutions(const struct queens_known *k, bool complete, uint64_t solutions,
			   struct err *e);

#endif
