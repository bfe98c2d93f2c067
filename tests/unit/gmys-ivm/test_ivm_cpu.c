/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The multi-core searches of half boards and ATSP against published counts, plain recursive
 * counters and the oracle; the dispatch of the variant cpu. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/atsp/atsp_cpu.h"
#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/nqueens/queens_cpu.h"
#include "kernels/tree-search/queens.h"
#include "tests/unit/tree-search/small_atsps.h"
#include "tests/unit/tree-search/small_searches.h"

/* ---- N-Queens ---- */

struct half {
	uint64_t decomposed, leaves;
};

static void plain_half(struct queens_masks q, int n, int depth, struct half *h)
{
	uint32_t full = queens_full(n);
	uint32_t children = queens_open_columns(q, depth ? full : queens_full((n + 1) / 2));

	for (; children; children &= children - 1) {
		if (depth + 1 == n) {
			h->leaves++;
			continue;
		}
		h->decomposed++;
		plain_half(queens_put(q, children & (0 - children)), n, depth + 1, h);
	}
}

static void check_queens(int n, int threads, uint64_t solutions, uint64_t decomposed)
{
	struct search_request r = { .queens = n, .threads = threads, .half_board = true };
	struct search_outcome o;
	struct err e;
	uint64_t sum = 0;

	assert_int_equal(queens_cpu_half(&r, &o, &e), 0);
	assert_true(o.complete);
	assert_int_equal(o.solutions, solutions);
	assert_int_equal(o.decomposed, decomposed);
	assert_int_equal(o.explored, o.decomposed + o.leaves);
	for (int w = 0; w < o.workers; w++)
		sum += o.worker_explored[w];
	assert_int_equal(sum, o.explored);
	search_outcome_free(&o);
}

static void half_boards_match_a_plain_count(void **state)
{
	static const uint64_t solutions[] = { 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200 };

	(void)state;
	for (int n = 1; n <= 12; n++) {
		struct half h = { 0, 0 };

		plain_half((struct queens_masks){ 0, 0, 0 }, n, 0, &h);
		for (int threads = 1; threads <= 3; threads++)
			check_queens(n, threads, solutions[n - 1], h.decomposed);
	}
}

static void half_boards_match_published_counts(void **state)
{
	(void)state;
	if (SANITIZED)
		return;
	check_queens(15, 2, 2279184, 90634737);
	check_queens(16, 2, 14772512, 563208895);
	check_queens(17, 2, 95815104, UINT64_C(4224112370));
}

static void a_stopped_half_board_is_reported_as_incomplete(void **state)
{
	struct search_request r = { .queens = 21, .threads = 2, .half_board = true };
	struct search_outcome o;
	struct err e;

	(void)state;
	stopped_by_time(queens_cpu_half, &r, &o, &e);
	assert_true(o.decomposed > 0 && o.explored == o.decomposed + o.leaves);
	r.queens = 27;
	assert_int_equal(queens_cpu_half(&r, &o, &e), ERR_UNSUPPORTED);
}

/* ---- ATSP ---- */

struct plain {
	const struct atsp *a;
	int64_t ub;
	uint64_t decomposed, leaves;
	bool visited[ATSP_MAX_CITIES];
};

/* A path of cost <= ub that ends at `last` with `left` > 0 cities left. */
static void plain_count(struct plain *p, int last, int left, int64_t cost)
{
	const struct atsp *a = p->a;

	p->decomposed++;
	for (int city = 1; city < a->cities; city++) {
		int64_t child = cost + a->cost[last * a->cities + city];

		if (p->visited[city] || child > p->ub)
			continue;
		if (left == 1) {
			p->leaves += child + a->cost[city * a->cities] <= p->ub;
			continue;
		}
		p->visited[city] = true;
		plain_count(p, city, left - 1, child);
		p->visited[city] = false;
	}
}

static struct search_outcome searched(const struct search_request *r)
{
	struct search_outcome o;
	struct err e;

