/* Our search on devices: which engine takes which tree.
 *
 *   N-Queens, ATSP                  intervals handed out by the host, prefixes searched on the device
 *   flowshop, LB2 on two sides      level by level with a table of the bounds of all sets, where it fits
 *   flowshop otherwise              depth first, a stack a warp (problems/deep_search.h) */
#include "../problems/deep_search.h"
#include "ivm_search.h"

static search_fn *engine_of(const struct search_request *r)
{
	if (!r->flowshop)
		return tuned_intervals;
	return tuned_twosided_takes(r) ? tuned_twosided : deep_search;
}

int ivm_search_tuned(const struct ivm_request *r, struct ivm_outcome *o, struct err *e)
{
	*o = (struct ivm_outcome){ .mode = IVM_AUTO };
	return engine_of(&r->common)(&r->common, &o->common, e);
}
