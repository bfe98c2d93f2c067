/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/atsp/atsp_verify.h"

#include <inttypes.h>

#include "algorithms/tree-search/checkpoint.h"
#include "datasets/atsp/atsp.h"

enum {
	DYNAMIC_PROGRAMMING_UP_TO = 16
}; /* cities; up to here the optimum is computed in a fraction of a second */

static int verify_tour(const struct search_request *r, const struct search_outcome *o,
		       struct err *e)
{
	const char *name = r->atsp->name;

	if (o->order && (o->order[0] != 0 || atsp_tour_cost(r->atsp, o->order) != o->best))
		return err_set(e, ERR_FAILED, "%s: the tour does not cost %" PRId64, name, o->best);
	if (o->best > r->ub)
		return err_set(e, ERR_FAILED,
			       "%s: the answer %" PRId64 " is above the start %" PRId64, name,
			       o->best, r->ub);
	if (o->complete && o->lower_bound < o->best)
		return err_set(e, ERR_FAILED,
			       "%s: the search finished with %" PRId64 ", but proves only %" PRId64,
			       name, o->best, o->lower_bound);
	return 0;
}

/* Without a tour the search claims that some tour costs `best` if it counted leaves, else that no
 * tour costs `best` or less. Leaves of an earlier run may have cost more: then it claims only that
 * no tour costs less. */
static int verify_optimum(const struct search_request *r, const struct search_outcome *o,
			  struct err *e)
{
	bool resumed = checkpoint_resumes(r->checkpoint);
	bool met = o->order || (o->leaves && !resumed);
	int64_t optimum;
	int status;

	if (!o->complete || r->atsp->cities > DYNAMIC_PROGRAMMING_UP_TO)
		return 0;
	status = atsp_held_karp(r->atsp, NULL, &optimum, NULL, e);
	if (status)
		return status;
	if (met ? o->best == optimum : o->best < optimum + (o->leaves > 0))
		return 0;
	return err_set(e, ERR_FAILED, "%s: found %s%" PRId64 ", the optimum is %" PRId64,
		       r->atsp->name, met ? "" : "no tour of ", o->best, optimum);
}

int atsp_verify(const struct search_request *r, const struct search_outcome *o, bool *verified,
		struct err *e)
{
	int status = verify_tour(r, o, e);

	if (!status)
		status = verify_optimum(r, o, e);
	*verified = !status && o->order;
	return status;
}
