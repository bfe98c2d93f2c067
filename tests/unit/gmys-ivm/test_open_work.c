/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Searches in slices: each slice continues the open work that the previous one left in memory. The
 * counts of all slices add up to those of one run. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/tree-search/checkpoint.h"
#include "harness/base/clock.h"
#include "harness/base/watch.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/base/temporary_folder.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/search_slices.h"
#include "tests/unit/tree-search/small_atsps.h"
#include "tests/unit/tree-search/small_flowshops.h"

/* ---- engines ---- */

static const struct engine serial = {
	.name = "serial", .variant = SOLVE_SERIAL, .threads = 1, .devices = false
};
static const struct engine cores = {
	.name = "published on cores", .variant = SOLVE_PUBLISHED, .threads = 3, .devices = false
};
static const struct engine ivms = {
	.name = "published on devices", .variant = SOLVE_PUBLISHED, .threads = 1, .devices = true
};
static const struct engine tuned = {
	.name = "tuned", .variant = SOLVE_TUNED, .threads = 1, .devices = true
};
static const struct engine cpu = {
	.name = "cpu", .variant = SOLVE_CPU, .threads = 3, .devices = false
};

static struct dev_set devices;

static struct ivm_request on(const struct engine *g, struct search_request r)
{
	struct ivm_request q = { .common = r, .ivms = g->devices ? 32 : 0 };

	q.common.threads = g->threads;
	q.common.devices = g->devices ? &devices : NULL;
	return q;
}

/* Runs to the end or, if most > 0, for about `most` nodes. */
static int run(const struct engine *g, const struct search_request *r, uint64_t most,
	       struct search_outcome *o, struct err *e)
{
	struct ivm_request q = on(g, *r);
	struct ivm_outcome out = { .mode = IVM_PAPER_MODE };
	int status;

	if (most)
		assert_int_equal(watch_create(&q.common.watch, most, NULL), 0);
	status = ivm_search(g->variant, &q, &out, e);
	if (most)
		watch_destroy(q.common.watch);
	*o = out.common;
	out.common.order = NULL;
	ivm_outcome_free(&out);
	return status;
}

/* ---- slices ---- */

/* A stopped search has counted some nodes that the next slice counts again. */
static void check_state(const struct engine *g, int slices, int status, struct checkpoint *left,
			const struct search_outcome *o)
{
	(void)g;
	(void)slices;
	(void)status;
	assert_true(left->decomposed <= o->decomposed);
	assert_int_equal(left->solutions, o->solutions);
}

/* Leaves of N-Queens are compared as solutions: not all engines report them. */
static const struct slicing slicing = { .run = run, .check = check_state };

/* Every engine alone, then all in turn. Devices take longer to open, so they get longer slices. */
static void every_way(const struct search_request *r, const struct engine *const *g, int engines,
		      uint64_t most)
{
	struct search_outcome whole;
	struct err e = { 0 };

	expect(&serial, run(&serial, r, 0, &whole, &e), 0, &e);
	for (int i = 0; i < engines; i++) {
		uint64_t some = g[i]->devices ? most + whole.decomposed / 4 : most;
		int slices = in_slices(&slicing, &g[i], 1, r, some, &whole);

		if (whole.decomposed > 2 * most && g[i] == &serial)
			assert_true(slices > 1);
	}
	in_slices(&slicing, g, engines, r, most + whole.decomposed / 10, &whole);
	search_outcome_free(&whole);
}

/* ---- problems ---- */

static const struct engine *const all[] = { &serial, &cores, &ivms, &tuned, &cpu };
enum { ALL = sizeof(all) / sizeof(all[0]) };

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
	every_way(&r, all, ALL, 40);
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

