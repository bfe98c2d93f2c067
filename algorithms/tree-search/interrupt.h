/* When a search has to stop: the request's stop flag or its time limit. */
#ifndef COPRA_TREE_SEARCH_INTERRUPT_H
#define COPRA_TREE_SEARCH_INTERRUPT_H

#include "harness/base/clock.h"
#include "algorithms/tree-search/search.h"

struct interrupt {
	const struct search_request *request;
	double begin, deadline; /* clock_wall; deadline 0: none */
};

/* The time limit starts now. */
static inline struct interrupt interrupt_from(const struct search_request *r)
{
	double now = clock_wall();
	struct interrupt i = { r, now, r->time_limit > 0 ? now + r->time_limit : 0 };

	return i;
}

static inline bool interrupt_due(const struct interrupt *i)
{
	return (i->request->stop && *i->request->stop) ||
	       (i->deadline > 0 && clock_wall() >= i->deadline);
}

/* ERR_LIMIT and its text. The text does not repeat the request's time limit, because a heuristic
 * start may have used part of the user's. */
static inline int interrupt_status(const struct interrupt *i, struct err *e)
{
	return err_set(e, ERR_LIMIT, "stopped by %s after %.3g s",
		       i->request->stop && *i->request->stop ? "a signal" : "the time limit",
		       clock_wall() - i->begin);
}

#endif
