/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Schedules that flowshop searches and the heuristics beside them exchange. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/tree-search/by-set/sets_search.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_search.h"
#include "algorithms/tree-search/exchange.h"
#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/flowshop/fsp_improve.h"
#include "algorithms/tree-search/flowshop/fsp_greedy.h"
#include "harness/base/clock.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_searches.h"

static int two_sided(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return sets_search(r, true, o, e);
}

static int forward(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return sets_search(r, false, o, e);
}

/* Every engine that takes schedules. */
static const struct engine {
	search_fn *search;
	enum fsp_bound bound;
	enum fsp_branching branching;
	int devices;
	bool checkpoints;
} engines[] = {
	{ fsp_cpu, FSP_LB1, FSP_MINBRANCH, 0, true },
	{ fsp_cpu, FSP_LB2, FSP_MAXSUM, 0, true },
	{ fsp_cpu, FSP_LB2, FSP_FORWARD, 0, false },
	{ dfs_search, FSP_LB1, FSP_MINBRANCH, 1, true },
	{ dfs_search, FSP_LB1, FSP_MAXSUM, 2, true },
	{ dfs_search, FSP_LB2, FSP_MAXSUM, 1, true },
	{ two_sided, FSP_LB2, FSP_MAXSUM, 1, false },
	{ forward, FSP_LB2, FSP_FORWARD, 2, false },
};
enum { ENGINES = sizeof(engines) / sizeof(engines[0]), JOBS = 9 };

/* A search from the jobs in the order of their numbers. */
struct run {
	struct flowshop f;
	struct dev_set set;
	struct search_request request;
	struct search_outcome out;
	int64_t start[JOBS];
};

static void begin(struct run *x, const struct engine *k)
{
	memset(x, 0, sizeof(*x));
	small_flowshop(&x->f, JOBS, 8, 99, 6);
	for (int i = 0; i < JOBS; i++)
		x->start[i] = i;
	if (k->devices)
		open_devices(&x->set, k->devices, "random", 3);
	x->request = (struct search_request){ .flowshop = &x->f,
					      .bound = k->bound,
					      .branching = k->branching,
					      .ub = flowshop_makespan(&x->f, x->start),
					      .start = x->start,
					      .devices = &x->set,
					      .memory = 1 << 22,
					      .threads = 2 };
}

static int search(struct run *x, const struct engine *k)
{
	struct err e = { 0 };
	int status;

	search_outcome_free(&x->out);
	status = k->search(&x->request, &x->out, &e);
	if (status && status != ERR_LIMIT)
		fail_msg("%s", e.text);
	return status;
}

static void end(struct run *x)
{
	search_outcome_free(&x->out);
	exchange_destroy(x->request.exchange);
	if (x->request.devices->count)
		dev_set_close(&x->set);
	flowshop_free(&x->f);
}

static void open_exchange(struct run *x)
{
	assert_int_equal(exchange_create(&x->request.exchange, JOBS, NULL, NULL), 0);
}

static void the_better_solution_is_kept(void **state)
{
	const int64_t first[] = { 0, 1, 2 }, second[] = { 2, 1, 0 };
	int64_t order[3] = { 7, 7, 7 };
	struct exchange *x;

	(void)state;
	assert_false(exchange_offer(NULL, EXCHANGE_START, 1, first));
	assert_int_equal(exchange_take(NULL, 5, order), 5);
	assert_int_equal(exchange_create(&x, 3, NULL, NULL), 0);
	assert_int_equal(exchange_take(x, 5, order), 5);
	assert_true(exchange_offer(x, EXCHANGE_START, 10, first));
	assert_false(exchange_offer(x, EXCHANGE_SEARCH, 10, second));
	assert_int_equal(exchange_take(x, 10, order), 10);
	assert_int_equal(order[0], 7);
	assert_true(exchange_offer(x, EXCHANGE_IMPROVEMENT, 9, second));
	assert_int_equal(x->source, EXCHANGE_IMPROVEMENT);
	assert_int_equal(exchange_take(x, 10, order), 9);
	assert_memory_equal(order, second, sizeof(order));
	exchange_destroy(x);
}

/* The optimum is offered after the search was given a worse bound. */
static void a_schedule_from_outside_cuts_nodes(void **state)
{
	(void)state;
	for (int k = 0; k < ENGINES; k++) {
		struct run x;
		int64_t optimum, order[JOBS];
		uint64_t alone;

		begin(&x, &engines[k]);
		assert_int_equal(search(&x, &engines[k]), 0);
		optimum = x.out.best;
		assert_true(optimum < x.request.ub);
		alone = x.out.explored;
		memcpy(order, x.out.order, sizeof(order));
		open_exchange(&x);
		exchange_offer(x.request.exchange, EXCHANGE_IMPROVEMENT, optimum, order);
		assert_int_equal(search(&x, &engines[k]), 0);
		assert_true(x.out.complete);
		assert_int_equal(x.out.best, optimum);
		check_schedule(&x.f, &x.out);
		assert_memory_equal(x.out.order, order, sizeof(order));
		assert_true(x.out.explored < alone);
		end(&x);
	}
}

