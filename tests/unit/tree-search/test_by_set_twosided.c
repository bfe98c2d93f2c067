/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Two-sided branching by job sets on simulated devices: exact node counts against a plain recursion
 * with its own bound, optima against all permutations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/ivm_search.h"
#include "tests/unit/tree-search/plain_bounds.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/tree-search/sets_runs.h"

enum { JOBS = 12, MACHINES = 20, ROW_BYTES = 100 };

/* ---- the plain counter ---- */

struct counter {
	const struct flowshop *f;
	enum fsp_branching rule;
	int64_t ub;
	int64_t head[MACHINES], tail[MACHINES];
	struct tree_size size;
};

/* A node: jobs at both ends, in order. */
struct ends {
	int front[JOBS], back[JOBS]; /* back[0] is the last job of all */
	int fronts, backs;
	unsigned left;
};

/* Completion times of the jobs at the front, or at the back counted from the end. */
static void times_of(const struct counter *c, const struct ends *n, int64_t *front, int64_t *back)
{
	int m = c->f->machines;

	for (int k = 0; k < m; k++) {
		front[k] = n->fronts ? 0 : c->head[k];
		back[k] = n->backs ? 0 : c->tail[k];
	}
	for (int i = 0; i < n->fronts; i++)
		for (int k = 0; k < m; k++) {
			int64_t ready = k > 0 && front[k - 1] > front[k] ? front[k - 1] : front[k];

			front[k] = ready + time_of(c->f, n->front[i], k);
		}
	for (int i = 0; i < n->backs; i++)
		for (int k = m - 1; k >= 0; k--) {
			int64_t ready = k < m - 1 && back[k + 1] > back[k] ? back[k + 1] : back[k];

			back[k] = ready + time_of(c->f, n->back[i], k);
		}
}

static int64_t bound_of(const struct counter *c, const struct ends *n)
{
	int64_t front[MACHINES], back[MACHINES], bound = 0;

	times_of(c, n, front, back);
	for (int u = 0; u < c->f->machines; u++) {
		int64_t work = front[u] + back[u];

		for (int j = 0; j < c->f->jobs; j++)
			work += n->left >> j & 1 ? time_of(c->f, j, u) : 0;
		bound = work > bound ? work : bound;
		for (int v = u + 1; v < c->f->machines; v++) {
			int64_t x = bound_of_pair(c->f, n->left, front, back, u, v);

			bound = x > bound ? x : bound;
		}
	}
	return bound;
}

static struct ends child_of(const struct ends *n, int job, bool at_end)
{
	struct ends next = *n;

	if (at_end)
		next.back[next.backs++] = job;
	else
		next.front[next.fronts++] = job;
	next.left &= ~(1u << job);
	return next;
}

static void count(struct counter *c, const struct ends *n)
{
	int64_t bound[2][JOBS], sum[2] = { 0, 0 };
	int below[2] = { 0, 0 }, side;

	c->size.decomposed++;
	for (int j = 0; j < c->f->jobs; j++)
		for (int s = 0; s < 2 && (n->left >> j & 1); s++) {
			struct ends child = child_of(n, j, s);

			bound[s][j] = bound_of(c, &child);
			sum[s] += bound[s][j];
			below[s] += bound[s][j] < c->ub;
			c->size.evaluated++;
		}
	side = sum[0] <= sum[1];
	if (c->rule == FSP_MINBRANCH)
		side = below[0] != below[1] ? below[1] < below[0] : sum[0] < sum[1];
	for (int j = 0; j < c->f->jobs; j++) {
		if (!(n->left >> j & 1) || bound[side][j] >= c->ub)
			continue;
		struct ends child = child_of(n, j, side);

		if (child.left)
			count(c, &child);
		else
			c->size.leaves++;
	}
}

static struct counter counted(const struct flowshop *f, enum fsp_branching rule, int64_t ub)
{
	struct counter c = { .f = f, .rule = rule, .ub = ub };
	struct ends root = { .left = (1u << f->jobs) - 1 };

	for (int k = 0; k < f->machines; k++) {
		c.head[k] = c.tail[k] = INT64_MAX;
		for (int j = 0; j < f->jobs; j++) {
			int64_t before = lag_of(f, j, -1, k), after = lag_of(f, j, k, f->machines);

			c.head[k] = before < c.head[k] ? before : c.head[k];
			c.tail[k] = after < c.tail[k] ? after : c.tail[k];
		}
	}
	count(&c, &root);
	return c;
}

/* ---- searches ---- */

static struct search_request request_of(const struct flowshop *f, const struct dev_set *set,
					enum fsp_branching rule, int64_t ub)
{
	return (struct search_request){
		.flowshop = f, .bound = FSP_LB2, .branching = rule, .ub = ub, .devices = set
	};
}

