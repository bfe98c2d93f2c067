/* Our search on devices: which engine takes which tree.
 *
 *   N-Queens, ATSP                  intervals handed out by the host, prefixes searched on the
 * device flowshop, LB2 on two sides      level by level with a table of the bounds of all sets,
 * where it fits flowshop otherwise              depth first, a stack a warp
 * (problems/dfs_search.h) */
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_search.h"
#include "algorithms/gmys-ivm/ivm_cover.h"
#include "algorithms/gmys-ivm/ivm_search.h"

/* The tree that the file's intervals number depends on the bound that its search began with. */
static int read_intervals(struct checkpoint *c, const struct search_request *r, struct err *e)
{
	struct search_request first = *r;
	struct checkpoint_key key;
	struct ivm_problem p;
	int status;

	first.ub = c->key.first_ub;
	checkpoint_key_of(r, first.ub, &key);
	status = checkpoint_matches(c, &key, e);
	if (status)
		return status;
	status = ivm_problem_make(&p, &first, e);
	if (!status)
		status = ivm_cover_convert(c, &p, CHECKPOINT_NODES, NULL, e);
	ivm_problem_free(&p);
	return status;
}

/* Depth first goes on from nodes; published and serial leave intervals. */
static int read_nodes(struct checkpoint *c, const struct search_request *r, struct err *e)
{
	int status = checkpoint_read(c, r->checkpoint->resume, e);

	if (!status && c->form == CHECKPOINT_INTERVALS)
		status = read_intervals(c, r, e);
	if (status)
		checkpoint_free(c);
	return status;
}

static int deep(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	struct search_request mine = *r;
	struct checkpoint_plan plan;

	if (r->checkpoint) {
		plan = *r->checkpoint;
		plan.read = read_nodes;
		mine.checkpoint = &plan;
	}
	return dfs_search(&mine, o, e);
}

static search_fn *engine_of(const struct search_request *r)
{
	if (!r->flowshop)
		return tuned_intervals;
	return tuned_twosided_takes(r) ? tuned_twosided : deep;
}

int ivm_search_tuned(const struct ivm_request *r, struct ivm_outcome *o, struct err *e)
{
	*o = (struct ivm_outcome){ .mode = IVM_AUTO };
	return engine_of(&r->common)(&r->common, &o->common, e);
}