static void the_search_offers_what_it_finds(void **state)
{
	(void)state;
	for (int k = 0; k < ENGINES; k++) {
		struct run x;
		int64_t order[JOBS];

		begin(&x, &engines[k]);
		open_exchange(&x);
		exchange_offer(x.request.exchange, EXCHANGE_START, x.request.ub, x.start);
		assert_int_equal(search(&x, &engines[k]), 0);
		assert_int_equal(exchange_take(x.request.exchange, INT64_MAX, order), x.out.best);
		assert_int_equal(flowshop_makespan(&x.f, order), x.out.best);
		assert_int_equal(x.request.exchange->source, EXCHANGE_SEARCH);
		end(&x);
	}
}

/* The nodes of a stopped search were pruned with the schedule from outside: a resumed one that did
 * not have it would prove a larger value. */
static void checkpoints_hold_a_schedule_from_outside(void **state)
{
	(void)state;
	for (int k = 0; k < ENGINES; k++) {
		struct checkpoint left = { .count = 0 };
		struct checkpoint_plan plan = { .left = &left };
		volatile sig_atomic_t stop = 1;
		int64_t optimum, order[JOBS];
		struct run x;

		if (!engines[k].checkpoints)
			continue;
		begin(&x, &engines[k]);
		assert_int_equal(search(&x, &engines[k]), 0);
		optimum = x.out.best;
		memcpy(order, x.out.order, sizeof(order));
		open_exchange(&x);
		exchange_offer(x.request.exchange, EXCHANGE_IMPROVEMENT, optimum, order);
		x.request.stop = &stop;
		x.request.checkpoint = &plan;
		search(&x, &engines[k]);
		assert_int_equal(left.best, optimum);
		assert_memory_equal(left.order, order, sizeof(order));
		checkpoint_free(&left);
		end(&x);
	}
}

/* ---- the threads ---- */

static void wait_for(const struct exchange *x, int64_t value)
{
	for (double begin = clock_wall(); exchange_value(x) > value; clock_sleep(0.001))
		assert_true(clock_wall() < begin + 60);
}

static void threads_improve_what_the_search_finds(void **state)
{
	struct flowshop f = loaded_flowshop("ta021");
	struct fsp_improve_plan plan = {
		.flowshop = &f, .threads = 2, .share = 0.5, .target = 1, .seed = 1
	};
	int64_t order[FLOWSHOP_MAX_JOBS], first, found;
	struct fsp_improver *i;

	(void)state;
	assert_int_equal(exchange_create(&plan.exchange, f.jobs, NULL, NULL), 0);
	for (int j = 0; j < f.jobs; j++)
		order[j] = j;
	first = flowshop_makespan(&f, order);
	exchange_offer(plan.exchange, EXCHANGE_START, first, order);
	assert_int_equal(fsp_improver_start(&i, &plan, NULL), 0);
	wait_for(plan.exchange, first - 1);
	/* a schedule of the search, within two steps of the optimum */
	found = fsp_neh(&f, order, NULL);
	exchange_offer(plan.exchange, EXCHANGE_SEARCH, found, order);
	wait_for(plan.exchange, found - 1);
	fsp_improver_stop(i);
	found = exchange_take(plan.exchange, INT64_MAX, order);
	assert_int_equal(flowshop_makespan(&f, order), found);
	assert_int_equal(plan.exchange->source, EXCHANGE_IMPROVEMENT);
	exchange_destroy(plan.exchange);
	flowshop_free(&f);
}

/* Threads that rest wake up, and those that have reached their target have ended. */
static void threads_stop_at_once(void **state)
{
	struct flowshop f = loaded_flowshop("ta051");
	struct fsp_improve_plan plan = { .flowshop = &f, .threads = 2, .share = 1e-4, .seed = 1 };
	int64_t order[FLOWSHOP_MAX_JOBS], neh = fsp_neh(&f, order, NULL);
	struct fsp_improver *i;
	double begin;

	(void)state;
	fsp_improver_stop(NULL);
	assert_int_equal(exchange_create(&plan.exchange, f.jobs, NULL, NULL), 0);
	exchange_offer(plan.exchange, EXCHANGE_START, neh, order);
	assert_int_equal(fsp_improver_start(&i, &plan, NULL), 0);
	clock_sleep(0.1);
	begin = clock_wall();
	fsp_improver_stop(i);
	assert_true(clock_wall() < begin + 10);
	plan.target = neh;
	assert_int_equal(fsp_improver_start(&i, &plan, NULL), 0);
	fsp_improver_stop(i);
	exchange_destroy(plan.exchange);
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_better_solution_is_kept),
		cmocka_unit_test(a_schedule_from_outside_cuts_nodes),
		cmocka_unit_test(the_search_offers_what_it_finds),
		cmocka_unit_test(checkpoints_hold_a_schedule_from_outside),
		cmocka_unit_test(threads_improve_what_the_search_finds),
		cmocka_unit_test(threads_stop_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