/* random:12x10:99:3, whose tree from the optimum has 1,683 nodes. */
enum { OPTIMUM = 1171, MORE = 15 };

static struct flowshop twelve_jobs(void)
{
	return random_flowshop(12, 10, 99, 3);
}

static const enum fsp_branching rules[] = { FSP_MAXSUM, FSP_MINBRANCH };

/* ---- tests ---- */

static void counts_from_the_optimum_match_plain_recursion(void **state)
{
	static const struct {
		int jobs, machines, most;
	} shape[] = { { 2, 1, 9 },  { 4, 2, 9 },   { 5, 8, 99 }, { 6, 3, 5 }, { 7, 4, 30 },
		      { 8, 5, 99 }, { 8, 20, 99 }, { 9, 6, 20 }, { 9, 7, 99 } };
	struct dev_set set;

	(void)state;
	for (int seed = 1; seed <= (UNDER_TSAN ? 1 : 2); seed++) {
		open_devices(&set, 1, seed == 2 ? "reverse" : "random", seed);
		for (size_t i = 0; i < sizeof(shape) / sizeof(*shape); i += UNDER_TSAN ? 2 : 1) {
			struct flowshop f = random_flowshop(shape[i].jobs, shape[i].machines,
							    shape[i].most, seed);
			int64_t optimum;
			struct err e = { 0 };

			assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
			for (int rule = 0; rule < 2; rule++) {
				struct search_request r =
					request_of(&f, &set, rules[rule], optimum);
				struct counter c = counted(&f, rules[rule], optimum);

				assert_true(two_sided_sets_takes(&r));
				expect_tree(two_sided_sets, &r, &c.size);
				r.ub = SEARCH_NO_UB;
				expect_optimum(two_sided_sets, &r, optimum);
			}
			flowshop_free(&f);
		}
		dev_set_close(&set);
	}
}

/* An incumbent below the optimum prunes more nodes; one above is improved. */
static void counts_above_and_below_the_optimum_match_plain_recursion(void **state)
{
	struct flowshop f = random_flowshop(9, 6, 50, 11);
	struct dev_set set;
	struct err e = { 0 };
	int64_t optimum;

	(void)state;
	assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
	open_devices(&set, 1, "random", 5);
	for (int rule = 0; rule < 2; rule++) {
		struct counter below = counted(&f, rules[rule], optimum - 9);
		struct counter above = counted(&f, rules[rule], optimum + 9);
		struct search_request r = request_of(&f, &set, rules[rule], optimum - 9);
		struct search_outcome o;

		expect_tree(two_sided_sets, &r, &below.size);
		assert_true(above.size.leaves > 0);
		r.ub = optimum + 9;
		expect_optimum(two_sided_sets, &r, optimum);
		assert_int_equal(two_sided_sets(&r, &o, &e), 0);
		assert_true(o.decomposed <= above.size.decomposed);
		search_outcome_free(&o);
	}
	dev_set_close(&set);
	flowshop_free(&f);
}

/* From the least memory with which a search can run upwards: levels are searched in several slices.
 */
static void little_memory_gives_the_same_counts(void **state)
{
	static const int64_t rows[] = { 80, 120, 300, 1000, 4000 };
	struct flowshop f = twelve_jobs();
	struct dev_set set;
	struct err e = { 0 };
	struct search_outcome o;

	(void)state;
	open_devices(&set, 1, "random", 3);
	struct counter c = counted(&f, FSP_MAXSUM, OPTIMUM);
	struct search_request r = request_of(&f, &set, FSP_MAXSUM, OPTIMUM);

	assert_true(c.size.decomposed > 1000);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i += UNDER_TSAN ? 2 : 1) {
		r.memory = ROW_BYTES * rows[i];
		expect_tree(two_sided_sets, &r, &c.size);
	}
	r.ub = OPTIMUM + MORE;
	r.memory = ROW_BYTES * 1000;
	expect_optimum(two_sided_sets, &r, OPTIMUM);
	r.memory = ROW_BYTES * 79;
	assert_int_equal(two_sided_sets(&r, &o, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "bytes"));
	search_outcome_free(&o);
	dev_set_close(&set);
	flowshop_free(&f);
}

/* Every node is searched once, on any device. */
static void several_devices_give_the_same_counts(void **state)
{
	struct flowshop f = random_flowshop(10, 6, 99, 4);
	int64_t optimum;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
	for (int count = UNDER_TSAN ? 3 : 2; count <= 3; count++) {
		struct dev_set set;

		open_devices(&set, count, "random", count);
		for (int rule = 0; rule < 2; rule++) {
			struct counter c = counted(&f, rules[rule], optimum);
			struct search_request r = request_of(&f, &set, rules[rule], optimum);

			expect_on_several(two_sided_sets, r, &c.size, ROW_BYTES * 400);
		}
		dev_set_close(&set);
	}
	flowshop_free(&f);
}

