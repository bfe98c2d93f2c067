/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Every rung of the ladders searches the same tree as the serial algorithm, on one and on several
 * simulated devices, and stops when it is told to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/helbecque-pool/ladder.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_searches.h"

static bool is_of(const struct solve_rung *rung, const struct search_request *r)
{
	return strcmp(rung->problem, r->flowshop ? "flowshop" : "nqueens") == 0;
}

/* Compares all rungs of the request's ladder with the serial search. Returns their number. */
static int check_rungs(struct search_request r)
{
	struct search_outcome want, o;
	struct err e = { 0 };
	int rungs = 0;

	assert_int_equal(pool_search_serial(&r, &want, NULL), 0);
	for (const struct solve_rung *rung = pool_rungs; rung->name; rung++) {
		if (!is_of(rung, &r))
			continue;
		rungs++;
		assert_int_equal(pool_rung_request(rung->name, &r, NULL), 0);
		if (pool_search(rung->variant)(&r, &o, &e))
			fail_msg("%s: %s", rung->name, e.text);
		assert_true(o.complete);
		assert_int_equal(o.explored, want.explored);
		assert_int_equal(pool_decomposed(&r, &o), pool_decomposed(&r, &want));
		assert_int_equal(o.solutions, want.solutions);
		assert_int_equal(o.best, want.best);
		search_outcome_free(&o);
	}
	search_outcome_free(&want);
	return rungs;
}

static void rungs_of_flowshop_search_the_same_tree(void **state)
{
	(void)state;
	for (int trial = 0; trial < (UNDER_TSAN ? 3 : 4); trial++) {
		struct flowshop f;
		struct dev_set set;

		small_flowshop(&f, 8 + trial % 2, 4 + 3 * trial, 99, trial);
		open_devices(&set, 1 + trial % 3, trial % 2 ? "random" : "reverse", trial);
		struct search_request r = {
			.flowshop = &f, .bound = FSP_LB2, .devices = &set, .m = 3, .M = 40
		};

		assert_int_equal(flowshop_brute_force(&f, &r.ub, NULL, NULL), 0);
		assert_true(check_rungs(r) >= 9);
		flowshop_free(&f);
		dev_set_close(&set);
	}
}

static void rungs_of_queens_count_the_same_placements(void **state)
{
	(void)state;
	for (int queens = 8; queens <= (UNDER_TSAN ? 10 : 11); queens++) {
		struct dev_set set;

		open_devices(&set, 1 + queens % 3, "random", queens);
		struct search_request r = { .queens = queens, .devices = &set, .m = 5, .M = 500 };

		assert_true(check_rungs(r) >= 5);
		dev_set_close(&set);
	}
}

/* Without a bound, all rungs find the optimum. */
static void rungs_of_flowshop_find_the_optimum(void **state)
{
	struct flowshop f;
	struct dev_set set;
	int64_t optimum;

	(void)state;
	small_flowshop(&f, 8, 5, 99, 7);
	open_devices(&set, 2, "random", 7);
	assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, NULL), 0);
	for (const struct solve_rung *rung = pool_rungs; rung->name; rung++) {
		struct search_request r = { .flowshop = &f,
					    .bound = FSP_LB2,
					    .ub = SEARCH_NO_UB,
					    .devices = &set,
					    .m = 3,
					    .M = 40 };
		struct search_outcome o;

		if (!is_of(rung, &r))
			continue;
		assert_int_equal(pool_rung_request(rung->name, &r, NULL), 0);
		assert_int_equal(pool_search(rung->variant)(&r, &o, NULL), 0);
		assert_int_equal(o.best, optimum);
		check_schedule(&f, &o);
		search_outcome_free(&o);
	}
	flowshop_free(&f);
	dev_set_close(&set);
}

static void rungs_stop_at_a_time_limit(void **state)
{
	struct flowshop f;
	struct dev_set set;

	(void)state;
	small_flowshop(&f, UNDER_TSAN ? 15 : 20, UNDER_TSAN ? 8 : 20, 99, 3);
	open_devices(&set, 1, "random", 3);
	for (const struct solve_rung *rung = pool_rungs; rung->name; rung++) {
		struct search_request r = { .devices = &set };
		struct search_outcome o;
		struct err e = { 0 };

		if (strcmp(rung->problem, "flowshop") == 0)
			r.flowshop = &f;
		else
			r.queens = 16;
		r.bound = FSP_LB2;
		r.ub = SEARCH_NO_UB;
		assert_int_equal(pool_rung_request(rung->name, &r, NULL), 0);
		stopped_by_time(pool_search(rung->variant), &r, &o, &e);
		search_outcome_free(&o);
	}
	flowshop_free(&f);
	dev_set_close(&set);
}

/* The search by job set would leave these to the search depth first. */
static void rungs_by_set_refuse_what_they_cannot_search(void **state)
{
	static const char *const by_set[] = { "by-set", "set-at-once", "lane-nodes" };
	struct flowshop f;
	struct err e = { 0 };

	(void)state;
	small_flowshop(&f, 27, 5, 9, 1);
	struct search_request r = { .flowshop = &f, .bound = FSP_LB2, .ub = SEARCH_NO_UB };

	for (int i = 0; i < 3; i++)
		assert_int_equal(pool_rung_request(by_set[i], &r, &e), ERR_UNSUPPORTED);
	assert_int_equal(pool_rung_request("device-tree", &r, &e), 0);
	assert_int_equal(pool_rung_request("literal", &r, &e), 0);
	flowshop_free(&f);
}

static void other_work_is_refused(void **state)
{
	struct flowshop f;
	struct err e = { 0 };

	(void)state;
	small_flowshop(&f, 5, 3, 9, 1);
	struct search_request r = { .flowshop = &f, .bound = FSP_LB1 };
	struct search_request q = { .queens = 8 };

	assert_int_equal(pool_rung_request("literal", &r, &e), ERR_USAGE);
	r.bound = FSP_LB2;
	assert_int_equal(pool_rung_request("literal", &r, &e), 0);
	assert_int_equal(pool_rung_request("symmetry", &r, &e), ERR_USAGE);
	r.branching = FSP_MAXSUM;
	assert_int_equal(pool_rung_request("literal", &r, &e), ERR_USAGE);
	assert_int_equal(pool_rung_request("lb1-first", &q, &e), ERR_USAGE);
	q.solutions_only = true;
	assert_int_equal(pool_rung_request("literal", &q, &e), ERR_USAGE);
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rungs_of_flowshop_search_the_same_tree),
		cmocka_unit_test(rungs_of_queens_count_the_same_placements),
		cmocka_unit_test(rungs_of_flowshop_find_the_optimum),
		cmocka_unit_test(rungs_stop_at_a_time_limit),
		cmocka_unit_test(rungs_by_set_refuse_what_they_cannot_search),
		cmocka_unit_test(other_work_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
