/* Which of our searches takes which problem. */
#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/nqueens/queens_cpu.h"
#include "algorithms/helbecque-pool/pool.h"

int pool_search_cpu(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return r->flowshop ? fsp_cpu(r, o, e) : queens_cpu(r, o, e);
}

int pool_search_tuned(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	if (!r->flowshop)
		return tuned_queens(r, o, e);
	return tuned_sets_takes(r) ? tuned_sets(r, o, e) : tuned_deep(r, o, e);
}
