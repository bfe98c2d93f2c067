/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gmys-ivm/ladder.h"

#include "algorithms/tree-search/rungs.h"

#define FLOWSHOP SEARCH_RUNGS_FLOWSHOP
#define QUEENS SEARCH_RUNGS_QUEENS

const struct solve_rung ivm_rungs[] = {
	{ "literal", FLOWSHOP, SOLVE_PUBLISHED,
	  "the paper's algorithm: PTE+PEB, a launch for each round of victim selection" },
	{ "one-launch", FLOWSHOP, SOLVE_PUBLISHED,
	  "rounds of victim selection in one launch, which ends early; the host waits rarely" },
	{ "staged", FLOWSHOP, SOLVE_PUBLISHED,
	  "a kernel works on copies of IVMs in shared memory" },
	{ "packed-lb2", FLOWSHOP, SOLVE_PUBLISHED,
	  "a thread computes LB2 of four children at once, from tables in shared memory" },
	{ "device-tree", FLOWSHOP, SOLVE_TUNED, "a stack of nodes for each warp instead of IVMs" },
	{ "by-set", FLOWSHOP, SOLVE_TUNED, "bounds tabulated by job set, breadth first" },
	{ "set-at-once", FLOWSHOP, SOLVE_TUNED,
	  "nodes sorted by set: a warp reads its bounds once" },
	{ "lane-nodes", FLOWSHOP, SOLVE_TUNED, "several nodes at once in a lane" },
	{ "literal", QUEENS, SOLVE_PUBLISHED,
	  "the paper's algorithm: PTE, a launch for each round of victim selection" },
	{ "one-launch", QUEENS, SOLVE_PUBLISHED,
	  "rounds of victim selection in one launch, which ends early; the host waits rarely" },
	{ "short-steps", QUEENS, SOLVE_PUBLISHED, "an expansion ends after about 2 ms" },
	{ "staged", QUEENS, SOLVE_PUBLISHED, "a kernel works on copies of IVMs in shared memory" },
	{ "one-pass", QUEENS, SOLVE_PUBLISHED,
	  "the rows of a node are made, bounded and pruned in one pass" },
	{ "device-tree", QUEENS, SOLVE_TUNED,
	  "a lane searches a prefix of the board, as bit masks, depth first" },
	{ "refill", QUEENS, SOLVE_TUNED, "a lane that has finished takes another prefix at once" },
	{ "sharing", QUEENS, SOLVE_TUNED, "idle lanes take nodes of busy ones at the end" },
	{ NULL, NULL, SOLVE_SERIAL, NULL },
};

/* Of the rung with the same index. */
static const unsigned forms[] = {
	0,
	SEARCH_ONE_LAUNCH,
	SEARCH_ONE_LAUNCH | SEARCH_STAGED,
	SEARCH_ONE_LAUNCH | SEARCH_STAGED | SEARCH_PACKED_LB2,
	SEARCH_DEPTH_FIRST,
	SEARCH_NODES_ALONE,
	SEARCH_ONE_NODE,
	0,
	0,
	SEARCH_ONE_LAUNCH,
	SEARCH_ONE_LAUNCH | SEARCH_SHORT_STEPS,
	SEARCH_ONE_LAUNCH | SEARCH_SHORT_STEPS | SEARCH_STAGED,
	SEARCH_ONE_LAUNCH | SEARCH_SHORT_STEPS | SEARCH_STAGED | SEARCH_ONE_PASS,
	SEARCH_NO_REFILL,
	SEARCH_NO_SHARING,
	0,
};

_Static_assert(sizeof(forms) / sizeof(*forms) + 1 == sizeof(ivm_rungs) / sizeof(*ivm_rungs),
	       "each rung has its forms");

int ivm_rung_request(const char *name, struct search_request *q, struct err *e)
{
	static const struct search_rungs ladders = { ivm_rungs, forms, true };

	if (q->atsp)
		return err_set(e, ERR_USAGE, "--rung is not for ATSP, which has no ladder");
	return search_rungs_request(&ladders, name, q, e);
}
