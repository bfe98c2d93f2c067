/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Small trees for the tests of the searches. Include after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_TREE_SEARCH_SMALL_SEARCHES_H
#define COPRA_TESTS_UNIT_TREE_SEARCH_SMALL_SEARCHES_H

#include "algorithms/helbecque-pool/pool_search.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/tree-search/small_flowshops.h"

static inline void small_flowshop(struct flowshop *f, int jobs, int machines, int most, int seed)
{
	*f = random_flowshop(jobs, machines, most, seed);
}

/* The outcome of a search that is stopped by its time limit after it has begun its work. On a busy
 * machine the preparations alone may take longer than the first limits. */
typedef int search_function(const struct search_request *r, struct search_outcome *o,
			    struct err *e);
static inline void stopped_by_time(search_function *search, struct search_request *r,
				   struct search_outcome *o, struct err *e)
{
	for (r->time_limit = 0.05;; r->time_limit *= 4) {
		assert_int_equal(search(r, o, e), ERR_LIMIT);
		assert_false(o->complete);
		if (o->explored || o->decomposed || r->time_limit > 60)
			return;
		search_outcome_free(o);
	}
}

static inline void check_schedule(const struct flowshop *f, const struct search_outcome *o)
{
	assert_non_null(o->order);
	assert_int_equal(flowshop_makespan(f, o->order), o->best);
}

#endif
