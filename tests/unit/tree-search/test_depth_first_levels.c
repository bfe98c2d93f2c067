/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The estimated sizes of subtrees, against counts of a search. */
#include "algorithms/tree-search/depth-first/dfs_levels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algorithms/tree-search/depth-first/dfs_cpu.h"
#include "tests/unit/tree-search/small_searches.h"

static void estimate_and_count(int jobs, int seed, double *estimated, double *counted)
{
	struct dfs_levels *l = malloc(sizeof(*l));
	struct search_outcome o;
	struct flowshop f;
	struct search_request r = { .flowshop = &f,
				    .bound = FSP_LB1,
				    .branching = FSP_FORWARD,
				    .ub = SEARCH_NO_UB,
				    .threads = 1 };

	assert_non_null(l);
	small_flowshop(&f, jobs, 10, 99, seed);
	assert_int_equal(dfs_cpu(&r, &o, NULL), 0);
	r.ub = o.best; /* the tree does not change during the search */
	search_outcome_free(&o);
	assert_int_equal(dfs_cpu(&r, &o, NULL), 0);
	assert_int_equal(dfs_levels_make(l, &r, r.ub, r.ub, 10, NULL), 0);
	*estimated = l->below[0];
	*counted = (double)o.decomposed;
	search_outcome_free(&o);
	flowshop_free(&f);
	free(l);
}

static void a_tree_that_fits_the_sample_is_counted_exactly(void **state)
{
	double estimated, counted;

	(void)state;
	for (int seed = 1; seed <= 8; seed++) {
		estimate_and_count(4, seed, &estimated, &counted);
		assert_true(fabs(estimated - counted) < 1e-9 * counted);
	}
}

/* Right on average, so sums over several trees are close. */
static void larger_trees_are_estimated(void **state)
{
	double estimated, counted, all_estimated = 0, all_counted = 0;

	(void)state;
	for (int seed = 1; seed <= 12; seed++) {
		estimate_and_count(12, seed, &estimated, &counted);
		all_estimated += estimated;
		all_counted += counted;
	}
	assert_true(all_counted > 10000);
	assert_true(all_estimated > all_counted / 2 && all_estimated < all_counted * 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_that_fits_the_sample_is_counted_exactly),
		cmocka_unit_test(larger_trees_are_estimated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