static void atsp_counts_add_up(void **state)
{
	(void)state;
	for (int seed = 1; seed <= (UNDER_TSAN ? 2 : 3); seed++) {
		struct atsp a = random_atsp(9 + seed, 40, seed);
		struct search_request r = { .atsp = &a, .ub = SEARCH_NO_UB };
		struct search_outcome best;
		struct err e = { 0 };

		expect(&serial, run(&serial, &r, 0, &best, &e), 0, &e);
		r.ub = best.best;
		r.start = best.order;
		every_way(&r, all, ALL, 200);
		search_outcome_free(&best);
		atsp_free(&a);
	}
}

/* Searches on cores that stop inside a subtree of vectors. A thread searches tens of thousands of
 * nodes before it notices a stop. The last slices are run by another engine. */
static void stopped_subtrees_add_up(void **state)
{
	static const char *const instances[] = { "random:17:1000:3", "crane:14:3", "tsmat:13:1" };
	const struct engine *const together[] = { &cpu, &cpu, &cpu, &cores };

	(void)state;
	for (size_t i = 0; i < sizeof(instances) / sizeof(instances[0]); i++) {
		struct atsp a = loaded_atsp(instances[i]);
		struct search_request r = { .atsp = &a };
		struct search_outcome whole;
		struct err e = { 0 };
		int64_t tour[32];

		assert_int_equal(atsp_held_karp(&a, NULL, &r.ub, tour, &e), 0);
		r.start = tour;
		expect(&cpu, run(&cpu, &r, 0, &whole, &e), 0, &e);
		assert_true(in_slices(&slicing, together, 1, &r, whole.decomposed / 50, &whole) >
			    5);
		assert_true(in_slices(&slicing, together, 4, &r, whole.decomposed / 5, &whole) > 2);
		search_outcome_free(&whole);
		atsp_free(&a);
	}
}

/* Equal costs: many nodes on the stacks have paths of the same cost through the same cities. */
static void open_paths_are_disjoint(void **state)
{
	struct atsp a = random_atsp(20, 2, 1);
	struct search_request r = { .atsp = &a, .ub = SEARCH_NO_UB };
	struct engine one = cpu;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/state", folder);
	one.threads = 1;
	for (uint64_t most = 50000; most < 3000000; most += most / 3) {
		struct checkpoint_plan plan = { .write = path };
		struct search_outcome o;
		struct err e = { 0 };

		r.checkpoint = &plan;
		/* no file is written of intervals that overlap */
		expect(&one, run(&one, &r, most, &o, &e), ERR_LIMIT, &e);
		search_outcome_free(&o);
	}
	atsp_free(&a);
}

static void queens_counts_add_up(void **state)
{
	(void)state;
	for (int n = 1; n <= (UNDER_TSAN ? 9 : 10); n++) {
		struct search_request r = { .queens = n, .half_board = true };

		if (n > 6)
			every_way(&r, all, ALL, n < 9 ? 20 : 500);
	}
}

/* The improvement of one slice is known to the next one. A round on a device would finish a tree of
 * a few hundred nodes: this one has 30,000. */
static void a_better_schedule_goes_to_the_next_slice(void **state)
{
	struct flowshop f = random_flowshop(11, 10, 99, 1);
	struct search_request r = { .flowshop = &f, .ub = SEARCH_NO_UB, .bound = FSP_LB1 };
	struct search_outcome whole, o;
	struct err e = { 0 };

	(void)state;
	expect(&serial, run(&serial, &r, 0, &whole, &e), 0, &e);
	for (int i = 0; i < ALL; i++) {
		struct checkpoint first = { .count = 0 }, last;
		struct checkpoint_plan plan = { .left = &first };
		int64_t from;

		r.checkpoint = &plan;
		expect(all[i], run(all[i], &r, 100, &o, &e), ERR_LIMIT, &e);
		from = o.best;
		assert_int_equal(first.best, from);
		assert_non_null(first.order);
		assert_int_equal(flowshop_makespan(&f, first.order), first.best);
		search_outcome_free(&o);
		plan = (struct checkpoint_plan){ .from = &first, .left = &last };
		expect(all[i], run(all[i], &r, 0, &o, &e), 0, &e);
		assert_int_equal(o.best, whole.best);
		assert_non_null(o.order);
		assert_int_equal(flowshop_makespan(&f, o.order), o.best);
		assert_true(o.best <= from);
		search_outcome_free(&o);
		checkpoint_free(&first);
		checkpoint_free(&last);
	}
	search_outcome_free(&whole);
	flowshop_free(&f);
}

