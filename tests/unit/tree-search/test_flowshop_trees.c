/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Trees of instances with 65 to 257 jobs: searches on cores and on simulated devices have the
 * counts of a plain counter, and lose no node on the way to a known schedule.
 *
 * COPRA_TEST_EXTENDED=1 (make test-extended) adds trees of up to 7 million nodes (minutes). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "tests/unit/tree-search/flowshop_subtrees.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_flowshops.h"
#include "tests/unit/tree-search/ta081_schedule.h"
#include "algorithms/tree-search/flowshop/fsp_greedy.h"

static bool extended(void)
{
	const char *wanted = getenv("COPRA_TEST_EXTENDED");

	return wanted && *wanted && strcmp(wanted, "0") != 0;
}

static int32_t root_bound(const struct flowshop *f)
{
	struct plain_node *x = malloc(sizeof(*x));
	int32_t bound = 0;

	assert_non_null(x);
	plain_root(f, x);
	for (int k = 0; k < f->machines; k++) {
		int32_t sum = x->front[k] + x->remaining[k] + x->back[k];

		bound = sum > bound ? sum : bound;
	}
	free(x);
	return bound;
}

static struct plain_tree plain_count(const struct flowshop *f, enum fsp_branching branching,
				     int64_t ub)
{
	struct plain_tree t = { .f = f, .branching = branching, .ub = ub };
	struct plain_node *x = malloc(sizeof(*x));

	assert_non_null(x);
	plain_root(f, x);
	plain_tree_count(&t, x);
	free(x);
	return t;
}

static void check_search(search_fn *search, const struct search_request *r,
			 const struct plain_tree *t)
{
	struct search_outcome o;
	struct err e = { 0 };

	if (search(r, &o, &e))
		fail_msg("%s: %s", r->flowshop->name, e.text);
	assert_true(o.complete);
	assert_int_equal(o.best, r->ub);
	assert_int_equal(o.decomposed, t->decomposed);
	assert_int_equal(o.explored, t->explored);
	assert_int_equal(o.leaves, 0);
	search_outcome_free(&o);
}

/* `above`: the initial bound minus that of the root; no schedule is below it. Instances with at
 * most 10 machines have small trees from such bounds, which become intractable one unit higher;
 * subtrees_of_many_jobs_match_a_plain_counter is for these. */
struct tree_case {
	const char *name;
	int above;
	bool cores_only; /* not run on simulated devices, because the tree is too large */
};

/* 2 to 10,000 nodes */
static const struct tree_case small_trees[] = {
	{ "taillard:65x3:2", 1, false },     { "taillard:65x10:2", 51, false },
	{ "taillard:65x15:3", 127, false },  { "taillard:65x20:2", 79, false },
	{ "taillard:128x7:4", 12, false },   { "taillard:128x15:3", 93, false },
	{ "taillard:128x20:2", 102, false }, { "taillard:129x7:3", 30, false },
	{ "taillard:129x20:1", 143, false }, { "taillard:200x15:4", 95, false },
	{ "taillard:200x20:1", 78, false },  { "taillard:256x5:3", 13, false },
	{ "taillard:256x15:3", 79, false },  { "taillard:256x20:1", 175, false },
	{ "taillard:257x10:2", 25, false },  { "taillard:257x20:3", 79, false },
};

/* 300,000 to 7 million nodes */
static const struct tree_case large_trees[] = {
	{ .name = "taillard:65x20:1", .above = 90 },
	{ .name = "taillard:128x20:1", .above = 73 },
	{ .name = "taillard:200x20:2", .above = 105 },
	{ .name = "taillard:65x15:3", .above = 142, .cores_only = true },
	{ .name = "taillard:129x20:1", .above = 175, .cores_only = true },
	{ .name = "taillard:256x20:4", .above = 131, .cores_only = true },
	{ .name = "ta081", .above = 146, .cores_only = true },
};

static void check_trees(const struct tree_case *cases, size_t count, size_t step)
{
	struct dev_set one, two;

	open_devices(&one, 1, "random", 3);
	open_devices(&two, 2, "random", 5);
	for (size_t i = 0; i < count; i += step) {
		struct flowshop f = loaded_flowshop(cases[i].name);
		struct search_request r = { .flowshop = &f,
					    .bound = FSP_LB1,
					    .threads = 2,
					    .branching = FSP_MINBRANCH,
					    .ub = root_bound(&f) + cases[i].above,
					    .memory = 16 << 20 };
		struct plain_tree t = plain_count(&f, r.branching, r.ub);

		assert_int_equal(t.leaves, 0);
		check_search(fsp_cpu, &r, &t);
		r.devices = i % 2 ? &two : &one;
		if (!cases[i].cores_only)
			check_search(dfs_search, &r, &t);
		flowshop_free(&f);
	}
	dev_set_close(&one);
	dev_set_close(&two);
}

