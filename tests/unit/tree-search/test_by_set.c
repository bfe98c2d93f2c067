/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The search by job set on simulated devices: node counts against a plain recursion with its own
 * bound, optima against all permutations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/helbecque-pool/pool_search.h"
#include "tests/unit/tree-search/plain_bounds.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/tree-search/sets_runs.h"
#include "algorithms/tree-search/flowshop/fsp_greedy.h"

enum { JOBS = 12, MACHINES = 20 };

/* ---- the plain counter ---- */

struct counter {
	const struct flowshop *f;
	int64_t ub;
	struct tree_size size;
};

/* The bound, or some value that is at least `enough`. */
static int64_t bound_of(const struct flowshop *f, unsigned left, const int64_t *front,
			const int64_t *tail, int64_t enough)
{
	int64_t bound = 0;

	if (!left)
		return front[f->machines - 1];
	for (int u = 0; u < f->machines; u++) {
		int64_t work = front[u] + tail[u];

		for (int j = 0; j < f->jobs; j++)
			work += left >> j & 1 ? time_of(f, j, u) : 0;
		bound = work > bound ? work : bound;
		for (int v = u + 1; v < f->machines && bound < enough; v++) {
			int64_t x = bound_of_pair(f, left, front, tail, u, v);

			bound = x > bound ? x : bound;
		}
	}
	return bound;
}

static void count(struct counter *c, unsigned left, const int64_t *front, const int64_t *tail)
{
	int64_t next[MACHINES];

	for (int j = 0; j < c->f->jobs; j++) {
		unsigned rest = left & ~(1u << j);

		if (rest == left)
			continue;
		for (int k = 0; k < c->f->machines; k++) {
			int64_t ready = k > 0 && next[k - 1] > front[k] ? next[k - 1] : front[k];

			next[k] = ready + time_of(c->f, j, k);
		}
		c->size.evaluated++;
		if (bound_of(c->f, rest, next, tail, c->ub) >= c->ub)
			continue;
		if (!rest) {
			c->size.leaves++;
			continue;
		}
		c->size.decomposed++;
		count(c, rest, next, tail);
	}
}

static struct counter counted(const struct flowshop *f, int64_t ub)
{
	struct counter c = { .f = f, .ub = ub, .size.decomposed = 1 }; /* the root */
	int64_t front[MACHINES] = { 0 }, tail[MACHINES];

	for (int k = 0; k < f->machines; k++) {
		tail[k] = INT64_MAX;
		for (int j = 0; j < f->jobs; j++) {
			int64_t after = lag_of(f, j, k, f->machines);

			tail[k] = after < tail[k] ? after : tail[k];
		}
	}
	count(&c, (1u << f->jobs) - 1, front, tail);
	return c;
}

/* ---- searches ---- */

static struct search_request request_of(const struct flowshop *f, const struct dev_set *set,
					int64_t ub)
{
	return (struct search_request){
		.flowshop = f, .bound = FSP_LB2, .branching = FSP_FORWARD, .ub = ub, .devices = set
	};
}

/* An instance whose tree from the optimum has 12,143 nodes, or 3,103 under ThreadSanitizer. */
enum { OPTIMUM = UNDER_TSAN ? 1155 : 1299, NODES = UNDER_TSAN ? 3000 : 10000 };

static struct flowshop eleven_jobs(void)
{
	return UNDER_TSAN ? random_flowshop(11, 10, 99, 9) : random_flowshop(11, 12, 99, 3);
}

/* ---- tests ---- */

static void counts_match_a_plain_counter_at_the_optimum(void **state)
{
	static const struct {
		int jobs, machines, most;
	} shape[] = { { 2, 1, 9 },  { 4, 2, 9 },   { 5, 8, 99 }, { 6, 3, 5 }, { 7, 4, 30 },
		      { 8, 5, 99 }, { 8, 20, 99 }, { 9, 6, 20 }, { 9, 7, 99 } };
	struct dev_set set;

	(void)state;
	for (int seed = 1; seed <= (UNDER_TSAN ? 1 : 3); seed++) {
		open_devices(&set, 1, seed == 2 ? "reverse" : "random", seed);
		for (size_t i = 0; i < sizeof(shape) / sizeof(*shape); i += UNDER_TSAN ? 2 : 1) {
			struct flowshop f = random_flowshop(shape[i].jobs, shape[i].machines,
							    shape[i].most, seed);
			int64_t optimum;
			struct err e = { 0 };

			assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
			struct search_request r = request_of(&f, &set, optimum);
			struct counter c = counted(&f, optimum);

			assert_true(forward_sets_takes(&r));
			expect_tree(forward_sets, &r, &c.size);
			r.ub = SEARCH_NO_UB;
			expect_optimum(forward_sets, &r, optimum);
			flowshop_free(&f);
		}
		dev_set_close(&set);
	}
}

