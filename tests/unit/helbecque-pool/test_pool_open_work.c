/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Searches in slices: each slice continues the open work that the previous one left in memory. The
 * counts of all slices add up to those of one run, also if files are written meanwhile. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/tree-search/checkpoint.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/search_slices.h"
#include "tests/unit/tree-search/small_flowshops.h"

/* ---- engines ---- */

static const struct engine serial = { .name = "serial", .variant = SOLVE_SERIAL };
static const struct engine pools = { .name = "published",
				     .variant = SOLVE_PUBLISHED,
				     .devices = true };
static const struct engine fast = { .name = "published with two chunks on two locales",
				    .variant = SOLVE_PUBLISHED,
				    .forms = SEARCH_TWO_CHUNKS | SEARCH_BIT_MASKS | SEARCH_PINNED |
					     SEARCH_LB1_FIRST | SEARCH_STEPS | SEARCH_PACKED,
				    .devices = true,
				    .locales = 2 };
static const struct engine tuned = { .name = "tuned", .variant = SOLVE_TUNED, .devices = true };
static const struct engine cpu = { .name = "cpu", .variant = SOLVE_CPU };

static struct dev_set devices;
static volatile sig_atomic_t at_once = 1;

/* Runs to the end or, if most > 0, for about `most` nodes. */
static int run(const struct engine *g, const struct search_request *r, uint64_t most,
	       struct search_outcome *o, struct err *e)
{
	struct search_request q = *r;
	int status;

	q.threads = g->variant == SOLVE_CPU ? 3 : 1;
	q.devices = g->devices ? &devices : NULL;
	q.forms |= g->forms;
	if (g->variant == SOLVE_PUBLISHED) {
		q.m = q.m ? q.m : 2;
		q.M = 8;
	}
	if (most)
		assert_int_equal(watch_create(&q.watch, most, NULL), 0);
	if (most && q.solutions_only) /* then tuned does not count nodes */
		q.stop = &at_once;
	status = g->locales ? pool_search_published(&q, g->locales, o, e) :
			      pool_search(g->variant)(&q, o, e);
	if (most)
		watch_destroy(q.watch);
	return status;
}

/* ---- slices ---- */

static const struct slicing slicing;

static void same_state(const char *name, const struct checkpoint *c, const struct search_outcome *o)
{
	struct search_outcome of = { .best = o->best,
				     .explored = c->explored,
				     .decomposed = c->decomposed,
				     .leaves = c->leaves,
				     .solutions = c->solutions };

	same_counts(&slicing, name, &of, o);
}

/* A state survives a file, whose reader checks every node. */
static void survives_a_file(struct checkpoint *c)
{
	char path[] = "/tmp/open_work_XXXXXX";
	struct checkpoint back;
	struct err e = { 0 };
	int file = mkstemp(path);

	assert_true(file >= 0);
	close(file);
	assert_int_equal(checkpoint_write(c, path, NULL), 0);
	if (checkpoint_read(&back, path, &e))
		fail_msg("%s", e.text);
	assert_int_equal(back.count, c->count);
	assert_int_equal(back.form, CHECKPOINT_NODES);
	checkpoint_free(c);
	*c = back;
	unlink(path);
}

static void check_state(const struct engine *g, int slices, int status, struct checkpoint *left,
			const struct search_outcome *o)
{
	same_state(g->name, left, o);
	assert_int_equal(status == ERR_LIMIT, left->count > 0);
	if (slices == 2 || slices == 3) /* files take long */
		survives_a_file(left);
}

static const struct slicing slicing = { .run = run, .check = check_state, .counts_all = true };

/* ---- one problem, every engine alone, all in turn, and divided ---- */

static void every_way(const struct search_request *r, const struct engine *const *g, int engines,
		      uint64_t most)
{
	struct search_outcome whole;
	struct err e = { 0 };

	expect(g[0], run(g[0], r, 0, &whole, &e), 0, &e);
	for (int i = 0; i < engines; i++) {
		int slices = in_slices(&slicing, &g[i], 1, r, most, &whole);

		if (whole.explored > 2 * most && g[i] == &serial)
			assert_true(slices > 1);
		for (int j = 0; j < engines; j++)
			finish_parts(&slicing, g[i], g[j], r, whole.explored / 3 + 1, &whole);
	}
	in_slices(&slicing, g, engines, r, most, &whole);
	search_outcome_free(&whole);
}

static const struct engine *const forward[] = { &serial, &pools, &fast, &tuned, &cpu };
static const struct engine *const both_ends[] = { &serial, &tuned, &cpu };