/* ---- open work that is divided ---- */

/* Each engine with itself and the next one. */
static void pairs_of_engines(const struct search_request *r)
{
	struct search_outcome whole;
	struct err e = { 0 };

	expect(&serial, run(&serial, r, 0, &whole, &e), 0, &e);
	for (int i = 0; i < ALL; i++)
		for (int j = i; j < i + 2; j++)
			finish_parts(&slicing, all[i], all[j % ALL], r, whole.decomposed / 4,
				     &whole);
	search_outcome_free(&whole);
}

static void divided_work_adds_up(void **state)
{
	struct flowshop f = random_flowshop(UNDER_TSAN ? 9 : 10, 5, 99, 3);
	struct atsp a = random_atsp(UNDER_TSAN ? 10 : 11, 40, 5);
	struct search_request flowshop = {
		.flowshop = &f, .ub = SEARCH_NO_UB, .bound = FSP_LB1, .branching = FSP_MINBRANCH
	};
	struct search_request atsp = { .atsp = &a, .ub = SEARCH_NO_UB };
	struct search_request queens = { .queens = UNDER_TSAN ? 8 : 9, .half_board = true };
	struct search_outcome best;
	struct err e = { 0 };

	(void)state;
	expect(&serial, run(&serial, &flowshop, 0, &best, &e), 0, &e);
	flowshop.ub = best.best;
	search_outcome_free(&best);
	pairs_of_engines(&flowshop);
	expect(&serial, run(&serial, &atsp, 0, &best, &e), 0, &e);
	atsp.ub = best.best;
	atsp.start = best.order;
	pairs_of_engines(&atsp);
	search_outcome_free(&best);
	pairs_of_engines(&queens);
	flowshop_free(&f);
	atsp_free(&a);
}

/* ---- files while the search goes on ---- */

/* Takes a copy of each checkpoint that a search has written. */
struct collector {
	struct watch *watch;
	struct checkpoint last;
	int taken;
};

static void *collect(void *argument)
{
	struct collector *k = argument;
	bool closed = false;

	while (!closed) {
		struct watch_event event[8];
		int count = watch_wait(k->watch, clock_wall() + 60, event, 8, &closed);

		for (int i = 0; i < count; i++) {
			struct checkpoint c;

			/* the last one may already have replaced it */
			if (event[i].kind != WATCH_CHECKPOINT ||
			    checkpoint_read(&c, event[i].file, NULL))
				continue;
			if (c.count) {
				checkpoint_free(&k->last);
				k->last = c;
				k->taken++;
			} else {
				checkpoint_free(&c);
			}
		}
	}
	return NULL;
}

/* Runs a search on cores that writes often, and collects its files. */
static void run_with_pauses(const struct search_request *r, const struct search_outcome *whole,
			    struct collector *k)
{
	char path[128];
	struct checkpoint_plan plan = { .write = path, .period = 1e-4 };
	struct ivm_request q = on(&cpu, *r);
	struct ivm_outcome out = { .mode = IVM_PAPER_MODE };
	struct err e = { 0 };
	pthread_t thread;

	snprintf(path, sizeof(path), "%s/state", folder);
	q.common.checkpoint = &plan;
	assert_int_equal(watch_create(&k->watch, 0, NULL), 0);
	q.common.watch = k->watch;
	assert_int_equal(pthread_create(&thread, NULL, collect, k), 0);
	expect(&cpu, ivm_search(SOLVE_CPU, &q, &out, &e), 0, &e);
	watch_close(k->watch);
	pthread_join(thread, NULL);
	watch_destroy(k->watch);
	same_counts(&slicing, "pauses", &out.common, whole);
	ivm_outcome_free(&out);
}

