/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Every rung of the ladders searches the same tree as the serial algorithm, on one and on several
 * simulated devices, and stops when it is told to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/ladder.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_searches.h"

enum { IVMS = 64 };

static bool is_of(const struct solve_rung *rung, const struct search_request *r)
{
	return strcmp(rung->problem, r->flowshop ? "flowshop" : "nqueens") == 0;
}

static void search_rung(const struct solve_rung *rung, const struct search_request *common,
			struct ivm_outcome *o)
{
	struct ivm_request r = { .common = *common, .ivms = IVMS };
	struct err e = { 0 };

	assert_int_equal(ivm_rung_request(rung->name, &r.common, NULL), 0);
	if (ivm_search(rung->variant, &r, o, &e))
		fail_msg("%s: %s", rung->name, e.text);
	assert_true(o->common.complete);
}

/* Compares all rungs of the request's ladder with the serial search. Returns their number. */
static int check_rungs(const struct search_request *common)
{
	struct ivm_request r = { .common = *common };
	struct ivm_outcome want, o;
	int rungs = 0;

	assert_int_equal(ivm_search_serial(&r, &want, NULL), 0);
	for (const struct solve_rung *rung = ivm_rungs; rung->name; rung++) {
		if (!is_of(rung, common))
			continue;
		rungs++;
		search_rung(rung, common, &o);
		assert_int_equal(o.common.decomposed, want.common.decomposed);
		assert_int_equal(o.common.solutions, want.common.solutions);
		assert_int_equal(o.common.best, want.common.best);
		ivm_outcome_free(&o);
	}
	ivm_outcome_free(&want);
	return rungs;
}

static void rungs_of_flowshop_search_the_same_tree(void **state)
{
	(void)state;
	for (int trial = 0; trial < 4; trial++) {
		struct flowshop f;
		struct dev_set set;

		small_flowshop(&f, 8 + trial % 2, 4 + 3 * trial, 99, trial);
		open_devices(&set, 1 + trial % 3, trial % 2 ? "random" : "reverse", trial);
		struct search_request r = { .flowshop = &f,
					    .bound = FSP_LB2,
					    .branching = trial == 3 ? FSP_MINBRANCH : FSP_MAXSUM,
					    .devices = &set };

		assert_int_equal(flowshop_brute_force(&f, &r.ub, NULL, NULL), 0);
		assert_int_equal(check_rungs(&r), 8);
		flowshop_free(&f);
		dev_set_close(&set);
	}
}

