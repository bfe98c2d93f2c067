/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The serial search: brute force, Held-Karp, published counts, limits and checkpoints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/ivm_cover.h"
#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/tree-search/checkpoint.h"
#include "datasets/atsp/atsp.h"
#include "harness/base/rng.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/tree-search/small_flowshops.h"
#include "tests/unit/base/temporary_folder.h"

static struct atsp loaded_atsp(const char *name)
{
	struct atsp a;
	struct err e = { 0 };

	if (atsp_load(&a, name, &e))
		fail_msg("%s", e.text);
	return a;
}

static struct ivm_outcome searched(const struct ivm_request *r)
{
	struct ivm_outcome o;
	struct err e = { 0 };

	if (ivm_search(SOLVE_SERIAL, r, &o, &e))
		fail_msg("%s", e.text);
	assert_true(o.common.complete);
	assert_int_equal(o.host_decomposed, o.common.decomposed);
	return o;
}

static void half_boards_match_published_counts(void **state)
{
	static const struct {
		int n;
		uint64_t decomposed, solutions;
	} known[] = { { 1, 0, 1 },        { 2, 1, 0 },         { 4, 7, 2 },          { 8, 982, 92 },
		      { 10, 17407, 724 }, { 11, 89877, 2680 }, { 12, 420994, 14200 } };

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct ivm_request r = { .common = { .queens = known[i].n, .half_board = true } };
		struct ivm_outcome o = searched(&r);

		assert_int_equal(o.common.solutions, known[i].solutions);
		assert_int_equal(o.common.decomposed, known[i].decomposed);
		assert_null(o.common.order);
		ivm_outcome_free(&o);
	}
}

static void flowshop_trees_match_published_counts(void **state)
{
	struct flowshop f = loaded_flowshop("ta030"), g = loaded_flowshop("ta056");
	struct ivm_request r = { .common = { .flowshop = &f,
					     .ub = 2178,
					     .bound = FSP_LB1,
					     .branching = FSP_MINBRANCH } };
	static const struct {
		int ub;
		uint64_t decomposed;
	} known[] = { { 3560, 42 }, { 3590, 405 }, { 3620, 8042 } };

	(void)state;
	for (int i = 0; i < 3 - SANITIZED; i++) {
		struct ivm_request q = { .common = { .flowshop = &g,
						     .ub = known[i].ub,
						     .bound = FSP_LB1,
						     .branching = FSP_MINBRANCH } };
		struct ivm_outcome o = searched(&q);

		assert_int_equal(o.common.decomposed, known[i].decomposed);
		ivm_outcome_free(&o);
	}
	if (!SANITIZED) {
		struct ivm_outcome o = searched(&r);

		assert_int_equal(o.common.decomposed, 2415779);
		assert_int_equal(o.common.best, 2178);
		assert_int_equal(o.common.lower_bound, 2178);
		assert_null(o.common.order);
		ivm_outcome_free(&o);
	}
	flowshop_free(&f);
	flowshop_free(&g);
}

static void flowshop_optima_match_brute_force(void **state)
{
	(void)state;
	for (int seed = 1; seed <= 12; seed++) {
		struct flowshop f =
			random_flowshop(1 + seed % 8, 1 + seed * 5 % 9, seed % 3 ? 99 : 3, seed);
		int64_t optimum;

		assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, NULL), 0);
		for (int b = 0; b < 6; b++) {
			struct ivm_request r = { .common = { .flowshop = &f,
							     .ub = SEARCH_NO_UB,
							     .bound = b % 2 ? FSP_LB2 : FSP_LB1,
							     .branching = (enum fsp_branching)(
								     b / 2) } };
			struct ivm_outcome o = searched(&r);

			assert_int_equal(o.common.best, optimum);
			assert_int_equal(o.common.lower_bound, optimum);
			assert_int_equal(flowshop_makespan(&f, o.common.order), optimum);
			ivm_outcome_free(&o);
		}
		flowshop_free(&f);
	}
}

