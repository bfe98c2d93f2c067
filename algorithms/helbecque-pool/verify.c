#include "algorithms/helbecque-pool/verify.h"

#include "algorithms/tree-search/flowshop/flowshop_verify.h"
#include "algorithms/tree-search/nqueens/queens_solve.h"

uint64_t pool_decomposed(const struct search_request *r, const struct search_outcome *o)
{
	if (r->solutions_only)
		return 0;
	if (o->decomposed || r->flowshop || !o->complete || !o->explored)
		return o->decomposed;
	return o->explored - o->solutions + 1;
}

int pool_verify(const struct search_request *r, const struct search_outcome *o, bool *verified,
		struct err *e)
{
	*verified = false;
	return r->flowshop ? fsp_verify(r, o, verified, e) : queens_verify(r, o, verified, e);
}
