/* Small trees for the tests of the searches. Include after <cmocka.h>. */
#ifndef COPRA_TESTS_SMALL_SEARCHES_H
#define COPRA_TESTS_SMALL_SEARCHES_H

#include "../../algorithms/helbecque-pool/pool.h"
#include "small_flowshops.h"

/* Sanitizers slow tenfold: trees of millions of nodes are left to plain builds. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SEARCH_SANITIZED = 1 };
#else
enum { SEARCH_SANITIZED = 0 };
#endif

static inline void small_flowshop(struct flowshop *f, int jobs, int machines, int most, int seed)
{
	*f = random_flowshop(jobs, machines, most, seed);
}

static inline void check_schedule(const struct flowshop *f, const struct search_outcome *o)
{
	assert_non_null(o->order);
	assert_int_equal(flowshop_makespan(f, o->order), o->best);
}

#endif
