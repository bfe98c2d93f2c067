#include "search.h"

#include <stdlib.h>
#include <string.h>

void search_outcome_free(struct search_outcome *o)
{
	free(o->order);
	o->order = NULL;
}

int search_start(const struct search_request *r, int64_t *ub, int64_t **order, struct err *e)
{
	size_t jobs = (size_t)r->flowshop->jobs;

	*ub = r->ub;
	*order = NULL;
	if (r->ub != SEARCH_NO_UB && !r->start)
		return 0;
	*order = malloc(jobs * sizeof(**order));
	if (!*order)
		return err_set(e, ERR_MEMORY, "no memory for an order of %zu jobs", jobs);
	if (r->ub != SEARCH_NO_UB) {
		memcpy(*order, r->start, jobs * sizeof(**order));
		return 0;
	}
	for (size_t j = 0; j < jobs; j++)
		(*order)[j] = (int64_t)j;
	*ub = flowshop_makespan(r->flowshop, *order);
	return 0;
}
