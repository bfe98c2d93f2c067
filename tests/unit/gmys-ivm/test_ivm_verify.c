/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The checks of an outcome of gmys-ivm, and the known values behind them: half boards, ATSP trees,
 * heuristic tours. Every kind of wrong answer must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algorithms/tree-search/search_target.h"
#include "algorithms/tree-search/atsp/atsp_start.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/flowshop/fsp_verify.h"
#include "algorithms/tree-search/labels.h"
#include "kernels/tree-search/queens.h"
#include "algorithms/tree-search/nqueens/queens_verify.h"
#include "datasets/atsp/atsp.h"
#include "tests/unit/tree-search/verified_outcomes.h"

enum { CITIES_MAX = 24, COUNTED_QUEENS = 12 };

/* ---- N-Queens ---- */

static void wrong_counts_of_queens_are_refused(void **state)
{
	struct search_request r = { .queens = 8, .half_board = true };
	struct search_outcome right = { .complete = true, .solutions = 92, .decomposed = 982 }, o;

	(void)state;
	assert_outcome_accepted(search_verify, &r, &right, true);
	o = right;
	o.solutions = 93;
	assert_outcome_rejected(search_verify, &r, &o);
	o = right;
	o.decomposed = 983;
	assert_outcome_rejected(search_verify, &r, &o);
	o.complete = false;
	assert_outcome_accepted(search_verify, &r, &o, false);
	o.solutions = 93;
	assert_outcome_rejected(search_verify, &r, &o);
}

struct count {
	uint64_t nodes, solutions;
};

/* Counts all boards as permutations. */
static void place(uint8_t *board, int n, int depth, int columns, struct count *c)
{
	for (int j = depth; j < n; j++) {
		uint8_t column = board[j];

		if ((depth == 0 && column >= columns) || !queens_safe(board, depth, column))
			continue;
		if (depth == n - 1) {
			c->solutions += n % 2 && board[0] == n / 2 ? 1 : 2;
			continue;
		}
		c->nodes++;
		board[j] = board[depth];
		board[depth] = column;
		place(board, n, depth + 1, columns, c);
		board[depth] = board[j];
		board[j] = column;
	}
}

static void known_half_boards_match_a_plain_count(void **state)
{
	(void)state;
	for (int n = 2; n <= COUNTED_QUEENS; n++) {
		const struct queens_known *k = queens_known(n);
		uint8_t board[COUNTED_QUEENS];
		struct count c = { 0, 0 };

		for (int i = 0; i < n; i++)
			board[i] = (uint8_t)i;
		place(board, n, 0, (n + 1) / 2, &c);
		assert_int_equal(c.nodes, k->half);
		assert_int_equal(c.solutions, k->solutions);
	}
	assert_int_equal(queens_known(15)->half, 90634737); /* Table 2: 91, 563, 4,224 million */
	assert_int_equal(queens_known(16)->half, 563208895);
	assert_int_equal(queens_known(17)->half, 4224112370);
}

/* ---- ATSP ---- */

struct tour {
	struct atsp a;
	int64_t optimum, order[CITIES_MAX];
};

static void load(struct tour *t, const char *name)
{
	struct err e;

	assert_int_equal(atsp_load(&t->a, name, &e), 0);
	assert_true(t->a.cities <= CITIES_MAX);
	if (t->a.cities <= ATSP_HELD_KARP_MAX)
		assert_int_equal(atsp_held_karp(&t->a, NULL, &t->optimum, t->order, &e), 0);
}

