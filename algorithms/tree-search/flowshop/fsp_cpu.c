#include "algorithms/tree-search/flowshop/fsp_cpu.h"

#include "algorithms/tree-search/by-set/sets_cpu.h"
#include "algorithms/tree-search/depth-first/dfs_cpu.h"

/* The search by job set scans a bit map of all sets for each piece of open nodes. With less memory
 * than this a piece has only a few nodes. The depth-first search needs only one path per thread.
 */
static bool too_little_for_sets(const struct search_request *r)
{
	return r->memory > 0 && r->memory < INT64_C(4) << r->flowshop->jobs;
}

int fsp_cpu(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	if (sets_cpu_supports(r) && !too_little_for_sets(r))
		return sets_cpu(r, o, e);
	return dfs_cpu(r, o, e);
}