static void atsp_optima_match_held_karp(void **state)
{
	(void)state;
	for (int seed = 1; seed <= (SANITIZED ? 9 : 11); seed++) {
		char name[64];
		int64_t optimum, tour[16];

		snprintf(name, sizeof(name), "random:%d:%d:%d", 1 + seed, seed % 3 ? 99 : 3, seed);
		struct atsp a = loaded_atsp(name);

		assert_int_equal(atsp_held_karp(&a, NULL, &optimum, tour, NULL), 0);
		struct ivm_request r = { .common = { .atsp = &a, .ub = SEARCH_NO_UB } };
		struct ivm_outcome o = searched(&r);

		assert_int_equal(o.common.best, optimum);
		assert_int_equal(o.common.lower_bound, optimum);
		assert_int_equal(atsp_tour_cost(&a, o.common.order), optimum);
		ivm_outcome_free(&o);
		r.common.ub =
			optimum; /* tours of equal cost are kept, so every optimal tour is a leaf */
		r.common.start = tour;
		o = searched(&r);
		assert_true(o.common.leaves > 0);
		assert_int_equal(atsp_tour_cost(&a, o.common.order), optimum);
		ivm_outcome_free(&o);
		r.common.ub = optimum - 1;
		r.common.start = NULL;
		if (optimum > 0) {
			o = searched(&r);
			assert_int_equal(o.common.leaves, 0);
			assert_int_equal(o.common.best, optimum - 1);
			assert_null(o.common.order);
			ivm_outcome_free(&o);
		}
		atsp_free(&a);
	}
}

/* ---- checkpoints ---- */

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* Repeats runs of some milliseconds, each from the file of the previous one, until one is complete.
 */
static int in_pieces(struct ivm_request *r, double seconds, struct ivm_outcome *o)
{
	struct checkpoint_plan plan = { .write = path_of("c") };
	int runs = 0, status;

	r->common.checkpoint = &plan;
	r->common.time_limit = seconds;
	do {
		struct err e = { 0 };

		status = ivm_search(SOLVE_SERIAL, r, o, &e);
		if (status && status != ERR_LIMIT)
			fail_msg("%s", e.text);
		if (status) {
			assert_false(o->common.complete);
			assert_true(o->common.lower_bound <= o->common.best);
			ivm_outcome_free(o);
		}
		plan.resume = plan.write;
		runs++;
	} while (status && runs < 10000);
	r->common.checkpoint = NULL;
	r->common.time_limit = 0;
	return runs;
}

static void same_outcome(const struct ivm_outcome *a, const struct ivm_outcome *b)
{
	assert_true(a->common.complete);
	assert_int_equal(a->common.decomposed, b->common.decomposed);
	assert_int_equal(a->common.leaves, b->common.leaves);
	assert_int_equal(a->common.solutions, b->common.solutions);
	assert_int_equal(a->common.best, b->common.best);
}

static void interrupted_searches_count_the_same(void **state)
{
	struct atsp a = loaded_atsp(SANITIZED ? "random:14:4:5" : "random:16:6:4");
	struct flowshop f = random_flowshop(SANITIZED ? 11 : 14, 5, 99, 3);
	struct ivm_request r[] = {
		{ .common = { .queens = SANITIZED ? 10 : 13, .half_board = true } },
		{ .common = { .atsp = &a } },
		{ .common = { .flowshop = &f, .ub = SEARCH_NO_UB, .branching = FSP_MINBRANCH } },
	};
	int runs = 0;

	(void)state;
	assert_int_equal(atsp_held_karp(&a, NULL, &r[1].common.ub, NULL, NULL), 0);
	for (int i = 0; i < 3; i++) {
		struct ivm_outcome all = searched(&r[i]), pieces;

		runs += in_pieces(&r[i], 0.3 * all.common.seconds_total, &pieces);
		same_outcome(&pieces, &all);
		if (pieces.common.order && r[i].common.flowshop)
			assert_int_equal(flowshop_makespan(&f, pieces.common.order),
					 pieces.common.best);
		ivm_outcome_free(&all);
		ivm_outcome_free(&pieces);
	}
	assert_true(runs > 3);
	flowshop_free(&f);
	atsp_free(&a);
}

