/* Flowshop beyond the table of all sets: the depth-first search shared with other targets. */
#include "algorithms/tree-search/depth-first/dfs_search.h"
#include "algorithms/helbecque-pool/pool.h"

int tuned_deep(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return dfs_search(r, o, e);
}