static void wrong_tours_are_refused(void **state)
{
	struct tour t;
	struct search_request r = { .atsp = &t.a };
	struct search_outcome right, o;
	int64_t city;

	(void)state;
	load(&t, "random:8:50:3");
	r.ub = t.optimum + 5;
	right = (struct search_outcome){ .complete = true,
					 .best = t.optimum,
					 .lower_bound = t.optimum,
					 .order = t.order,
					 .leaves = 1 };
	assert_outcome_accepted(search_verify, &r, &right, true);
	o = right;
	o.best--;
	assert_outcome_rejected(search_verify, &r, &o);
	o = right;
	o.lower_bound--;
	assert_outcome_rejected(search_verify, &r, &o);
	o = right;
	r.ub = t.optimum - 1;
	assert_outcome_rejected(search_verify, &r, &o);
	/* finding nothing below a bound that is too low is right, but not verified */
	o = (struct search_outcome){ .complete = true, .best = r.ub, .lower_bound = r.ub };
	assert_outcome_accepted(search_verify, &r, &o, false);
	o.leaves = 1;
	assert_outcome_rejected(search_verify, &r, &o);
	r.ub = t.optimum;
	o.best = o.lower_bound = t.optimum; /* tours were counted, but none was kept */
	assert_outcome_accepted(search_verify, &r, &o, false);
	o.leaves = 0; /* there is one */
	assert_outcome_rejected(search_verify, &r, &o);
	r.checkpoint = &(struct checkpoint_plan){ .resume = "state" };
	assert_outcome_rejected(search_verify, &r, &o);
	o.leaves = 1; /* found by a previous run from a larger bound */
	assert_outcome_accepted(search_verify, &r, &o, false);
	o.best = --o.lower_bound;
	assert_outcome_accepted(search_verify, &r, &o, false);
	o.best = o.lower_bound = r.ub = t.optimum + 1;
	assert_outcome_rejected(search_verify, &r, &o);
	r.checkpoint = NULL;
	/* not the optimum, although the tour has the stated cost */
	city = t.order[1];
	t.order[1] = t.order[2];
	t.order[2] = city;
	r.ub = SEARCH_NO_UB;
	o = right;
	o.best = o.lower_bound = atsp_tour_cost(&t.a, t.order);
	assert_true(o.best > t.optimum);
	assert_outcome_rejected(search_verify, &r, &o);
	o.complete = false;
	assert_outcome_accepted(search_verify, &r, &o, true);
	t.order[1] = 0; /* no permutation */
	assert_outcome_rejected(search_verify, &r, &o);
	atsp_free(&t.a);
}

static uint64_t paths_within(const struct tour *t, int last, uint32_t visited, int64_t cost)
{
	uint64_t count = 1;
	int n = t->a.cities;

	if (visited == (UINT32_C(1) << n) - 1)
		return 0;
	for (int to = 1; to < n; to++) {
		int64_t next = cost + t->a.cost[last * n + to];

		if (!(visited >> to & 1) && next <= t->optimum)
			count += paths_within(t, to, visited | UINT32_C(1) << to, next);
	}
	return count;
}

static void known_atsp_trees_match_a_plain_count(void **state)
{
	static const char *const labels[] = { "crane8", "tsmat8", "tsmat13", "crane14" };

	(void)state;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		struct tour t;
		struct err e;

		assert_int_equal(label_atsp(&t.a, labels[i], &e), 0);
		assert_int_equal(atsp_held_karp(&t.a, NULL, &t.optimum, NULL, &e), 0);
		assert_int_equal(paths_within(&t, 0, 1, 0), label_atsp_tree(labels[i]));
		atsp_free(&t.a);
	}
	assert_int_equal(label_atsp_tree("crane9"), 0);
}

static void atsp_root_bound_is_below_all_tours(void **state)
{
	static const char *const names[] = { "crane:2:1", "crane:12:4", "tsmat:10:2",
					     "random:9:50:1" };
	const int32_t three[] = { 0, 5, 7, 4, 0, 6, 3, 2, 0 };

	(void)state;
	assert_int_equal(atsp_root_bound(three, 3), 5 + 4 + 2);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tour t;

		load(&t, names[i]);
		assert_in_range(atsp_root_bound(t.a.cost, t.a.cities), 1, t.optimum);
		atsp_free(&t.a);
	}
}

static void heuristic_tours_are_valid(void **state)
{
	static const char *const names[] = { "crane:2:1",  "crane:3:1",       "crane:20:4",
					     "tsmat:18:2", "random:12:100:1", "random:24:7:9" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tour t;
		struct err e;
		int64_t order[CITIES_MAX], cost = 0;

		load(&t, names[i]);
		assert_int_equal(atsp_start(&t.a, NULL, order, &cost, &e), 0);
		assert_int_equal(order[0], 0);
		assert_int_equal(atsp_tour_cost(&t.a, order), cost);
		if (t.a.cities <= ATSP_HELD_KARP_MAX) {
			assert_true(cost >= t.optimum);
			assert_true(cost <= t.optimum + t.optimum / 10 + 10); /* no bad one */
		}
		atsp_free(&t.a);
	}
}

static void a_heuristic_tour_can_be_interrupted(void **state)
{
	const volatile sig_atomic_t stop = 1;
	const struct search_request stopped = { .stop = &stop }, late = { .time_limit = 1e-9 };
	const struct interrupt ends[] = { interrupt_from(&stopped), interrupt_from(&late) };
	struct tour t;
	struct err e;
	int64_t order[CITIES_MAX], cost, better;

	(void)state;
	load(&t, "random:24:1000:9");
	assert_int_equal(atsp_start(&t.a, NULL, order, &better, &e), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(atsp_start(&t.a, &ends[i], order, &cost, &e), 0);
		assert_int_equal(atsp_tour_cost(&t.a, order), cost);
		assert_true(cost > better);
	}
	atsp_free(&t.a);
}