static void trees_of_many_jobs_match_a_plain_counter(void **state)
{
	(void)state;
	check_trees(small_trees, sizeof(small_trees) / sizeof(small_trees[0]), SANITIZED ? 5 : 1);
}

static void large_trees_of_many_jobs_match_a_plain_counter(void **state)
{
	(void)state;
	if (!extended())
		skip();
	check_trees(large_trees, sizeof(large_trees) / sizeof(large_trees[0]), 1);
}

/* ---- subtrees near the leaves ---- */

/* The best makespan below `x`, by all orders of its few unscheduled jobs. */
static int64_t best_below(const struct flowshop *f, const struct plain_node *x)
{
	struct plain_tree t = { .f = f, .branching = FSP_FORWARD, .ub = 0 };
	int64_t low = 0, high = INT32_MAX / 2;

	while (low < high) { /* the least ub with a leaf below it, minus 1 */
		int64_t middle = low + (high - low) / 2;

		t.ub = middle + 1;
		t.leaves = t.decomposed = t.explored = 0;
		plain_tree_count(&t, x);
		if (t.leaves)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void check_subtree(const struct flowshop *f, const struct plain_node *x,
			  enum fsp_branching branching, int64_t best, const struct dev_set *devices)
{
	struct search_request r = { .flowshop = f,
				    .bound = FSP_LB1,
				    .branching = branching,
				    .ub = best,
				    .devices = devices,
				    .memory = 4 << 20 };
	struct plain_tree t = { .f = f, .branching = branching, .ub = best };
	struct search_outcome o = search_subtree(x, &r);

	plain_tree_count(&t, x);
	assert_int_equal(t.leaves, 0);
	assert_int_equal(o.decomposed, t.decomposed);
	assert_int_equal(o.explored, t.explored);
	search_outcome_free(&o);
	r.ub = best + 1;
	o = search_subtree(x, &r);
	assert_int_equal(o.best, best);
	assert_non_null(o.order);
	assert_int_equal(flowshop_makespan(f, o.order), best);
	search_outcome_free(&o);
}

/* Random nodes with few unscheduled jobs, whatever their bounds are: such trees exist for any
 * number of machines. */
static void subtrees_of_many_jobs_match_a_plain_counter(void **state)
{
	static const int jobs[] = { 65, 128, 129, 200, 256, 257 };
	static const int machines[] = { 3, 4, 5, 7, 10, 11, 20, 21 };
	struct plain_node *x = malloc(sizeof(*x));
	struct dev_set devices;
	unsigned seed = 11;

	(void)state;
	assert_non_null(x);
	open_devices(&devices, 1, "random", 8);
	for (int i = 0; i < 6; i++) {
		for (int k = i % 2; k < 8; k += UNDER_TSAN ? 8 : 4) {
			struct flowshop f = random_flowshop(jobs[i], machines[k], 99, 1 + i + k);

			plain_root(&f, x);
			descend_anywhere(&f, x, 7, &seed);
			check_subtree(&f, x, (enum fsp_branching)((i + k) % 3), best_below(&f, x),
				      &devices);
			flowshop_free(&f);
		}
	}
	dev_set_close(&devices);
	free(x);
}

/* ---- the way to a known schedule ---- */

/* Each node of a schedule of makespan V stays open in a search from V + 1. Schedules: from a
 * heuristic, and the best known one of ta081. */
static void nodes_of_a_known_schedule_are_not_pruned(void **state)
{
	static const char *const names[] = { "taillard:65x5:1", "taillard:129x11:2",
					     "taillard:257x7:3" };
	struct flowshop f = loaded_flowshop("ta081");
	struct dev_set devices;

	(void)state;
	open_devices(&devices, 1, "random", 2);
	assert_int_equal(flowshop_makespan(&f, ta081_schedule), TA081_MAKESPAN);
	follow_schedule(&f, ta081_schedule, TA081_MAKESPAN, &devices);
	flowshop_free(&f);
	for (int i = 0; i < (UNDER_TSAN ? 0 : SANITIZED ? 1 : 3); i++) {
		int64_t *order, makespan;
		struct err e = { 0 };

		f = loaded_flowshop(names[i]);
		order = malloc((size_t)f.jobs * sizeof(*order));
		assert_non_null(order);
		makespan = fsp_neh(&f, order, &e);
		follow_schedule(&f, order, makespan, &devices);
		free(order);
		flowshop_free(&f);
	}
	dev_set_close(&devices);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_of_many_jobs_match_a_plain_counter),
		cmocka_unit_test(large_trees_of_many_jobs_match_a_plain_counter),
		cmocka_unit_test(subtrees_of_many_jobs_match_a_plain_counter),
		cmocka_unit_test(nodes_of_a_known_schedule_are_not_pruned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
