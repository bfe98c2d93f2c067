#include "verify.h"

#include <inttypes.h>
#include <string.h>

#include "../problems/queens_known.h"

/* In the paper's order, by size. */
static const struct pool_tree trees[] = {
	{ "ta029", 9499307 },    { "ta030", 13228600 },   { "ta022", 14561974 },
	{ "ta027", 54588346 },   { "ta023", 115511993 },  { "ta028", 196916205 },
	{ "ta025", 234988695 },  { "ta026", 514453278 },  { "ta024", 2173092255 },
	{ "ta021", 3944527267 },
};

const struct pool_tree *pool_tree(const char *instance)
{
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		if (strcmp(trees[i].instance, instance) == 0)
			return &trees[i];
	}
	return NULL;
}

uint64_t pool_decomposed(const struct search_request *r, const struct search_outcome *o)
{
	if (r->solutions_only)
		return 0;
	if (o->decomposed || r->flowshop || !o->complete || !o->explored)
		return o->decomposed;
	return o->explored - o->solutions + 1;
}

/* ---- flowshop ---- */

static int verify_schedule(const struct search_request *r, const struct search_outcome *o,
			   struct err *e)
{
	int64_t makespan = o->order ? flowshop_makespan(r->flowshop, o->order) : o->best;

	if (makespan != o->best)
		return err_set(e, ERR_FAILED, "%s: the schedule has makespan %" PRId64
			       ", the answer says %" PRId64, r->flowshop->name, makespan, o->best);
	if (o->best > r->ub)
		return err_set(e, ERR_FAILED, "%s: the answer %" PRId64 " is above the start %"
			       PRId64, r->flowshop->name, o->best, r->ub);
	if (o->complete && o->lower_bound != o->best)
		return err_set(e, ERR_FAILED, "%s: the search ended at %" PRId64
			       " and proves only %" PRId64, r->flowshop->name, o->best,
			       o->lower_bound);
	return 0;
}

static int verify_known(const struct search_request *r, const struct search_outcome *o,
			const struct flowshop_known *k, struct err *e)
{
	int64_t expected = r->ub < k->upper ? r->ub : k->upper;

	if ((o->order && o->best < k->lower) || o->lower_bound > k->upper)
		return err_set(e, ERR_FAILED, "%s: found %" PRId64 ", proved %" PRId64
			       ", known to lie in %d..%d", k->name, o->best, o->lower_bound,
			       k->lower, k->upper);
	if (o->complete && k->proved && o->best != expected)
		return err_set(e, ERR_FAILED, "%s: found %" PRId64 ", the optimum is %d", k->name,
			       o->best, k->upper);
	return 0;
}

/* *counted: the paper tells this tree's nodes, and so many were found. */
static int verify_tree(const struct search_request *r, const struct search_outcome *o,
		       const struct flowshop_known *k, bool *counted, struct err *e)
{
	const struct pool_tree *tree = pool_tree(k->name);

	if (!tree || !o->complete || r->bound != FSP_LB2 || r->branching != FSP_FORWARD ||
	    r->ub != k->upper)
		return 0;
	if (o->explored != tree->explored || (o->decomposed && o->decomposed != tree->explored + 1))
		return err_set(e, ERR_FAILED, "%s: %" PRIu64 " nodes explored, %" PRIu64
			       " decomposed; the tree has %" PRIu64 " and the root", k->name,
			       o->explored, o->decomposed, tree->explored);
	*counted = true;
	return 0;
}

static int verify_flowshop(const struct search_request *r, const struct search_outcome *o,
			   bool *verified, struct err *e)
{
	const struct flowshop_known *k = flowshop_known_of(r->flowshop);
	bool counted = false;
	int status = verify_schedule(r, o, e);

	if (!status && k)
		status = verify_known(r, o, k, e);
	if (!status && k)
		status = verify_tree(r, o, k, &counted, e);
	*verified = !status && (o->order || counted);
	return status;
}

/* ---- N-Queens ---- */

static int verify_queens(const struct search_request *r, const struct search_outcome *o,
			 bool *verified, struct err *e)
{
	const struct queens_known *k = queens_known(r->queens);

	if (!k)
		return 0;
	if (o->complete ? o->solutions != k->solutions : o->solutions > k->solutions)
		return err_set(e, ERR_FAILED, "%d queens: %" PRIu64 " solutions, there are %"
			       PRIu64, r->queens, o->solutions, k->solutions);
	if (o->complete && !r->solutions_only && k->explored && o->explored != k->explored)
		return err_set(e, ERR_FAILED, "%d queens: %" PRIu64 " nodes explored, there are %"
			       PRIu64, r->queens, o->explored, k->explored);
	*verified = o->complete;
	return 0;
}

int pool_verify(const struct search_request *r, const struct search_outcome *o, bool *verified,
		struct err *e)
{
	*verified = false;
	return r->flowshop ? verify_flowshop(r, o, verified, e) : verify_queens(r, o, verified, e);
}
