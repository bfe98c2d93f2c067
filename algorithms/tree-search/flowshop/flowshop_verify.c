#include "algorithms/tree-search/flowshop/flowshop_verify.h"

#include <inttypes.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/flowshop/flowshop_trees.h"

static int verify_schedule(const struct search_request *r, const struct search_outcome *o,
			   struct err *e)
{
	int64_t makespan = o->order ? flowshop_makespan(r->flowshop, o->order) : o->best;
	/* then the answer may be a lower bound that a run before was given */
	bool resumed = r->checkpoint && r->checkpoint->resume;

	if (makespan != o->best)
		return err_set(e, ERR_FAILED,
			       "%s: the schedule has makespan %" PRId64
			       ", the answer says %" PRId64,
			       r->flowshop->name, makespan, o->best);
	if (o->best > r->ub)
		return err_set(e, ERR_FAILED,
			       "%s: the answer %" PRId64 " is above the start %" PRId64,
			       r->flowshop->name, o->best, r->ub);
	if (!o->order && o->best < r->ub && !resumed)
		return err_set(e, ERR_FAILED, "%s: no schedule shows the answer %" PRId64,
			       r->flowshop->name, o->best);
	if (o->complete && o->lower_bound != o->best)
		return err_set(e, ERR_FAILED,
			       "%s: the search ended at %" PRId64 " and proves only %" PRId64,
			       r->flowshop->name, o->best, o->lower_bound);
	return 0;
}

/* A list may be wrong or out of date: who reports the result says so (flowshop_compare). */
static int verify_known(const struct search_outcome *o, const struct flowshop_known *k,
			struct err *e)
{
	char why[256];

	if (flowshop_compare(k, o->order ? o->best : INT64_MAX, o->lower_bound, why, sizeof(why)) !=
	    FLOWSHOP_CONTRADICTS_PROOF)
		return 0;
	return err_set(e, ERR_FAILED, "%s", why);
}

/* A run before had another bound: its nodes are not those of the request's tree. */
static bool bound_changed(const struct search_request *r, const struct search_outcome *o)
{
	const struct checkpoint_plan *plan = r->checkpoint;

	return plan && plan->resume &&
	       ((plan->first_ub && plan->first_ub != r->ub) || o->best != r->ub);
}

/* *counted: this tree's nodes are known, and so many were found. */
static int verify_tree(const struct search_request *r, const struct search_outcome *o,
		       const struct flowshop_known *k, bool *counted, struct err *e)
{
	const struct fsp_tree *tree = fsp_tree(k->name, r->bound, r->branching, r->ub);

	if (!tree || !o->complete || bound_changed(r, o))
		return 0;
	if ((o->explored + 1 != tree->decomposed && (o->explored || !o->decomposed)) ||
	    (o->decomposed != tree->decomposed && o->decomposed))
		return err_set(e, ERR_FAILED,
			       "%s: %" PRIu64 " nodes explored, %" PRIu64
			       " decomposed; the tree has %" PRIu64 " and the root",
			       k->name, o->explored, o->decomposed, tree->decomposed - 1);
	*counted = true;
	return 0;
}

int fsp_verify_against(const struct search_request *r, const struct search_outcome *o,
		       const struct flowshop_known *k, bool *verified, struct err *e)
{
	bool counted = false;
	int status = verify_schedule(r, o, e);

	if (!status && k)
		status = verify_known(o, k, e);
	if (!status && k)
		status = verify_tree(r, o, k, &counted, e);
	*verified = !status && (o->order || counted);
	return status;
}

int fsp_verify(const struct search_request *r, const struct search_outcome *o, bool *verified,
	       struct err *e)
{
	return fsp_verify_against(r, o, flowshop_known_of(r->flowshop), verified, e);
}