/* A search from the optimum with its schedule, so that the tree does not depend on the order. */
static void flowshop_slices(int jobs, enum fsp_bound bound, enum fsp_branching branching, int seed)
{
	struct flowshop f = random_flowshop(jobs, 5, 99, seed);
	struct search_request r = {
		.flowshop = &f, .ub = SEARCH_NO_UB, .bound = bound, .branching = branching
	};
	struct search_outcome best;
	struct err e = { 0 };

	expect(&serial, run(&serial, &r, 0, &best, &e), 0, &e);
	r.ub = best.best;
	r.start = best.order;
	if (branching == FSP_FORWARD)
		every_way(&r, forward, 5, 100);
	else
		every_way(&r, both_ends, 3, 60);
	search_outcome_free(&best);
	flowshop_free(&f);
}

static void flowshop_counts_add_up(void **state)
{
	(void)state;
	for (int bound = 0; bound < 2; bound++)
		for (int branching = 0; branching < 3; branching++)
			flowshop_slices(9, bound ? FSP_LB2 : FSP_LB1, (enum fsp_branching)branching,
					7 + 3 * branching + bound);
}

static void queens_counts_add_up(void **state)
{
	static const struct engine *const all[] = { &serial, &pools, &fast };

	(void)state;
	for (int n = 1; n <= 8; n++) {
		struct search_request r = { .queens = n };

		every_way(&r, all, 3, n < 5 ? 2 : n < 8 ? 40 : 500);
	}
}

/* The tuned search: its records are placements of the middle rows. A small memory makes many parts,
 * and makes some of them outgrow their lists. */
static void tuned_queens_counts_add_up(void **state)
{
	static const struct engine *const all[] = { &tuned };

	(void)state;
	for (int n = 8; n <= 12; n++) {
		struct search_request r = { .queens = n,
					    .memory = n % 2 ? 4000 : 10000,
					    .no_stealing = n % 3 == 0,
					    .solutions_only = n == 10 || n == 11 };
		struct search_outcome whole;
		struct err e = { 0 };

		if (n < 10)
			every_way(&r, all, 1, 2000);
		expect(&tuned, run(&tuned, &r, 0, &whole, &e), 0, &e);
		if (r.solutions_only)
			finish_parts(&slicing, &tuned, &tuned, &r, 1, &whole);
		if (n == 12)
			assert_true(in_slices(&slicing, all, 1, &r, 1, &whole) > 3);
	}
}

static void records_of_other_trees_are_refused(void **state)
{
	/* 9 queens: no representative; an attack; too few */
	static const uint16_t bad[][13] = {
		{ 3, 0, 0, 0, 8, 5, 2, 0, 1, 3, 4, 6, 7 },
		{ 3, 0, 0, 0, 3, 4, 0, 1, 2, 5, 6, 7, 8 },
		{ 2, 0, 0, 0, 0, 5, 1, 2, 3, 4, 6, 7, 8 },
	};
	struct search_request r = { .queens = 9 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct checkpoint from = { .form = CHECKPOINT_NODES,
					   .count = 1,
					   .work = (uint16_t *)bad[i] };
		struct checkpoint_plan plan = { .from = &from };
		struct search_outcome o;
		struct err e = { 0 };

		checkpoint_key_of(&r, 0, &from.key);
		r.checkpoint = &plan;
		expect(&tuned, run(&tuned, &r, 0, &o, &e), ERR_INPUT, &e);
		assert_non_null(strstr(e.text, "tree is board, not board-from-middle"));
		strcpy(from.key.rule, CHECKPOINT_FROM_MIDDLE);
		expect(&tuned, run(&tuned, &r, 0, &o, &e), ERR_INPUT, &e);
		assert_non_null(strstr(e.text, "an open node"));
		expect(&serial, run(&serial, &r, 0, &o, &e), ERR_INPUT, &e);
	}
}

/* The improvement of one slice is known to the next one. */
static void a_better_schedule_goes_to_the_next_slice(void **state)
{
	struct flowshop f = random_flowshop(9, 5, 99, 4);
	struct search_request r = { .flowshop = &f, .ub = SEARCH_NO_UB, .bound = FSP_LB1 };
	struct search_outcome whole, o;
	struct err e = { 0 };

	(void)state;
	expect(&serial, run(&serial, &r, 0, &whole, &e), 0, &e);
	for (int i = 0; i < 3; i++) {
		struct checkpoint first = { .count = 0 }, last;
		struct checkpoint_plan plan = { .left = &first };

		r.checkpoint = &plan;
		expect(forward[i], run(forward[i], &r, 500, &o, &e), ERR_LIMIT, &e);
		assert_int_equal(first.best, o.best);
		assert_int_equal(first.order != NULL, o.order != NULL);
		if (i == 0)
			assert_non_null(first.order);
		if (first.order)
			assert_int_equal(flowshop_makespan(&f, first.order), first.best);
		search_outcome_free(&o);
		plan = (struct checkpoint_plan){ .from = &first, .left = &last };
		expect(forward[i], run(forward[i], &r, 0, &o, &e), 0, &e);
		assert_int_equal(o.best, whole.best);
		assert_non_null(o.order);
		assert_int_equal(flowshop_makespan(&f, o.order), o.best);
		search_outcome_free(&o);
		checkpoint_free(&first);
		checkpoint_free(&last);
	}
	search_outcome_free(&whole);
	flowshop_free(&f);
}

