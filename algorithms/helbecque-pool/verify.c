#include "algorithms/helbecque-pool/verify.h"

uint64_t pool_decomposed(const struct search_request *r, const struct search_outcome *o)
{
	if (r->solutions_only)
		return 0;
	if (o->decomposed || r->flowshop || !o->complete || !o->explored)
		return o->decomposed;
	return o->explored - o->solutions + 1;
}
