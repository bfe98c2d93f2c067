/* What is known of N-Queens: for checking searches. */
#ifndef COPRA_PROBLEMS_QUEENS_KNOWN_H
#define COPRA_PROBLEMS_QUEENS_KNOWN_H

#include <stdint.h>

struct queens_known {
	int n;
	uint64_t solutions; /* all of them, no symmetry taken out: OEIS A000170 */
	uint64_t explored;  /* placements of 1..N queens (queens.h); 0 where nobody counted */
};

/* NULL where N is not in the table (1..27). */
const struct queens_known *queens_known(int n);

#endif
