/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The checks of an outcome: every kind of wrong answer must be refused, and every right one
 * accepted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/tree-search/search_target.h"
#include "algorithms/tree-search/flowshop/fsp_start.h"
#include "algorithms/tree-search/flowshop/fsp_verify.h"
#include "algorithms/tree-search/labels.h"
#include "tests/unit/tree-search/verified_outcomes.h"

enum { JOBS = 20 };

static void wrong_counts_of_queens_are_refused(void **state)
{
	struct search_request r = { .queens = 8 };
	struct search_outcome right = { .complete = true, .solutions = 92, .explored = 2056 }, o;

	(void)state;
	assert_outcome_accepted(search_verify, &r, &right, true);
	o = right;
	o.solutions = 91;
	assert_outcome_rejected(search_verify, &r, &o);
	o = right;
	o.explored++;
	assert_outcome_rejected(search_verify, &r, &o);
	r.solutions_only = true;
	assert_outcome_accepted(search_verify, &r, &o, true);
	o.complete = false;
	o.solutions = 93;
	assert_outcome_rejected(search_verify, &r, &o);
	o.solutions = 5;
	assert_outcome_accepted(search_verify, &r, &o, false);
}

/* The counts of 21 to 25 queens are known only from OEIS. A different count is not verified, but it
 * is no error. */
static void counts_known_only_from_a_list_are_not_confirmed(void **state)
{
	struct search_request r = { .queens = 21, .solutions_only = true };
	struct search_outcome o = { .complete = true, .solutions = 314666222712 };

	(void)state;
	assert_outcome_accepted(search_verify, &r, &o, true);
	o.solutions++;
	assert_outcome_accepted(search_verify, &r, &o, false);
	r.queens = 27;
	assert_outcome_rejected(search_verify, &r, &o);
}

/* 0 if it cannot be computed from the counts that the search made. */
static void decomposed_queens_follow_from_the_other_counts(void **state)
{
	struct search_request r = { .queens = 12 };
	struct search_outcome o = { .complete = true, .solutions = 14200, .explored = 856188 };

	(void)state;
	assert_int_equal(pool_decomposed(&r, &o), 856188 - 14200 + 1);
	o.complete = false;
	assert_int_equal(pool_decomposed(&r, &o), 0);
	o.complete = r.solutions_only = true;
	o.explored = 122;
	assert_int_equal(pool_decomposed(&r, &o), 0);
}

static void load(struct flowshop *f, const char *name)
{
	struct err e;

	assert_int_equal(flowshop_load(f, name, &e), 0);
}

static void wrong_counts_of_a_published_tree_are_refused(void **state)
{
	struct flowshop f;
	struct search_request r = {
		.flowshop = &f, .bound = FSP_LB2, .branching = FSP_FORWARD, .ub = 2237
	};
	struct search_outcome right = { .complete = true,
					.best = 2237,
					.lower_bound = 2237,
					.explored = 9499307,
					.decomposed = 9499308 },
			      o;

	(void)state;
	load(&f, "ta029");
	assert_outcome_accepted(search_verify, &r, &right, true);
	o = right;
	o.explored--;
	assert_outcome_rejected(search_verify, &r, &o);
	o = right;
	o.decomposed--;
	assert_outcome_rejected(search_verify, &r, &o);
	o = right;
	o.lower_bound = 2236;
	assert_outcome_rejected(search_verify, &r, &o);
	o = right;
	o.explored = 1;
	r.bound = FSP_LB1; /* another tree, whose size is not known; the optimum was given */
	assert_outcome_accepted(search_verify, &r, &o, false);
	flowshop_free(&f);
}

static void wrong_optima_and_bounds_are_refused(void **state)
{
	struct flowshop f;
	int64_t order[JOBS], makespan;
	struct search_request r = { .flowshop = &f, .ub = SEARCH_NO_UB };
	struct search_outcome o = { 0 };
	struct err e;

	(void)state;
	load(&f, "ta001");
	assert_int_equal(fsp_start(FSP_START_NEH, &f, NULL, order, &makespan, &e), 0);
	assert_true(makespan > 1278);
	o = (struct search_outcome){ .best = makespan, .lower_bound = 1250, .order = order };
	assert_outcome_accepted(search_verify, &r, &o, true);
	o.best--; /* not the makespan of the schedule */
	assert_outcome_rejected(search_verify, &r, &o);
	o.best = makespan;
	o.lower_bound = 1279; /* above the optimum */
	assert_outcome_rejected(search_verify, &r, &o);
	o.complete = true;
	o.lower_bound = makespan; /* not the optimum */
	assert_outcome_rejected(search_verify, &r, &o);
	o.lower_bound = 1278;
	assert_outcome_rejected(search_verify, &r, &o);
	o.complete = false;
	r.ub = makespan - 1; /* worse than the start */
	assert_outcome_rejected(search_verify, &r, &o);
	o = (struct search_outcome){ .complete = true, .best = 1200, .lower_bound = 1200 };
	r.ub = 1200; /* finding nothing below a bound that is too low is right, but not verified */
	assert_outcome_accepted(search_verify, &r, &o, false);
	flowshop_free(&f);
}