/* ---- files ---- */

/* Files are written all the time: the search pauses again and again, and counts the same. */
static void pauses_change_no_count(void **state)
{
	char path[] = "/tmp/open_work_XXXXXX";
	struct checkpoint_plan plan = { .write = path, .period = 1e-9 };
	struct search_request r = { .queens = 8 };
	struct search_outcome whole, o;
	struct checkpoint c;
	struct err e = { 0 };
	int file = mkstemp(path);

	(void)state;
	assert_true(file >= 0);
	close(file);
	expect(&serial, run(&serial, &r, 0, &whole, &e), 0, &e);
	for (int i = 0; i < 3; i++) {
		r.checkpoint = &plan;
		expect(forward[i], run(forward[i], &r, 0, &o, &e), 0, &e);
		same_counts(&slicing, forward[i]->name, &o, &whole);
		assert_int_equal(checkpoint_read(&c, path, &e), 0);
		assert_int_equal(c.count, 0);
		same_state(forward[i]->name, &c, &whole);
		checkpoint_free(&c);
	}
	unlink(path);
}

/* ---- checks ---- */

static void work_of_another_search_is_refused(void **state)
{
	struct search_request r = { .queens = 8 };
	struct search_outcome o;
	struct err e = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct checkpoint eight = { .count = 0 }, left = { .count = 7 };
		struct checkpoint_plan plan = { .left = &eight };

		r.queens = 8;
		r.checkpoint = &plan;
		expect(forward[i], run(forward[i], &r, 0, &o, &e), 0, &e);
		r.queens = 9;
		plan = (struct checkpoint_plan){ .from = &eight, .left = &left };
		expect(forward[i], run(forward[i], &r, 0, &o, &e), ERR_INPUT, &e);
		assert_non_null(strstr(e.text, "8 items, not 9"));
		assert_int_equal(left.count, 0);
		assert_null(left.work);
		checkpoint_free(&eight);
	}
}

/* After an error nothing is left, whatever was there before. */
static void a_search_that_fails_leaves_nothing(void **state)
{
	static const struct engine *const all[] = { &serial, &pools, &tuned };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct checkpoint left = { .count = 7 };
		struct checkpoint_plan plan = { .left = &left };
		struct search_request r = { .queens = 33, .checkpoint = &plan };
		struct search_outcome o;
		struct err e = { 0 };

		expect(all[i], run(all[i], &r, 0, &o, &e), ERR_UNSUPPORTED, &e);
		assert_int_equal(left.count, 0);
	}
}

static void a_suffix_is_refused_in_forward_branching(void **state)
{
	struct flowshop f = random_flowshop(4, 3, 9, 1);
	struct search_request r = { .flowshop = &f, .ub = 30 };
	uint16_t work[8] = { 1, 1, 0, 0, 0, 1, 2, 3 };
	struct checkpoint from = { .form = CHECKPOINT_NODES, .best = 30, .count = 1, .work = work };
	struct checkpoint_plan plan = { .from = &from };
	struct search_outcome o;
	struct err e = { 0 };

	(void)state;
	checkpoint_key_of(&r, 30, &from.key);
	r.checkpoint = &plan;
	expect(&pools, run(&pools, &r, 0, &o, &e), ERR_INPUT, &e);
	assert_non_null(strstr(e.text, "has a suffix"));
	flowshop_free(&f);
}

static int open_world(void **state)
{
	(void)state;
	open_devices(&devices, 2, "random", 1);
	return 0;
}

static int close_world(void **state)
{
	(void)state;
	dev_set_close(&devices);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flowshop_counts_add_up),
		cmocka_unit_test(queens_counts_add_up),
		cmocka_unit_test(tuned_queens_counts_add_up),
		cmocka_unit_test(records_of_other_trees_are_refused),
		cmocka_unit_test(a_better_schedule_goes_to_the_next_slice),
		cmocka_unit_test(pauses_change_no_count),
		cmocka_unit_test(work_of_another_search_is_refused),
		cmocka_unit_test(a_search_that_fails_leaves_nothing),
		cmocka_unit_test(a_suffix_is_refused_in_forward_branching),
	};

	return cmocka_run_group_tests(tests, open_world, close_world);
}