	if (atsp_cpu(r, &o, &e))
		fail_msg("%s", e.text);
	assert_true(o.complete);
	assert_int_equal(o.lower_bound, o.best);
	if (o.order) {
		assert_int_equal(o.order[0], 0);
		assert_int_equal(atsp_tour_cost(r->atsp, o.order), o.best);
	}
	return o;
}

/* With the optimum as bound, the tree does not depend on the order of the search. */
static void check_tree(const struct atsp *a, int64_t ub, int threads, bool optimal)
{
	struct plain p = { .a = a, .ub = ub };
	struct search_request r = { .atsp = a, .ub = ub, .threads = threads };
	struct search_outcome o = searched(&r);
	uint64_t sum = 0;

	plain_count(&p, 0, a->cities - 1, 0);
	assert_int_equal(o.decomposed, p.decomposed);
	assert_int_equal(o.leaves, p.leaves);
	assert_int_equal(o.best, ub);
	assert_int_equal(o.order != NULL, optimal);
	assert_int_equal(p.leaves > 0, optimal);
	for (int w = 0; w < o.workers; w++)
		sum += o.worker_explored[w];
	assert_int_equal(sum, o.explored);
	assert_int_equal(o.explored + 1, o.decomposed);
	search_outcome_free(&o);
}

static void atsp_trees_match_a_plain_count(void **state)
{
	struct err e;

	(void)state;
	for (int t = 0; t < 48; t++) {
		struct atsp a = random_atsp(2 + t % 8, t % 3 ? 1000 : 3, t + 1);
		int64_t optimum;

		assert_int_equal(atsp_held_karp(&a, NULL, &optimum, NULL, &e), 0);
		check_tree(&a, optimum, 1 + t % 3, true);
		if (optimum)
			check_tree(&a, optimum - 1, 1 + t % 3, false);
		atsp_free(&a);
	}
}

static void generated_atsp_classes_match_a_plain_count(void **state)
{
	static const char *const names[] = { "crane:11:1", "crane:11:2", "tsmat:11:1",
					     "tsmat:11:2" };
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct atsp a = loaded_atsp(names[i]);
		int64_t optimum;

		assert_int_equal(atsp_held_karp(&a, NULL, &optimum, NULL, &e), 0);
		check_tree(&a, optimum, 2, true);
		atsp_free(&a);
	}
}

/* Every search finds the optimum, without a bound or with a loose one. */
static void atsp_optima_match_held_karp(void **state)
{
	struct err e;

	(void)state;
	for (int t = 0; t < 36; t++) {
		struct atsp a = random_atsp(2 + t % 9, t % 2 ? 1000 : 5, 100 + t);
		struct search_request r = { .atsp = &a,
					    .threads = 1 + t % 3,
					    .ub = SEARCH_NO_UB,
					    .private_incumbent = t % 4 == 3,
					    .no_stealing = t % 5 == 4 };
		int64_t optimum, start[10], cost;
		struct search_outcome o;

		assert_int_equal(atsp_held_karp(&a, NULL, &optimum, NULL, &e), 0);
		o = searched(&r);
		assert_int_equal(o.best, optimum);
		assert_non_null(o.order);
		search_outcome_free(&o);
		for (int i = 0; i < a.cities; i++)
			start[i] = i ? a.cities - i : 0;
		cost = atsp_tour_cost(&a, start);
		r.ub = INT64_C(1) << 40;
		o = searched(&r);
		assert_int_equal(o.best, optimum);
		assert_non_null(o.order);
		search_outcome_free(&o);
		r.start = start;
		r.ub = cost;
		o = searched(&r);
		assert_int_equal(o.best, optimum);
		assert_non_null(o.order);
		search_outcome_free(&o);
		atsp_free(&a);
	}
}

/* More cities than a vector has lanes: a cheap ring with a few short cuts; all other arcs are
 * expensive. */
