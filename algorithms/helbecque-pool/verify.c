#include "verify.h"

#include <inttypes.h>

#include "../problems/flowshop_verify.h"
#include "../problems/queens_known.h"

uint64_t pool_decomposed(const struct search_request *r, const struct search_outcome *o)
{
	if (r->solutions_only)
		return 0;
	if (o->decomposed || r->flowshop || !o->complete || !o->explored)
		return o->decomposed;
	return o->explored - o->solutions + 1;
}

static int verify_queens(const struct search_request *r, const struct search_outcome *o,
			 bool *verified, struct err *e)
{
	const struct queens_known *k = queens_known(r->queens);
	int status = k ? queens_check_solutions(k, o->complete, o->solutions, e) : 0;

	if (!k || status)
		return status;
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
	return r->flowshop ? fsp_verify(r, o, verified, e) : verify_queens(r, o, verified, e);
}
