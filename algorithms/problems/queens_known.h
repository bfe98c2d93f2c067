/* What is known of N-Queens: for checking searches. */
#ifndef COPRA_PROBLEMS_QUEENS_KNOWN_H
#define COPRA_PROBLEMS_QUEENS_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "../../harness/error.h"

struct queens_known {
	int n;
	uint64_t solutions; /* all of them, no symmetry taken out: OEIS A000170 */
	uint64_t explored;  /* placements of 1..N queens (queens.h); 0 where nobody counted */
	uint64_t half;      /* placements of 1..N-1 queens whose first row has the columns
			       0 .. (N+1)/2 - 1 (Gmys et al. 2017); 0 where nobody counted */
};

/* NULL where N is not in the table (1..27). */
const struct queens_known *queens_known(int n);
/* ERR_FAILED where a search found other solutions than there are; more, where it was cut short. */
int queens_check_solutions(const struct queens_known *k, bool complete, uint64_t solutions,
			   struct err *e);

#endif
