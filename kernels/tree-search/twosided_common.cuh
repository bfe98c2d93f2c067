/* Shared memory of the two-sided search. */
#ifndef COPRA_KERNELS_TREE_SEARCH_TWOSIDED_COMMON_CUH
#define COPRA_KERNELS_TREE_SEARCH_TWOSIDED_COMMON_CUH

#include "kernels/tree-search/sets_bound.cuh"
#include "kernels/tree-search/sets_take.cuh"
#include "kernels/tree-search/twosided.h"

enum {
	TWOSIDED_ENTRIES = SETS_MACHINES * (SETS_MACHINES - 1) / 2, /* pairs of machines */
	TWOSIDED_LANE_NODES = 2,
	TWOSIDED_GROUPS = 10, /* lanes of one pair of children, at most */
	TWOSIDED_ROUND = TWOSIDED_GROUPS * TWOSIDED_LANE_NODES, /* nodes bounded at once, at most */
	TWOSIDED_GATHER = 64, /* nodes whose survivors are written together */
	TWOSIDED_FOUND = 64,
	/* words from one pair of children, or node, to the next: 16-byte reads of eight do not
	   meet in a bank */
	TWOSIDED_PAIR = 236,
	TWOSIDED_SPREAD = 44,
	TWOSIDED_TIMES = 192, /* rem and time of each machine, behind the entries of a pair */
};

/* Times of jobs: as a row has them, sums of those on machines before and up to each one; [1]: from
 * the last machine on. */
struct twosided_block : sets_stage {
	alignas(16) uint32_t sum[2][TWOSIDED_JOBS * SETS_STRIDE];
	alignas(16) uint32_t before[2][TWOSIDED_JOBS * SETS_STRIDE];
	uint16_t time[TWOSIDED_JOBS * SETS_MACHINES];
};

/* A warp's, for expanding; building of bounds uses the same space. */
struct twosided_warp {
	/* nodes of this round: fronts, then backs, each value in both halves */
	alignas(16) uint32_t spread[TWOSIDED_ROUND * TWOSIDED_SPREAD];
	alignas(16) uint32_t row[TWOSIDED_ROUND * TWOSIDED_ROW_WORDS]; /* of the next round */
	uint2 part[32 * TWOSIDED_LANE_NODES]; /* what a lane knows of its nodes */
	uint32_t alive[TWOSIDED_GATHER], index[TWOSIDED_GATHER]; /* | SETS_SIDE */
	uint32_t number[32], job[32];                            /* of the children */
	uint32_t left_time[SETS_MACHINES];
	uint16_t found[TWOSIDED_FOUND + TWOSIDED_GATHER];
	/* [pair of children * TWOSIDED_PAIR]: Y of all pairs of machines, then rem and time of each
	   machine, the two children in the halves */
	alignas(16) uint32_t pair[4];
};

HD unsigned twosided_warp_bytes(int jobs)
{
	const unsigned pairs = ((unsigned)jobs + 1) / 2;
	const unsigned expand =
		(unsigned)offsetof(struct twosided_warp, pair) + pairs * TWOSIDED_PAIR * 4;

	return expand > SETS_BUILD_BYTES ? expand : (unsigned)SETS_BUILD_BYTES;
}

#endif