/* ---- flowshop ---- */

static void wrong_counts_of_a_published_tree_are_refused(void **state)
{
	struct flowshop f;
	struct err e;
	struct search_request r = {
		.flowshop = &f, .bound = FSP_LB2, .branching = FSP_MAXSUM, .ub = 2178
	};
	struct search_outcome right = { .complete = true,
					.best = 2178,
					.lower_bound = 2178,
					.decomposed = 1648102 },
			      o;
	struct checkpoint_plan plan = { .resume = "state", .first_ub = 2178 };

	(void)state;
	assert_int_equal(flowshop_load(&f, "ta030", &e), 0);
	assert_outcome_accepted(search_verify, &r, &right, true);
	o = right;
	o.decomposed++;
	assert_outcome_rejected(search_verify, &r, &o);
	r.checkpoint = &plan;
	assert_outcome_rejected(search_verify, &r, &o);
	plan.first_ub = 2250; /* the previous runs decomposed more nodes */
	assert_outcome_accepted(search_verify, &r, &o, false);
	plan.first_ub = 0;
	o.best = o.lower_bound = 2000; /* a lower bound that one of the previous runs was given */
	assert_outcome_accepted(search_verify, &r, &o, false);
	o.best = o.lower_bound = r.ub = 2179; /* a better schedule exists */
	assert_outcome_rejected(search_verify, &r, &o);
	r.ub = 2178;
	r.checkpoint = NULL;
	o.best = o.lower_bound = 2000;
	assert_outcome_rejected(search_verify, &r, &o);
	o = right;
	o.explored = 1648101;
	assert_outcome_accepted(search_verify, &r, &o, true);
	o.explored++;
	assert_outcome_rejected(search_verify, &r, &o);
	o = (struct search_outcome){ .complete = true, .best = 2178, .lower_bound = 2178 };
	assert_outcome_rejected(search_verify, &r, &o); /* no counts */
	r.branching = FSP_MINBRANCH;
	assert_outcome_accepted(search_verify, &r, &right, false); /* of another tree */
	flowshop_free(&f);
}

static void known_trees_are_found_by_name_bound_and_branching(void **state)
{
	(void)state;
	assert_int_equal(fsp_tree_at_best("ta056", FSP_LB1, FSP_MINBRANCH)->decomposed,
			 173314864804);
	assert_int_equal(fsp_tree("ta056", FSP_LB1, FSP_MINBRANCH, 3560)->decomposed, 42);
	assert_null(fsp_tree("ta056", FSP_LB1, FSP_MINBRANCH, 3561));
	assert_null(fsp_tree_at_best("ta056", FSP_LB2, FSP_MAXSUM));
	assert_null(fsp_tree_at_best("no such", FSP_LB2, FSP_MAXSUM));
}

static void labels_name_their_problem(void **state)
{
	struct flowshop f;
	struct err e;
	int64_t optimum;

	(void)state;
	assert_int_equal(label_queens("15Q"), 15);
	assert_int_equal(label_queens("15Qx"), 0);
	assert_int_equal(label_queens("r9x5"), 0);
	assert_true(label_is_random("r9x5") && !label_is_random("ta029") &&
		    !label_is_random("r9x5y"));
	assert_true(label_is_atsp("crane15") && label_is_atsp("tsmat14") && !label_is_atsp("15Q"));
	assert_int_equal(label_flowshop(&f, "r9x5", &e), 0);
	assert_true(f.jobs == 9 && f.machines == 5);
	assert_int_equal(label_optimum(&f, "r9x5", &optimum, &e), 0);
	assert_int_equal(optimum, 653);
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_counts_of_queens_are_refused),
		cmocka_unit_test(known_half_boards_match_a_plain_count),
		cmocka_unit_test(wrong_tours_are_refused),
		cmocka_unit_test(known_atsp_trees_match_a_plain_count),
		cmocka_unit_test(atsp_root_bound_is_below_all_tours),
		cmocka_unit_test(heuristic_tours_are_valid),
		cmocka_unit_test(a_heuristic_tour_can_be_interrupted),
		cmocka_unit_test(wrong_counts_of_a_published_tree_are_refused),
		cmocka_unit_test(known_trees_are_found_by_name_bound_and_branching),
		cmocka_unit_test(labels_name_their_problem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