static void large_atsp_instances_match_known_counts(void **state)
{
	static const int cities[] = { 17, 18, 19, 25, 40 };

	(void)state;
	for (size_t i = 0; i < sizeof(cities) / sizeof(cities[0]); i++) {
		int n = cities[i];
		struct atsp a = random_atsp(n, 1, (int)i + 1);
		struct search_request r = { .atsp = &a, .ub = SEARCH_NO_UB, .threads = 2 };
		struct search_outcome o;

		for (int from = 0; from < n; from++)
			for (int to = 0; to < n; to++) {
				int ahead = (to - from + n) % n;

				a.cost[from * n + to] += ahead == 1 ? 0 : ahead < 4 ? 2 : n;
			}
		o = searched(&r);
		assert_in_range(o.decomposed, 100, 10000000);
		check_tree(&a, o.best, 2, true);
		check_tree(&a, o.best - 1, 2, false);
		search_outcome_free(&o);
		atsp_free(&a);
	}
	for (int seed = 1; seed <= 3; seed++) { /* shallow trees, many children */
		struct atsp a = random_atsp(200 * seed - 100, 100000, seed);

		check_tree(&a, 900 / seed, 2, false);
		atsp_free(&a);
	}
}

static void a_stopped_atsp_keeps_its_tour(void **state)
{
	static const volatile sig_atomic_t raised = 1;
	struct atsp a = loaded_atsp("random:60:1000");
	struct search_request r = { .atsp = &a, .ub = SEARCH_NO_UB, .threads = 2 };
	struct search_outcome o;
	struct err e;

	(void)state;
	stopped_by_time(atsp_cpu, &r, &o, &e);
	assert_int_equal(atsp_tour_cost(&a, o.order), o.best);
	assert_true(o.lower_bound <= o.best && o.lower_bound > 0 && o.decomposed > 0);
	search_outcome_free(&o);
	r.stop = &raised;
	assert_int_equal(atsp_cpu(&r, &o, &e), ERR_LIMIT);
	search_outcome_free(&o);
	atsp_free(&a);
}

/* With this bound, all paths are pruned long before a subtree of the last cities is reached. */
static void a_search_without_subtrees_is_stopped(void **state)
{
	struct atsp a = loaded_atsp("crane:200:3");
	struct search_request r = { .atsp = &a, .ub = 11726402, .threads = 2 };
	struct search_outcome o;
	struct err e;

	(void)state;
	stopped_by_time(atsp_cpu, &r, &o, &e);
	assert_true(o.decomposed > 0);
	search_outcome_free(&o);
	atsp_free(&a);
}

/* ---- flowshop: LB2 looked up by set ---- */

static struct search_outcome flowshop_tree(const struct flowshop *f, int64_t ub, int threads,
					   enum fsp_branching branching, int64_t memory)
{
	struct search_request r = { .flowshop = f,
				    .ub = ub,
				    .threads = threads,
				    .bound = FSP_LB2,
				    .branching = branching,
				    .memory = memory };
	struct search_outcome o;
	struct err e;

	if (fsp_cpu(&r, &o, &e))
		fail_msg("%s", e.text);
	assert_true(o.complete);
	return o;
}

