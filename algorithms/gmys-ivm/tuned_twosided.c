/* tuned_twosided: flowshop in two-sided branching with LB2 by set. */
#include "algorithms/tree-search/by-set/sets_search.h"
#include "algorithms/gmys-ivm/ivm_search.h"

bool tuned_twosided_takes(const struct search_request *r)
{
	return sets_search_takes(r, true);
}

int tuned_twosided(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return sets_search(r, true, o, e);
}
