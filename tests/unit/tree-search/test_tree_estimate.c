/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Estimated sizes of trees, against counts of a search. */
#include "algorithms/tree-search/estimate/tree_estimate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "algorithms/tree-search/depth-first/dfs_cpu.h"
#include "tests/unit/tree-search/small_searches.h"

/* The tree from a ub a little above the optimum. */
static void count_and_estimate(int jobs, int seed, enum fsp_branching branching, int samples,
			       double *counted, struct tree_estimate *x)
{
	struct search_outcome o;
	struct flowshop f;
	struct search_request r = { .flowshop = &f,
				    .bound = FSP_LB1,
				    .branching = branching,
				    .ub = SEARCH_NO_UB,
				    .threads = 1,
				    .seed = 1 };

	small_flowshop(&f, jobs, 10, 99, seed);
	assert_int_equal(dfs_cpu(&r, &o, NULL), 0);
	r.ub = o.best; /* the tree does not change during the search */
	search_outcome_free(&o);
	assert_int_equal(dfs_cpu(&r, &o, NULL), 0);
	*counted = (double)o.decomposed;
	search_outcome_free(&o);
	assert_int_equal(tree_estimate(x, &r, samples, 60, NULL), 0);
	assert_int_equal(x->samples, samples);
	flowshop_free(&f);
}

static void a_tree_that_fits_the_sample_is_counted_exactly(void **state)
{
	struct tree_estimate x;
	double counted;

	(void)state;
	for (int seed = 1; seed <= 8; seed++) {
		count_and_estimate(5, seed, FSP_MINBRANCH, 1, &counted, &x);
		assert_true(fabs(x.nodes - counted) < 1e-9 * counted);
		assert_true(x.low == x.nodes && x.high == x.nodes);
	}
}

/* Each tree, not only on average over trees: children of nodes with different weights are drawn by
 * their weights. */
static void larger_trees_are_estimated(void **state)
{
	static const enum fsp_branching branchings[] = { FSP_FORWARD, FSP_MAXSUM, FSP_MINBRANCH };
	struct tree_estimate x;
	double counted, most = 0;

	(void)state;
	for (int i = 0; i < 9; i++) {
		count_and_estimate(12, 1 + i, branchings[i % 3], 16, &counted, &x);
		assert_true(fabs(x.nodes - counted) < 0.1 * counted + 1);
		assert_true(x.low <= x.nodes && x.nodes <= x.high);
		most = counted > most ? counted : most;
	}
	assert_true(most > 50000); /* far more than a sample has */
}

static void nothing_is_left_below_the_bound_of_the_root(void **state)
{
	struct tree_estimate x;
	struct flowshop f;
	struct search_request r = { .flowshop = &f, .bound = FSP_LB1, .ub = 1, .seed = 1 };

	(void)state;
	small_flowshop(&f, 6, 4, 99, 1);
	assert_int_equal(tree_estimate(&x, &r, 4, 60, NULL), 0);
	assert_true(x.nodes == 1 && x.low == 1 && x.high == 1); /* as the search counts */
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_that_fits_the_sample_is_counted_exactly),
		cmocka_unit_test(larger_trees_are_estimated),
		cmocka_unit_test(nothing_is_left_below_the_bound_of_the_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