/* One above the optimum; and times that do not fit 12 bits, for rows of 16 bits. */
static void the_optimum_is_found_from_bounds_above_it(void **state)
{
	struct dev_set set;

	(void)state;
	open_devices(&set, 1, "random", 5);
	for (int wide = 0; wide < 2; wide++) {
		struct flowshop f = random_flowshop(8, 6, wide ? 900 : 50, 11);
		struct err e = { 0 };
		int64_t optimum;

		assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
		assert_true(wide == (optimum > 4096));
		struct counter c = counted(&f, optimum + 1 - wide);
		struct search_request r = request_of(&f, &set, optimum + 1 - wide);
		struct search_outcome o;

		if (wide) {
			expect_tree(forward_sets, &r, &c.size);
			r.ub = optimum + 40;
		}
		assert_int_equal(forward_sets(&r, &o, &e), 0);
		assert_int_equal(o.best, optimum);
		assert_int_equal(flowshop_makespan(&f, o.order), optimum);
		assert_true(wide || o.decomposed <= c.size.decomposed);
		search_outcome_free(&o);
		flowshop_free(&f);
	}
	dev_set_close(&set);
}

/* As little memory as a search can have. */
static void counts_match_in_little_memory(void **state)
{
	static const int64_t rows[] = { 38, 60, 200, 5000 };
	struct flowshop f = random_flowshop(8, 4, 99, 21);
	struct dev_set set;
	int64_t optimum;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
	open_devices(&set, 1, "random", 3);
	struct counter c = counted(&f, optimum);
	struct search_request r = request_of(&f, &set, optimum);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		r.memory = 52 * rows[i];
		expect_tree(forward_sets, &r, &c.size);
	}
	r.ub = SEARCH_NO_UB;
	r.memory = 52 * 50;
	expect_optimum(forward_sets, &r, optimum);
	r.memory = 52 * 30;
	struct search_outcome o;
	assert_int_equal(forward_sets(&r, &o, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "bytes"));
	search_outcome_free(&o);
	dev_set_close(&set);
	flowshop_free(&f);
}

/* Levels that outgrow their share of the memory are searched in several slices, each as large as
 * the memory allows, or cut beforehand if memory is scarce. */
static void counts_match_with_many_slices(void **state)
{
	static const int64_t rows[] = { 40000, 8000, 4000, 1000, 200 };
	struct flowshop f = eleven_jobs();
	struct dev_set set;
	struct search_outcome o;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 1, "random", 9);
	struct search_request r = request_of(&f, &set, SEARCH_NO_UB);

	assert_int_equal(forward_sets(&r, &o, &e), 0);
	assert_int_equal(flowshop_makespan(&f, o.order), o.best);
	r.ub = o.best;
	search_outcome_free(&o);
	struct counter c = counted(&f, r.ub);

	assert_int_equal(c.size.leaves, 0);
	assert_true(c.size.decomposed > NODES);
	for (size_t i = UNDER_TSAN ? 3 : 0; i < sizeof(rows) / sizeof(*rows); i++) {
		r.memory = 52 * rows[i] / (UNDER_TSAN ? 2 : 1);
		expect_tree(forward_sets, &r, &c.size);
	}
	dev_set_close(&set);
	flowshop_free(&f);
}

static void several_devices_share_the_tree(void **state)
{
	struct flowshop f = random_flowshop(10, 6, 99, 4);
	int64_t optimum;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
	struct counter c = counted(&f, optimum);
	for (int count = UNDER_TSAN ? 3 : 2; count <= 3; count++) {
		struct dev_set set;

		open_devices(&set, count, "random", count);
		struct search_request r = request_of(&f, &set, optimum);

		expect_on_several(forward_sets, r, &c.size, 52 * 400);
		dev_set_close(&set);
	}
	flowshop_free(&f);
}

