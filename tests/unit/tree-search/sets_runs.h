/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Flowshop searches by job set on simulated devices: checks that hold for every branching. Include
 * after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_TREE_SEARCH_SETS_RUNS_H
#define COPRA_TESTS_UNIT_TREE_SEARCH_SETS_RUNS_H

#include "algorithms/tree-search/search.h"
#include "algorithms/tree-search/by-set/sets_search.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_flowshops.h"

/* The searches by job sets as functions of a request. */
static inline int forward_sets(const struct search_request *r, struct search_outcome *o,
			       struct err *e)
{
	return sets_search(r, false, o, e);
}

static inline int two_sided_sets(const struct search_request *r, struct search_outcome *o,
				 struct err *e)
{
	return sets_search(r, true, o, e);
}

static inline bool forward_sets_takes(const struct search_request *r)
{
	return sets_search_supports(r, false);
}

static inline bool two_sided_sets_takes(const struct search_request *r)
{
	return sets_search_supports(r, true);
}

/* The size of a tree from a given bound, by a count that shares no code with the search. */
struct tree_size {
	uint64_t decomposed, evaluated, leaves;
};

/* Checks that every node is searched once. */
static inline void expect_tree(search_fn *search, const struct search_request *r,
			       const struct tree_size *size)
{
	struct search_outcome o;
	struct err e = { 0 };
	uint64_t sum = 0;

	if (search(r, &o, &e))
		fail_msg("%s: %s", r->flowshop->name, e.text);
	assert_true(o.complete);
	assert_int_equal(o.decomposed, size->decomposed);
	assert_int_equal(o.explored, size->decomposed - 1);
	assert_int_equal(o.evaluated, size->evaluated);
	assert_int_equal(o.leaves, size->leaves);
	assert_int_equal(o.best, r->ub);
	assert_int_equal(o.lower_bound, o.best);
	assert_true(o.memory_peak > 0 && (r->memory == 0 || o.memory_peak <= (uint64_t)r->memory));
	for (int i = 0; i < o.workers; i++)
		sum += o.worker_explored[i];
	assert_int_equal(sum, o.explored);
	search_outcome_free(&o);
}

static inline void expect_optimum(search_fn *search, const struct search_request *r,
				  int64_t optimum)
{
	struct search_outcome o;
	struct err e = { 0 };

	if (search(r, &o, &e))
		fail_msg("%s: %s", r->flowshop->name, e.text);
	assert_true(o.complete);
	assert_int_equal(o.best, optimum);
	assert_non_null(o.order);
	assert_int_equal(flowshop_makespan(r->flowshop, o.order), optimum);
	search_outcome_free(&o);
}

/* From the optimum r.ub: checks for the same tree with little memory and without stealing. From no
 * bound: checks for the optimum, with a shared incumbent and with private ones. */
static inline void expect_on_several(search_fn *search, struct search_request r,
				     const struct tree_size *size, int64_t little)
{
	int64_t optimum = r.ub;

	expect_tree(search, &r, size);
	r.memory = little;
	expect_tree(search, &r, size);
	r.no_stealing = true;
	expect_tree(search, &r, size);
	r.no_stealing = false;
	r.ub = SEARCH_NO_UB;
	expect_optimum(search, &r, optimum);
	r.private_incumbent = true;
	expect_optimum(search, &r, optimum);
}

/* Checks that nodes move between three devices, within at most a dozen runs, and are counted
 * once. */
static inline void expect_stealing(search_fn *search, const struct search_request *r,
				   int least_runs, const struct tree_size *size)
{
	uint64_t stolen = 0;

	for (int i = 0; i < 12 && (i < least_runs || !stolen); i++) {
		struct search_outcome o;
		struct err e = { 0 };

		assert_int_equal(search(r, &o, &e), 0);
		assert_int_equal(o.decomposed, size->decomposed);
		assert_int_equal(o.workers, 3);
		assert_true(o.steals_done <= o.steals_tried && o.nodes_stolen >= o.steals_done);
		stolen += o.nodes_stolen;
		search_outcome_free(&o);
	}
	assert_true(stolen > 0);
}

/* Checks that leaving out ideas does not change the tree. */
static inline void expect_in_all_forms(search_fn *search, struct search_request r,
				       const struct tree_size *size)
{
	static const unsigned form[] = { SEARCH_NODES_ALONE, SEARCH_ONE_NODE };

	for (int i = 0; i < 2; i++) {
		r.forms = form[i];
		expect_tree(search, &r, size);
	}
}

/* A search that is stopped before it begins: checks for a schedule and a proved bound. */
static inline void expect_stopped(search_fn *search, struct search_request r)
{
	volatile sig_atomic_t stop = 1;
	struct search_outcome o;
	struct err e = { 0 };

	r.stop = &stop;
	assert_int_equal(search(&r, &o, &e), ERR_LIMIT);
	assert_false(o.complete);
	assert_true(o.decomposed > 0 && o.decomposed <= o.explored);
	assert_non_null(o.order);
	assert_int_equal(flowshop_makespan(r.flowshop, o.order), o.best);
	assert_true(o.lower_bound > 0 && o.lower_bound <= o.best);
	search_outcome_free(&o);
}

/* Checks that these are refused: too many jobs for the words of a set, too many machines, too long
 * times, no flowshop. */
static inline void expect_not_taken(bool (*takes)(const struct search_request *r),
				    struct search_request r, int too_many_jobs)
{
	struct flowshop wrong[] = { random_flowshop(too_many_jobs, 5, 99, 1),
				    random_flowshop(8, 21, 99, 1), random_flowshop(8, 5, 9000, 1) };

	for (int i = 0; i < 3; i++) {
		r.flowshop = &wrong[i];
		assert_false(takes(&r));
		flowshop_free(&wrong[i]);
	}
	r.flowshop = NULL;
	assert_false(takes(&r));
}

#endif