/* Another search resumes from a file that was written in a pause. On a busy machine the search may
 * end before the file can be read, and is repeated. */
static void pauses_are_consistent(const struct search_request *r)
{
	struct collector k = { .taken = 0 };
	struct checkpoint_plan plan = { .from = &k.last };
	struct search_request mine = *r;
	struct search_outcome whole, o;
	struct err e = { 0 };

	expect(&cpu, run(&cpu, r, 0, &whole, &e), 0, &e);
	for (int i = 0; i < 100 && !k.taken; i++)
		run_with_pauses(r, &whole, &k);
	assert_true(k.taken > 0);
	mine.checkpoint = &plan;
	expect(&cpu, run(&cpu, &mine, 0, &o, &e), 0, &e);
	same_counts(&slicing, "resumed from a pause", &o, &whole);
	search_outcome_free(&o);
	search_outcome_free(&whole);
	checkpoint_free(&k.last);
}

static void files_of_pauses_are_consistent(void **state)
{
	struct flowshop f = random_flowshop(13, 5, 99, 2);
	struct atsp a = loaded_atsp(SANITIZED ? "tsmat:12:1" : "tsmat:13:1");
	struct search_request queens = { .queens = SANITIZED ? 13 : 14, .half_board = true };
	struct search_request atsp = { .atsp = &a };
	struct search_request flowshop = { .flowshop = &f,
					   .ub = SANITIZED ? 960 : 967,
					   .bound = FSP_LB1 };
	int64_t tour[32];
	struct err e = { 0 };

	(void)state;
	assert_int_equal(atsp_held_karp(&a, NULL, &atsp.ub, tour, &e), 0);
	atsp.start = tour;
	pauses_are_consistent(&queens);
	pauses_are_consistent(&atsp);
	pauses_are_consistent(&flowshop);
	flowshop_free(&f);
	atsp_free(&a);
}

/* ---- checks ---- */

static void work_of_another_search_is_refused(void **state)
{
	static struct checkpoint eight, left;
	struct search_request r = { .queens = 8, .half_board = true };
	struct search_outcome o;
	struct err e = { 0 };

	(void)state;
	for (int i = 0; i < ALL; i++) {
		struct checkpoint_plan plan = { .left = &eight };

		left.count = 7;
		r.queens = 8;
		r.checkpoint = &plan;
		expect(all[i], run(all[i], &r, 0, &o, &e), 0, &e);
		r.queens = 9;
		plan = (struct checkpoint_plan){ .from = &eight, .left = &left };
		expect(all[i], run(all[i], &r, 0, &o, &e), ERR_INPUT, &e);
		assert_non_null(strstr(e.text, "8 items, not 9"));
		assert_int_equal(left.count, 0);
		assert_null(left.work);
		checkpoint_free(&eight);
	}
}

static int open_world(void **state)
{
	open_devices(&devices, 2, "random", 1);
	return make_folder(state);
}

static int close_world(void **state)
{
	dev_set_close(&devices);
	return remove_folder(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flowshop_counts_add_up),
		cmocka_unit_test(atsp_counts_add_up),
		cmocka_unit_test(stopped_subtrees_add_up),
		cmocka_unit_test(open_paths_are_disjoint),
		cmocka_unit_test(queens_counts_add_up),
		cmocka_unit_test(a_better_schedule_goes_to_the_next_slice),
		cmocka_unit_test(divided_work_adds_up),
		cmocka_unit_test(files_of_pauses_are_consistent),
		cmocka_unit_test(work_of_another_search_is_refused),
	};

	return cmocka_run_group_tests(tests, open_world, close_world);
}