/* Nodes that move between devices are counted once. */
static void stealing_keeps_counts_and_can_be_turned_off(void **state)
{
	struct flowshop f = eleven_jobs();
	struct dev_set set;
	struct search_outcome o;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 3, "random", 7);
	struct search_request r = request_of(&f, &set, OPTIMUM);
	struct counter c = counted(&f, r.ub);

	expect_tree(forward_sets, &r, &c.size);
	expect_stealing(forward_sets, &r, 3, &c.size);
	r.no_stealing = true;
	assert_int_equal(forward_sets(&r, &o, &e), 0);
	assert_int_equal(o.decomposed, c.size.decomposed);
	assert_int_equal(o.steals_tried, 0);
	search_outcome_free(&o);
	r.no_stealing = false;
	r.ub = SEARCH_NO_UB;
	for (int i = 0; i < (UNDER_TSAN ? 1 : 3); i++)
		expect_optimum(forward_sets, &r, OPTIMUM);
	dev_set_close(&set);
	flowshop_free(&f);
}

static void every_form_gives_the_same_counts(void **state)
{
	struct flowshop f = random_flowshop(10, 6, 99, 4);
	int64_t optimum;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
	struct counter c = counted(&f, optimum);
	for (int count = 1; count <= 2; count++) {
		struct dev_set set;

		open_devices(&set, count, "random", count);
		expect_in_all_forms(forward_sets, request_of(&f, &set, optimum), &c.size);
		dev_set_close(&set);
	}
	flowshop_free(&f);
}

/* The caller decides where a search starts: without ub it runs no heuristic. */
static void without_a_bound_no_heuristic_is_run(void **state)
{
	struct flowshop f = random_flowshop(9, 5, 99, 2);
	struct search_outcome from_neh, from_nothing;
	struct dev_set set;
	int64_t order[9];
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 1, "order", 1);
	struct search_request r = request_of(&f, &set, fsp_neh(&f, order, &e));

	assert_int_equal(forward_sets(&r, &from_neh, &e), 0);
	r.ub = SEARCH_NO_UB;
	assert_int_equal(forward_sets(&r, &from_nothing, &e), 0);
	assert_true(from_nothing.explored > from_neh.explored);
	assert_int_equal(from_nothing.best, from_neh.best);
	assert_int_equal(flowshop_makespan(&f, from_nothing.order), from_nothing.best);
	search_outcome_free(&from_neh);
	search_outcome_free(&from_nothing);
	dev_set_close(&set);
	flowshop_free(&f);
}

static void stopped_searches_return_their_best(void **state)
{
	struct flowshop f = random_flowshop(11, 8, 99, 2);
	struct dev_set set;

	(void)state;
	open_devices(&set, 1, "random", 1);
	expect_stopped(forward_sets, request_of(&f, &set, SEARCH_NO_UB));
	dev_set_close(&set);
	flowshop_free(&f);
}

static void only_suitable_requests_are_taken(void **state)
{
	struct flowshop f = random_flowshop(8, 5, 99, 1);
	struct search_request r = request_of(&f, NULL, SEARCH_NO_UB);

	(void)state;
	assert_true(forward_sets_takes(&r));
	expect_not_taken(forward_sets_takes, r, 27);
	r.bound = FSP_LB1;
	assert_false(forward_sets_takes(&r));
	r.bound = FSP_LB2;
	r.branching = FSP_MINBRANCH;
	assert_false(forward_sets_takes(&r));
	flowshop_free(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_match_a_plain_counter_at_the_optimum),
		cmocka_unit_test(the_optimum_is_found_from_bounds_above_it),
		cmocka_unit_test(counts_match_in_little_memory),
		cmocka_unit_test(counts_match_with_many_slices),
		cmocka_unit_test(several_devices_share_the_tree),
		cmocka_unit_test(stealing_keeps_counts_and_can_be_turned_off),
		cmocka_unit_test(every_form_gives_the_same_counts),
		cmocka_unit_test(without_a_bound_no_heuristic_is_run),
		cmocka_unit_test(stopped_searches_return_their_best),
		cmocka_unit_test(only_suitable_requests_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
