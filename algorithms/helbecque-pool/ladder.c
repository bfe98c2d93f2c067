/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/helbecque-pool/ladder.h"

#include "algorithms/tree-search/rungs.h"

#define FLOWSHOP SEARCH_RUNGS_FLOWSHOP
#define QUEENS SEARCH_RUNGS_QUEENS

const struct solve_rung pool_rungs[] = {
	{ "literal", FLOWSHOP, SOLVE_PUBLISHED,
	  "the paper's algorithm: LB2 of each child, one chunk" },
	{ "pinned", FLOWSHOP, SOLVE_PUBLISHED, "copies from and to pinned host memory" },
	{ "two-chunks", FLOWSHOP, SOLVE_PUBLISHED, "the device works while the host branches" },
	{ "lb1-first", FLOWSHOP, SOLVE_PUBLISHED, "LB2 only of children that LB1 does not prune" },
	{ "bit-masks", FLOWSHOP, SOLVE_PUBLISHED,
	  "a bit per child and a byte per job are copied instead of 32-bit numbers" },
	{ "steps", FLOWSHOP, SOLVE_PUBLISHED, "sets of jobs are bits, the steps of LB2 are rows" },
	{ "packed", FLOWSHOP, SOLVE_PUBLISHED,
	  "a prefix is replayed once, pruned children leave no idle lanes" },
	{ "device-tree", FLOWSHOP, SOLVE_TUNED, "the tree stays on the device, depth first" },
	{ "by-set", FLOWSHOP, SOLVE_TUNED, "bounds tabulated by job set, breadth first" },
	{ "set-at-once", FLOWSHOP, SOLVE_TUNED,
	  "nodes sorted by set: a warp reads its bounds once" },
	{ "lane-nodes", FLOWSHOP, SOLVE_TUNED, "several nodes at once in a lane" },
	{ "literal", QUEENS, SOLVE_PUBLISHED,
	  "the paper's algorithm: a thread per child, one chunk" },
	{ "pinned", QUEENS, SOLVE_PUBLISHED, "copies from and to pinned host memory" },
	{ "two-chunks", QUEENS, SOLVE_PUBLISHED, "the device works while the host branches" },
	{ "bit-masks", QUEENS, SOLVE_PUBLISHED, "a bit per child is copied instead of a byte" },
	{ "device-tree", QUEENS, SOLVE_TUNED,
	  "the tree stays on the device: a list of boards, as bit masks, for each row" },
	{ "depth-first", QUEENS, SOLVE_TUNED, "a lane searches below its board depth first" },
	{ "refill", QUEENS, SOLVE_TUNED, "a lane that has finished takes another board at once" },
	{ "symmetry", QUEENS, SOLVE_TUNED, "one of up to four reflected placements for all" },
	{ NULL, NULL, SOLVE_SERIAL, NULL },
};

enum {
	OVERLAP = SEARCH_PINNED | SEARCH_TWO_CHUNKS,
	LB1_FIRST = OVERLAP | SEARCH_LB1_FIRST,
	BIT_MASKS = LB1_FIRST | SEARCH_BIT_MASKS,
};

/* Of the rung with the same index. */
static const unsigned forms[] = {
	0,
	SEARCH_PINNED,
	OVERLAP,
	LB1_FIRST,
	BIT_MASKS,
	BIT_MASKS | SEARCH_STEPS,
	BIT_MASKS | SEARCH_STEPS | SEARCH_PACKED,
	SEARCH_DEPTH_FIRST,
	SEARCH_NODES_ALONE,
	SEARCH_ONE_NODE,
	0,
	0,
	SEARCH_PINNED,
	OVERLAP,
	OVERLAP | SEARCH_BIT_MASKS,
	SEARCH_NO_SYMMETRY | SEARCH_NO_REFILL | SEARCH_BY_LISTS,
	SEARCH_NO_SYMMETRY | SEARCH_NO_REFILL,
	SEARCH_NO_SYMMETRY,
	0,
};

_Static_assert(sizeof(forms) / sizeof(*forms) + 1 == sizeof(pool_rungs) / sizeof(*pool_rungs),
	       "each rung has its forms");

int pool_rung_request(const char *name, struct search_request *q, struct err *e)
{
	static const struct search_rungs ladders = { pool_rungs, forms, false };
	int status = search_rungs_request(&ladders, name, q, e);

	if (!status && q->solutions_only)
		return err_set(e, ERR_USAGE, "--rung is only for counts of all placements");
	return status;
}
