#include "algorithms/gmys-ivm/ladder.h"

#include "algorithms/tree-search/by-set/sets_search.h"

#define FLOWSHOP "flowshop"
#define QUEENS "nqueens"

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

/* The variant tuned searches depth first what its tables by job set do not support. A rung must
 * not: its time would be that of another rung. */
static bool runs_as_named(const struct solve_rung *r, const struct search_request *q)
{
	return !q->flowshop || r->variant != SOLVE_TUNED ||
	       forms[r - ivm_rungs] & SEARCH_DEPTH_FIRST || sets_search_supports(q, true);
}

int ivm_rung_request(const char *name, struct search_request *q, struct err *e)
{
	const char *problem = q->flowshop ? FLOWSHOP : QUEENS;
	const struct solve_rung *r = solve_rung_find(ivm_rungs, problem, name);

	if (q->atsp)
		return err_set(e, ERR_USAGE, "--rung is not for ATSP, which has no ladder");
	if (!r)
		return err_set(e, ERR_USAGE, "--rung: %s is not a rung of the ladder of %s", name,
			       problem);
	if (q->flowshop && (q->bound != FSP_LB2 || q->branching == FSP_FORWARD))
		return err_set(e, ERR_USAGE, "--rung is only for LB2 with branching at both ends");
	if (!runs_as_named(r, q))
		return err_set(e, ERR_UNSUPPORTED,
			       "--rung: %s does not support this instance, its bound or "
			       "checkpoints: its tables are by job set",
			       name);
	q->forms = forms[r - ivm_rungs];
	return 0;
}