static void rungs_of_queens_count_the_same_placements(void **state)
{
	(void)state;
	for (int queens = 8; queens <= 10; queens++) {
		struct dev_set set;

		open_devices(&set, 1 + queens % 3, "random", queens);
		struct search_request r = { .queens = queens, .half_board = true, .devices = &set };

		assert_int_equal(check_rungs(&r), 8);
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
	for (const struct solve_rung *rung = ivm_rungs; rung->name; rung++) {
		struct search_request r = { .flowshop = &f,
					    .bound = FSP_LB2,
					    .branching = FSP_MAXSUM,
					    .ub = SEARCH_NO_UB,
					    .devices = &set };
		struct ivm_outcome o;

		if (!is_of(rung, &r))
			continue;
		search_rung(rung, &r, &o);
		assert_int_equal(o.common.best, optimum);
		check_schedule(&f, &o.common);
		ivm_outcome_free(&o);
	}
	flowshop_free(&f);
	dev_set_close(&set);
}

/* Without a trigger: an expansion of a rung below short-steps ends at its trigger only. */
static int search_published(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	struct ivm_request request = { .common = *r,
				       .ivms = IVMS,
				       .trigger = r->flowshop ? 0 : IVM_TRIGGER_NONE };
	struct ivm_outcome all;
	int status = ivm_search(SOLVE_PUBLISHED, &request, &all, e);

	*o = all.common;
	return status;
}

static int search_tuned(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	struct ivm_request request = { .common = *r };
	struct ivm_outcome all;
	int status = ivm_search(SOLVE_TUNED, &request, &all, e);

	*o = all.common;
	return status;
}

static void rungs_stop_at_a_time_limit(void **state)
{
	struct flowshop f;
	struct dev_set set;

	(void)state;
	small_flowshop(&f, 20, 20, 99, 3);
	open_devices(&set, 1, "random", 3);
	for (const struct solve_rung *rung = ivm_rungs; rung->name; rung++) {
		struct search_request r = { .devices = &set,
					    .bound = FSP_LB2,
					    .branching = FSP_MAXSUM,
					    .ub = SEARCH_NO_UB,
					    .half_board = true };
		struct search_outcome o;
		struct err e = { 0 };

		if (strcmp(rung->problem, "flowshop") == 0)
			r.flowshop = &f;
		else
			r.queens = 16;
		assert_int_equal(ivm_rung_request(rung->name, &r, NULL), 0);
		stopped_by_time(rung->variant == SOLVE_TUNED ? search_tuned : search_published, &r,
				&o, &e);
		search_outcome_free(&o);
	}
	flowshop_free(&f);
	dev_set_close(&set);
}

/* A ladder begins with published and ends with tuned as they are; no two rungs are the same. */
static void rungs_differ(void **state)
{
	struct flowshop f;

	(void)state;
	small_flowshop(&f, 8, 5, 9, 1);
	for (const struct solve_rung *a = ivm_rungs; a->name; a++) {
		bool flowshop = strcmp(a->problem, "flowshop") == 0;
		bool first = a == ivm_rungs || strcmp(a[-1].problem, a->problem) != 0;
		bool last = !a[1].name || strcmp(a[1].problem, a->problem) != 0;
		struct search_request r = { .flowshop = flowshop ? &f : NULL,
					    .queens = flowshop ? 0 : 8,
					    .bound = FSP_LB2,
					    .branching = FSP_MAXSUM,
					    .ub = SEARCH_NO_UB };
		struct search_request other = r;

		assert_int_equal(ivm_rung_request(a->name, &r, NULL), 0);
		assert_int_equal(first || last, r.forms == 0);
		assert_true(first || a->variant >= a[-1].variant);
		for (const struct solve_rung *b = ivm_rungs; b < a; b++) {
			if (strcmp(a->problem, b->problem) != 0)
				continue;
			assert_int_equal(ivm_rung_request(b->name, &other, NULL), 0);
			assert_true(a->variant != b->variant || r.forms != other.forms);
		}
	}
	flowshop_free(&f);
}

/* The search by job set would leave these to the search depth first. */
static void rungs_by_set_refuse_what_they_cannot_search(void **state)
{
	static const char *const by_set[] = { "by-set", "set-at-once", "lane-nodes" };
	struct flowshop f;
	struct err e = { 0 };

	(void)state;
	small_flowshop(&f, 25, 5, 9, 1);
	struct search_request r = {
		.flowshop = &f, .bound = FSP_LB2, .branching = FSP_MAXSUM, .ub = SEARCH_NO_UB
	};

	for (int i = 0; i < 3; i++)
		assert_int_equal(ivm_rung_request(by_set[i], &r, &e), ERR_UNSUPPORTED);
	assert_int_equal(ivm_rung_request("device-tree", &r, &e), 0);
	assert_int_equal(ivm_rung_request("literal", &r, &e), 0);
	flowshop_free(&f);
}

static void other_work_is_refused(void **state)
{
	static const struct atsp *some_atsp = (const struct atsp *)&some_atsp; /* never read */
	struct flowshop f;
	struct err e = { 0 };

	(void)state;
	small_flowshop(&f, 5, 3, 9, 1);
	struct search_request r = { .flowshop = &f, .bound = FSP_LB2, .branching = FSP_MAXSUM };
	struct search_request q = { .queens = 8 }, a = { .atsp = some_atsp };

	assert_int_equal(ivm_rung_request("literal", &r, &e), 0);
	assert_int_equal(ivm_rung_request("sharing", &r, &e), ERR_USAGE);
	r.branching = FSP_FORWARD;
	assert_int_equal(ivm_rung_request("literal", &r, &e), ERR_USAGE);
	r.branching = FSP_MAXSUM;
	r.bound = FSP_LB1;
	assert_int_equal(ivm_rung_request("literal", &r, &e), ERR_USAGE);
	assert_int_equal(ivm_rung_request("packed-lb2", &q, &e), ERR_USAGE);
	assert_int_equal(ivm_rung_request("literal", &a, &e), ERR_USAGE);
	assert_non_null(strstr(e.text, "ATSP"));
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rungs_of_flowshop_search_the_same_tree),
		cmocka_unit_test(rungs_of_queens_count_the_same_placements),
		cmocka_unit_test(rungs_of_flowshop_find_the_optimum),
		cmocka_unit_test(rungs_stop_at_a_time_limit),
		cmocka_unit_test(rungs_differ),
		cmocka_unit_test(rungs_by_set_refuse_what_they_cannot_search),
		cmocka_unit_test(other_work_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
