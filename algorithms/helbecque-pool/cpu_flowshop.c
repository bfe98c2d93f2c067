/* Which of the multi-core searches takes which flowshop. */
#include "cpu_deep.h"
#include "cpu_sets.h"
#include "pool.h"

int cpu_flowshop(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return cpu_sets_takes(r) ? cpu_sets_search(r, o, e) : cpu_deep_search(r, o, e);
}
