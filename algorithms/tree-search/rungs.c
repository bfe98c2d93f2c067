/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/rungs.h"

#include "algorithms/tree-search/by-set/sets_search.h"

/* The variant tuned searches depth first what its tables by job set do not support. A rung must
 * not: its time would be that of another rung. */
static bool runs_as_named(const struct search_rungs *ladders, const struct solve_rung *r,
			  const struct search_request *q)
{
	return !q->flowshop || r->variant != SOLVE_TUNED ||
	       ladders->forms[r - ladders->rung] & SEARCH_DEPTH_FIRST ||
	       sets_search_supports(q, ladders->two_sided);
}

int search_rungs_request(const struct search_rungs *ladders, const char *name,
			 struct search_request *q, struct err *e)
{
	const char *problem = q->flowshop ? SEARCH_RUNGS_FLOWSHOP : SEARCH_RUNGS_QUEENS;
	const struct solve_rung *r = solve_rung_find(ladders->rung, problem, name);

	if (!r)
		return err_set(e, ERR_USAGE, "--rung: %s is not a rung of the ladder of %s", name,
			       problem);
	if (q->flowshop &&
	    (q->bound != FSP_LB2 || (q->branching != FSP_FORWARD) != ladders->two_sided))
		return err_set(e, ERR_USAGE, "--rung is only for LB2 with %s",
			       ladders->two_sided ? "branching at both ends" : "forward branching");
	if (!runs_as_named(ladders, r, q))
		return err_set(e, ERR_UNSUPPORTED,
			       "--rung: %s does not support this instance, its bound or "
			       "checkpoints: its tables are by job set",
			       name);
	q->forms = ladders->forms[r - ladders->rung];
	return 0;
}