/* A file of nodes, which another search writes. */
static void serial_search_resumes_from_nodes(void **state)
{
	struct flowshop f = random_flowshop(9, 5, 99, 11);
	struct checkpoint_plan plan = { .resume = path_of("nodes") };
	struct ivm_request r = { .common = { .flowshop = &f,
					     .ub = SEARCH_NO_UB,
					     .bound = FSP_LB1,
					     .branching = FSP_MAXSUM } };
	struct ivm_outcome o = searched(&r), all;
	struct checkpoint c = { .form = CHECKPOINT_INTERVALS, .count = 1 };
	struct ivm_problem p;

	(void)state;
	r.common.ub = o.common.best;
	r.common.start = o.common.order;
	all = searched(&r);
	assert_int_equal(ivm_problem_make(&p, &r.common, NULL), 0);
	c.work = malloc(18 * sizeof(*c.work));
	assert_non_null(c.work);
	ivm_problem_interval(&p, c.work, c.work + 9);
	c.best = o.common.best;
	assert_int_equal(ivm_cover_convert(&c, &p, CHECKPOINT_NODES, NULL, NULL), 0);
	c.best = r.common.ub;
	checkpoint_key_of(&r.common, r.common.ub, &c.key);
	assert_int_equal(checkpoint_write(&c, plan.resume, NULL), 0);
	r.common.checkpoint = &plan;
	struct ivm_outcome resumed = searched(&r);

	same_outcome(&resumed, &all);
	assert_int_equal(flowshop_makespan(&f, resumed.common.order), all.common.best);
	ivm_problem_free(&p);
	checkpoint_free(&c);
	ivm_outcome_free(&resumed);
	ivm_outcome_free(&all);
	ivm_outcome_free(&o);
	flowshop_free(&f);
}

static void another_search_is_not_resumed(void **state)
{
	struct checkpoint_plan plan = { .write = path_of("q8") };
	struct ivm_request r = { .common = {
					 .queens = 8, .half_board = true, .checkpoint = &plan } };
	struct ivm_outcome o = searched(&r);
	struct err e = { 0 };

	(void)state;
	ivm_outcome_free(&o);
	plan.resume = plan.write;
	o = searched(
		&r); /* resumes from a complete search: no work is left, and all counts are kept */
	assert_int_equal(o.common.decomposed, 982);
	assert_int_equal(o.common.solutions, 92);
	ivm_outcome_free(&o);
	r.common.queens = 9;
	assert_int_equal(ivm_search(SOLVE_SERIAL, &r, &o, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "q8: the checkpoint has 8 items, not 9"));
	ivm_outcome_free(&o);
	plan.resume = path_of("none");
	assert_int_equal(ivm_search(SOLVE_SERIAL, &r, &o, &e), ERR_INPUT);
	ivm_outcome_free(&o);
	r.common.checkpoint = NULL;
	r.common.queens = 33;
	assert_int_equal(ivm_search(SOLVE_SERIAL, &r, &o, &e), ERR_UNSUPPORTED);
	ivm_outcome_free(&o);
}

static void a_signal_stops_the_search_at_once(void **state)
{
	static const volatile sig_atomic_t stop = 1;
	struct flowshop f = loaded_flowshop("ta056");
	struct ivm_request r = { .common = { .flowshop = &f,
					     .ub = 3600,
					     .stop = &stop,
					     .bound = FSP_LB1,
					     .branching = FSP_MINBRANCH } };
	struct ivm_outcome o;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(ivm_search(SOLVE_SERIAL, &r, &o, &e), ERR_LIMIT);
	assert_non_null(strstr(e.text, "a signal"));
	assert_false(o.common.complete);
	assert_int_equal(o.common.decomposed, 0);
	assert_in_range(o.common.lower_bound, 3000, 3600);
	assert_null(o.common.order);
	ivm_outcome_free(&o);
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_boards_match_published_counts),
		cmocka_unit_test(flowshop_trees_match_published_counts),
		cmocka_unit_test(flowshop_optima_match_brute_force),
		cmocka_unit_test(atsp_optima_match_held_karp),
		cmocka_unit_test(interrupted_searches_count_the_same),
		cmocka_unit_test(serial_search_resumes_from_nodes),
		cmocka_unit_test(another_search_is_not_resumed),
		cmocka_unit_test(a_signal_stops_the_search_at_once),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
