/* tuned_sets: flowshop in forward branching with LB2 by set. */
#include "algorithms/tree-search/by-set/sets_search.h"
#include "algorithms/helbecque-pool/pool.h"

bool tuned_sets_takes(const struct search_request *r)
{
	return sets_search_takes(r, false);
}

int tuned_sets(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return sets_search(r, false, o, e);
}