/* A list may be out of date, so a result that differs from it is not wrong. A result that a proof
 * excludes is wrong. */
static void an_unproved_known_value_refutes_no_outcome(void **state)
{
	struct flowshop f;
	int64_t order[JOBS], makespan;
	struct flowshop_known k = { .name = "ta001", .lower = 1232, .source = "a list" };
	struct search_request r = { .flowshop = &f, .bound = FSP_LB1, .ub = SEARCH_NO_UB };
	struct search_outcome o = { .complete = true, .order = order };
	struct err e;
	bool verified;

	(void)state;
	load(&f, "ta001");
	assert_int_equal(fsp_start(FSP_START_NEH, &f, NULL, order, &makespan, &e), 0);
	o.best = o.lower_bound = makespan;
	for (int off = -1; off <= 1; off += 2) {
		k.upper = (int32_t)makespan + off;
		k.basis = FLOWSHOP_LIST;
		assert_int_equal(fsp_verify(&r, &o, &k, &verified, &e), 0);
		assert_true(verified);
		k.basis = FLOWSHOP_OPEN;
		assert_int_equal(fsp_verify(&r, &o, &k, &verified, &e), 0);
	}
	k.lower = k.upper;
	k.basis = FLOWSHOP_PROVED_CITED;
	assert_int_equal(fsp_verify(&r, &o, &k, &verified, &e), ERR_FAILED);
	assert_false(verified);
	k.basis = FLOWSHOP_PROVED_HERE;
	assert_int_equal(fsp_verify(&r, &o, &k, &verified, &e), ERR_FAILED);
	assert_int_equal(fsp_verify(&r, &o, NULL, &verified, &e), 0);
	flowshop_free(&f);
}

/* Benchmarks compare only with proved optima, not with values of a list. */
static void labels_have_an_optimum_only_if_it_is_proved(void **state)
{
	static const struct {
		const char *label;
		int64_t optimum;
	} labels[] = { { "ta029", 2237 }, { "ta058", 3691 }, { "ta082", 0 }, { "ta081", 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		struct flowshop f;
		struct err e;
		int64_t optimum;

		load(&f, labels[i].label);
		assert_int_equal(label_optimum(&f, labels[i].label, &optimum, &e), 0);
		assert_int_equal(optimum, labels[i].optimum);
		flowshop_free(&f);
	}
}

static void a_changed_file_with_a_known_name_gets_no_known_values(void **state)
{
	struct flowshop f;

	(void)state;
	load(&f, "ta029");
	assert_non_null(flowshop_known_of(&f));
	f.time[7]++;
	assert_null(flowshop_known_of(&f));
	flowshop_free(&f);
	load(&f, "random:5x3:9:1");
	assert_null(flowshop_known_of(&f));
	flowshop_free(&f);
}

static void start_schedules_have_the_reported_makespan(void **state)
{
	struct flowshop f;
	int64_t order[JOBS], neh, ig;
	struct fsp_start_effort effort = { .seconds = 0.1, .threads = 2, .seed = 1 };
	struct err e;

	(void)state;
	load(&f, "ta021");
	assert_int_equal(fsp_start(FSP_START_NEH, &f, NULL, order, &neh, &e), 0);
	assert_int_equal(flowshop_makespan(&f, order), neh);
	assert_int_equal(fsp_start(FSP_START_IG, &f, &effort, order, &ig, &e), 0);
	assert_int_equal(flowshop_makespan(&f, order), ig);
	assert_true(2297 <= ig && ig <= neh);
	assert_true(fsp_start_seconds(&f, 1) == 1);
	assert_true(fsp_start_seconds(&f, 4) == 0.5);
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_counts_of_queens_are_refused),
		cmocka_unit_test(counts_known_only_from_a_list_are_not_confirmed),
		cmocka_unit_test(decomposed_queens_follow_from_the_other_counts),
		cmocka_unit_test(wrong_counts_of_a_published_tree_are_refused),
		cmocka_unit_test(wrong_optima_and_bounds_are_refused),
		cmocka_unit_test(an_unproved_known_value_refutes_no_outcome),
		cmocka_unit_test(labels_have_an_optimum_only_if_it_is_proved),
		cmocka_unit_test(a_changed_file_with_a_known_name_gets_no_known_values),
		cmocka_unit_test(start_schedules_have_the_reported_makespan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
