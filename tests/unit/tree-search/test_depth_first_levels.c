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
#include "algorithms/tree-search/search_work.h"
#include "datasets/atsp/atsp.h"
#include "harness/base/clock.h"
#include "harness/base/rng.h"
#include "kernels/gmys-ivm/factoradic.h"
#include "kernels/tree-search/queens.h"
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

/* ---- N-Queens and ATSP ---- */

static void boards_that_fit_the_sample_are_counted_exactly(void **state)
{
	struct dfs_levels *l = malloc(sizeof(*l));
	uint64_t placements[QUEENS_MAX + 1];

	(void)state;
	assert_non_null(l);
	for (int n = 4; n <= 7; n++) {
		for (int half = 0; half <= 1; half++) {
			struct search_request r = { .queens = n, .half_board = half };
			double nodes = 0;

			search_work_placements(n, half, NULL, placements);
			for (int d = 0; d < n; d++)
				nodes += (double)placements[d];
			assert_int_equal(dfs_levels_make(l, &r, 0, 0, 10, NULL), 0);
			assert_true(fabs(l->below[0] - nodes) < 1e-9 * nodes);
		}
	}
	free(l);
}

/* The nodes of paths of cost <= most that are not complete. */
static double paths_below(const struct atsp *a, int64_t cost, int last, unsigned open, int64_t most)
{
	double nodes = 1;

	if (!(open & (open - 1)))
		return 1;
	for (int i = 0; i < a->cities - 1; i++) {
		int64_t next = cost + a->cost[last * a->cities + i + 1];

		if (open >> i & 1 && next <= most)
			nodes += paths_below(a, next, i + 1, open & ~(1u << i), most);
	}
	return nodes;
}

static void paths_that_fit_the_sample_are_counted_exactly(void **state)
{
	enum { CITIES = 6, MOST = 180 };
	struct dfs_levels *l = malloc(sizeof(*l));
	struct rng rng = rng_seeded(1);
	int32_t cost[CITIES * CITIES];
	struct atsp a;

	(void)state;
	assert_non_null(l);
	for (int i = 0; i < CITIES * CITIES; i++)
		cost[i] = (int32_t)rng_below(&rng, 100);
	assert_int_equal(atsp_make(&a, "small", CITIES, cost, NULL), 0);
	for (int64_t most = MOST / 4; most <= MOST; most += MOST / 4) {
		struct search_request r = { .atsp = &a, .ub = most };
		double nodes = paths_below(&a, 0, 0, (1u << (CITIES - 1)) - 1, most);

		assert_int_equal(dfs_levels_make(l, &r, most, most, 10, NULL), 0);
		assert_true(fabs(l->below[0] - nodes) < 1e-9 * nodes);
	}
	atsp_free(&a);
	free(l);
}

/* ---- intervals ---- */

static void children_of_the_root_add_up_to_the_tree(void **state)
{
	enum { N = 8 };
	struct search_request r = { .queens = N, .half_board = true };
	uint16_t first[N] = { 0 }, cut[N], next[N] = { 0 }, last[N];
	struct dfs_levels *l = malloc(sizeof(*l));

	(void)state;
	assert_non_null(l);
	assert_int_equal(dfs_levels_make(l, &r, 0, 0, 10, NULL), 0);
	ivm_factoradic_last(last, N);
	ivm_factoradic_last(cut, N);
	last[0] = N / 2 - 1;
	for (uint16_t i = 0; i < N / 2 - 1; i++) {
		cut[0] = i;
		next[0] = (uint16_t)(i + 1);
		assert_true(fabs(dfs_levels_interval(l, first, cut) +
				 dfs_levels_interval(l, next, last) - (l->below[0] - 1)) < 1e-6);
	}
	assert_true(dfs_levels_interval(l, last, last) == 0);
	free(l);
}

/* ---- a gauge ---- */

/* Bounds of LB2 with 500 jobs take milliseconds: no sample of a tree of that depth is finished. */
static void a_sample_that_is_not_finished_is_taken_again(void **state)
{
	struct flowshop slow;
	struct search_request r = { .flowshop = &slow,
				    .bound = FSP_LB2,
				    .branching = FSP_MINBRANCH },
			      queens = { .queens = 6 };
	struct dfs_gauge g;
	double began, first, second;

	(void)state;
	small_flowshop(&slow, 500, 20, 99, 1);
	dfs_gauge_start(&g, &r, 100000);
	first = dfs_gauge_sample_seconds(&g);
	g.due = began = clock_wall();
	assert_null(dfs_gauge_levels(&g, 100000));
	second = dfs_gauge_sample_seconds(&g);
	assert_true(second > first && isfinite(g.due));
	assert_true(second <= 0.0101 * (g.due - began)); /* of the time until then */
	assert_null(dfs_gauge_levels(&g, 100000));
	assert_true(dfs_gauge_sample_seconds(&g) == second); /* it was not due */

	g.due = clock_wall();
	assert_null(dfs_gauge_levels(&g, 100000));
	assert_true(dfs_gauge_sample_seconds(&g) > second);
	g.pause = 1e6;
	assert_true(dfs_gauge_sample_seconds(&g) < 0.5); /* a search is not held up for longer */

	g.request = &queens; /* bounds are fast now */
	assert_null(dfs_gauge_levels(&g, 100000));
	g.due = clock_wall();
	assert_non_null(dfs_gauge_levels(&g, 100000));
	dfs_gauge_close(&g);
	flowshop_free(&slow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_that_fits_the_sample_is_counted_exactly),
		cmocka_unit_test(larger_trees_are_estimated),
		cmocka_unit_test(boards_that_fit_the_sample_are_counted_exactly),
		cmocka_unit_test(paths_that_fit_the_sample_are_counted_exactly),
		cmocka_unit_test(children_of_the_root_add_up_to_the_tree),
		cmocka_unit_test(a_sample_that_is_not_finished_is_taken_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