/* Without memory for rows, each bound is computed by a pass over the jobs. */
static void flowshop_trees_by_set_match_computed_bounds(void **state)
{
	static const int machines[] = { 1, 2, 3, 5, 10, 20, 31, 32, 33, 40 };

	(void)state;
	for (int t = 0; t < 40; t++) {
		int m = machines[t % 10], jobs = 1 + (t * 7) % 11;
		struct flowshop f = random_flowshop(jobs, m, t % 3 ? 99 : 5, t + 1);
		enum fsp_branching branching = t / 10 % 2 ? FSP_MINBRANCH : FSP_MAXSUM;
		struct search_outcome by_sets, by_jobs;
		int64_t ub;

		by_jobs = flowshop_tree(&f, 1000000, 1, branching, 1);
		ub = by_jobs.best;
		search_outcome_free(&by_jobs);
		by_jobs = flowshop_tree(&f, ub + t % 2, 1, branching, 1);
		by_sets = flowshop_tree(&f, ub + t % 2, t % 2 ? 1 : 1 + t % 3, branching, 0);
		assert_int_equal(by_sets.best, ub);
		assert_int_equal(by_sets.decomposed, by_jobs.decomposed);
		assert_int_equal(by_sets.explored, by_jobs.explored);
		assert_int_equal(by_sets.leaves, by_jobs.leaves);
		search_outcome_free(&by_jobs);
		search_outcome_free(&by_sets);
		flowshop_free(&f);
	}
}

static void flowshop_trees_by_set_match_the_published_count(void **state)
{
	struct flowshop f = loaded_flowshop("ta030");
	struct search_outcome o;

	(void)state;
	if (!SANITIZED) {
		o = flowshop_tree(&f, 2178, 2, FSP_MAXSUM, 0);
		assert_int_equal(o.decomposed, 1648102);
		search_outcome_free(&o);
	}
	flowshop_free(&f);
}

/* ---- the dispatch ---- */

static void variant_cpu_dispatches_all_problems(void **state)
{
	struct flowshop f = random_flowshop(8, 5, 20, 3);
	struct atsp a = random_atsp(8, 100, 3);
	struct checkpoint left = { .count = 0 };
	struct checkpoint_plan plan = { .left = &left };
	struct ivm_request r = { .common = { .threads = 2, .queens = 8, .half_board = true } };
	struct ivm_outcome o;
	struct err e;
	int64_t optimum;

	(void)state;
	assert_int_equal(ivm_search(SOLVE_CPU, &r, &o, &e), 0);
	assert_int_equal(o.common.solutions, 92);
	assert_int_equal(o.common.decomposed, 982);
	ivm_outcome_free(&o);
	r.common.checkpoint = &plan;
	assert_int_equal(queens_cpu(&r.common, &o.common, &e), ERR_UNSUPPORTED);
	assert_non_null(strstr(e.text, "does not support checkpoints"));
	r.common.checkpoint = NULL;
	r.common.ub = SEARCH_NO_UB;
	r.common.atsp = &a;
	assert_int_equal(atsp_held_karp(&a, NULL, &optimum, NULL, &e), 0);
	assert_int_equal(ivm_search(SOLVE_CPU, &r, &o, &e), 0);
	assert_int_equal(o.common.best, optimum);
	ivm_outcome_free(&o);
	r.common.atsp = NULL;
	r.common.flowshop = &f;
	r.common.ub = 100000;
	r.common.bound = FSP_LB2;
	r.common.branching = FSP_MAXSUM;
	assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
	assert_int_equal(ivm_search(SOLVE_CPU, &r, &o, &e), 0);
	assert_int_equal(o.common.best, optimum);
	ivm_outcome_free(&o);
	atsp_free(&a);
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_boards_match_a_plain_count),
		cmocka_unit_test(half_boards_match_published_counts),
		cmocka_unit_test(a_stopped_half_board_is_reported_as_incomplete),
		cmocka_unit_test(atsp_trees_match_a_plain_count),
		cmocka_unit_test(generated_atsp_classes_match_a_plain_count),
		cmocka_unit_test(atsp_optima_match_held_karp),
		cmocka_unit_test(large_atsp_instances_match_known_counts),
		cmocka_unit_test(a_stopped_atsp_keeps_its_tour),
		cmocka_unit_test(a_search_without_subtrees_is_stopped),
		cmocka_unit_test(flowshop_trees_by_set_match_computed_bounds),
		cmocka_unit_test(flowshop_trees_by_set_match_the_published_count),
		cmocka_unit_test(variant_cpu_dispatches_all_problems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
