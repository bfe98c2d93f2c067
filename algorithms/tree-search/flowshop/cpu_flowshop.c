/* Which of the multi-core searches takes which flowshop. */
#include "algorithms/tree-search/deep/cpu_deep.h"
#include "algorithms/tree-search/sets/cpu_sets.h"
#include "algorithms/tree-search/cpu_search.h"

/* The search by sets passes over a bit of every set for each piece of its open nodes: with less
 * memory than this a piece is a handful of them. Depth first, a path a thread is all that is
 * needed. */
static bool too_little_for_sets(const struct search_request *r)
{
	return r->memory > 0 && r->memory < INT64_C(4) << r->flowshop->jobs;
}

int cpu_flowshop(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	if (cpu_sets_takes(r) && !too_little_for_sets(r))
		return cpu_sets_search(r, o, e);
	return cpu_deep_search(r, o, e);
}
