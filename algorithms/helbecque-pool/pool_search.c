/* Chooses the engine of the variants cpu and tuned. */
#include "algorithms/helbecque-pool/pool_search.h"

#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/nqueens/queens_cpu.h"
#include "algorithms/tree-search/depth-first/dfs_search.h"
#include "algorithms/tree-search/by-set/sets_search.h"

int pool_search_cpu(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return r->flowshop ? fsp_cpu(r, o, e) : queens_cpu(r, o, e);
}

/* Flowshop: forward branching with LB2 by job sets if the table fits, else depth first. */
int pool_search_tuned(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	if (!r->flowshop)
		return pool_tuned_queens(r, o, e);
	return sets_search_supports(r, false) ? sets_search(r, false, o, e) : dfs_search(r, o, e);
}

search_fn *pool_search(enum solve_variant v)
{
	static search_fn *const searches[] = {
		[SOLVE_SERIAL] = pool_search_serial,
		[SOLVE_CPU] = pool_search_cpu,
		[SOLVE_PUBLISHED] = pool_search_published,
		[SOLVE_TUNED] = pool_search_tuned,
	};

	return searches[v];
}