static void every_form_gives_the_same_counts(void **state)
{
	struct flowshop f = twelve_jobs();

	(void)state;
	for (int count = 1; count <= 2; count++) {
		const enum fsp_branching rule = rules[count - 1];
		struct counter c = counted(&f, rule, OPTIMUM);
		struct dev_set set;

		open_devices(&set, count, "random", count);
		expect_in_all_forms(two_sided_sets, request_of(&f, &set, rule, OPTIMUM), &c.size);
		dev_set_close(&set);
	}
	flowshop_free(&f);
}

static int tuned_depth_first(const struct search_request *r, struct search_outcome *o,
			     struct err *e)
{
	struct ivm_request request = { .common = *r };
	struct ivm_outcome outcome;
	int status;

	request.common.forms = SEARCH_DEPTH_FIRST;
	status = ivm_search(SOLVE_TUNED, &request, &outcome, e);
	*o = outcome.common;
	return status;
}

/* The search that works without bounds by job set has the same tree. */
static void depth_first_search_gives_the_same_counts(void **state)
{
	struct flowshop f = twelve_jobs();

	(void)state;
	for (int count = 1; count <= 2; count++) {
		const enum fsp_branching rule = rules[count - 1];
		struct counter c = counted(&f, rule, OPTIMUM);
		struct search_outcome o;
		struct dev_set set;
		struct err e = { 0 };

		open_devices(&set, count, "random", count);
		struct search_request r = request_of(&f, &set, rule, OPTIMUM);

		assert_int_equal(tuned_depth_first(&r, &o, &e), 0);
		assert_true(o.complete);
		assert_int_equal(o.decomposed, c.size.decomposed);
		assert_int_equal(o.leaves, c.size.leaves);
		search_outcome_free(&o);
		dev_set_close(&set);
	}
	flowshop_free(&f);
}

/* Nodes move between devices, and their schedules with them. */
static void stealing_gives_the_same_counts(void **state)
{
	struct flowshop f = twelve_jobs();
	struct dev_set set;

	(void)state;
	open_devices(&set, 3, "random", 7);
	struct search_request r = request_of(&f, &set, FSP_MAXSUM, OPTIMUM);
	struct counter c = counted(&f, r.branching, r.ub);

	expect_stealing(two_sided_sets, &r, 2, &c.size);
	r.ub = OPTIMUM + MORE;
	expect_optimum(two_sided_sets, &r, OPTIMUM);
	dev_set_close(&set);
	flowshop_free(&f);
}

static void a_stopped_search_keeps_a_valid_bound(void **state)
{
	struct flowshop f = random_flowshop(11, 8, 99, 2);
	struct dev_set set;
	struct search_outcome o;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 1, "random", 1);
	struct search_request r = request_of(&f, &set, FSP_MAXSUM, SEARCH_NO_UB);

	expect_stopped(two_sided_sets, r);
	r.time_limit = 1e-9;
	assert_int_equal(two_sided_sets(&r, &o, &e), ERR_LIMIT);
	assert_false(o.complete);
	search_outcome_free(&o);
	dev_set_close(&set);
	flowshop_free(&f);
}

static void only_supported_instances_are_accepted(void **state)
{
	struct flowshop f = random_flowshop(8, 5, 99, 1);
	struct search_request r = request_of(&f, NULL, FSP_MAXSUM, SEARCH_NO_UB);
	struct search_outcome o;
	struct err e = { 0 };

	(void)state;
	assert_true(two_sided_sets_takes(&r));
	assert_int_equal(two_sided_sets(&r, &o, &e), ERR_UNSUPPORTED); /* no device */
	search_outcome_free(&o);
	r.branching = FSP_MINBRANCH;
	assert_true(two_sided_sets_takes(&r));
	expect_not_taken(two_sided_sets_takes, r, 25);
	r.checkpoint = (struct checkpoint_plan *)&r;
	assert_false(two_sided_sets_takes(&r));
	r.checkpoint = NULL;
	r.branching = FSP_FORWARD;
	assert_false(two_sided_sets_takes(&r));
	r.branching = FSP_MAXSUM;
	r.bound = FSP_LB1;
	assert_false(two_sided_sets_takes(&r));
	flowshop_free(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_from_the_optimum_match_plain_recursion),
		cmocka_unit_test(counts_above_and_below_the_optimum_match_plain_recursion),
		cmocka_unit_test(little_memory_gives_the_same_counts),
		cmocka_unit_test(several_devices_give_the_same_counts),
		cmocka_unit_test(every_form_gives_the_same_counts),
		cmocka_unit_test(depth_first_search_gives_the_same_counts),
		cmocka_unit_test(stealing_gives_the_same_counts),
		cmocka_unit_test(a_stopped_search_keeps_a_valid_bound),
		cmocka_unit_test(only_supported_instances_are_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
