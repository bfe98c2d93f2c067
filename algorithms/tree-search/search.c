/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/search.h"

#include <stdlib.h>
#include <string.h>

#include "datasets/atsp/atsp.h"

void search_outcome_free(struct search_outcome *o)
{
	free(o->order);
	o->order = NULL;
}

static int64_t value_of(const struct search_request *r, const int64_t *order)
{
	return r->atsp ? atsp_tour_cost(r->atsp, order) : flowshop_makespan(r->flowshop, order);
}

int search_start(const struct search_request *r, int64_t *ub, int64_t **order, struct err *e)
{
	size_t length = (size_t)(r->atsp ? r->atsp->cities : r->flowshop->jobs);

	*ub = r->ub;
	*order = NULL;
	if (r->ub != SEARCH_NO_UB && !r->start)
		return 0;
	*order = malloc(length * sizeof(**order));
	if (!*order)
		return err_set(e, ERR_MEMORY, "no memory for an order of %zu", length);
	if (r->ub != SEARCH_NO_UB) {
		memcpy(*order, r->start, length * sizeof(**order));
		return 0;
	}
	for (size_t j = 0; j < length; j++)
		(*order)[j] = (int64_t)j;
	*ub = value_of(r, *order);
	return 0;
}
