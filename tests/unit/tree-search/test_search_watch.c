/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Every engine tells a watch its nodes and schedules, and stops at a node limit with counts that
 * balance (the engines check that themselves), without searching another tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/ivm_search.h"
#include "datasets/atsp/atsp.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_searches.h"

static int ivm(enum solve_variant v, const struct search_request *r, struct search_outcome *o,
	       struct err *e)
{
	struct ivm_request request = { .common = *r, .mode = IVM_PAPER_MODE, .ivms = 16 };
	struct ivm_outcome outcome = { .ivms = 0 };
	int status = ivm_search(v, &request, &outcome, e);

	*o = outcome.common;
	outcome.common.order = NULL;
	ivm_outcome_free(&outcome);
	return status;
}

static int ivm_serial(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return ivm(SOLVE_SERIAL, r, o, e);
}

static int ivm_cpu(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return ivm(SOLVE_CPU, r, o, e);
}

static int ivm_published(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return ivm(SOLVE_PUBLISHED, r, o, e);
}

static int ivm_tuned(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return ivm(SOLVE_TUNED, r, o, e);
}

static int pool_published(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return pool_search(SOLVE_PUBLISHED)(r, o, e);
}

static int pool_tuned(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return pool_search(SOLVE_TUNED)(r, o, e);
}

static int pool_cpu(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return pool_search(SOLVE_CPU)(r, o, e);
}

enum { FORWARD = 1, HALF = 2, ON_DEVICE = 4, ALONE = 8 };

static const struct engine {
	const char *name;
	search_fn *search;
	int kind;
} engines[] = {
	{ "pool serial", pool_search_serial, FORWARD | ALONE },
	{ "pool cpu", pool_cpu, FORWARD },
	{ "pool published", pool_published, FORWARD | ON_DEVICE },
	{ "pool tuned", pool_tuned, FORWARD | ON_DEVICE },
	{ "ivm serial", ivm_serial, HALF | ALONE },
	{ "ivm cpu", ivm_cpu, HALF },
	{ "ivm published", ivm_published, HALF },
	{ "ivm published, device", ivm_published, HALF | ON_DEVICE },
	{ "ivm tuned", ivm_tuned, HALF | ON_DEVICE },
};
enum { ENGINES = sizeof(engines) / sizeof(engines[0]) };

struct bed {
	struct dev_set devices;
	struct search_request request;
};

static void open_bed(struct bed *b, const struct engine *x, struct search_request r)
{
	*b = (struct bed){ .request = r };
	b->request.threads = x->kind & ON_DEVICE ? 0 : 2;
	b->request.m = 8;
	b->request.half_board = r.queens && x->kind & HALF;
	b->request.branching = x->kind & FORWARD ? FSP_FORWARD : FSP_MAXSUM;
	if (x->kind & ON_DEVICE) {
		open_devices(&b->devices, 2, "order", 1);
		b->request.devices = &b->devices;
	}
}

static void close_bed(struct bed *b)
{
	if (b->request.devices)
		dev_set_close(&b->devices);
}

/* The nodes that a watch is told (search.h). */
static uint64_t nodes_of(const struct search_request *r, const struct search_outcome *o,
			 const struct engine *x)
{
	return r->queens && !(x->kind & HALF) ? o->explored : o->decomposed;
}

/* Runs to the end with a watch. Returns the nodes of the tree. */
static uint64_t search_whole(const struct engine *x, struct search_request r)
{
	struct search_outcome plain, o;
	struct watch_view v;
	struct err e = { 0 };
	struct bed b;
	uint64_t nodes;

	open_bed(&b, x, r);
	if (x->search(&b.request, &plain, &e))
		fail_msg("%s: %s", x->name, e.text);
	assert_int_equal(watch_create(&b.request.watch, 0, NULL), 0);
	if (x->search(&b.request, &o, &e))
		fail_msg("%s with a watch: %s", x->name, e.text);
	nodes = nodes_of(&r, &o, x);
	watch_view(b.request.watch, &v);
	assert_true(o.complete && o.solutions == plain.solutions && o.best == plain.best);
	if (v.nodes > nodes)
		fail_msg("%s: %llu nodes shown, %llu searched", x->name, (long long)v.nodes,
			 (long long)nodes);
	/* a search may begin with a solution of its own that is optimal */
	assert_int_equal(v.has_best ? v.best : o.best, o.best);
	assert_true(v.has_best || !r.flowshop);
	watch_destroy(b.request.watch);
	close_bed(&b);
	search_outcome_free(&o);
	search_outcome_free(&plain);
	return nodes;
}

/* `most`: how many nodes more than the limit the search may decompose. */
static void search_to_limit(const struct engine *x, struct search_request r, uint64_t limit,
			    uint64_t most)
{
	struct search_outcome o;
	struct err e = { 0 };
	struct bed b;
	uint64_t nodes;
	int status;

	open_bed(&b, x, r);
	assert_int_equal(watch_create(&b.request.watch, limit, NULL), 0);
	status = x->search(&b.request, &o, &e);
	nodes = nodes_of(&r, &o, x);
	if (status != ERR_LIMIT)
		fail_msg("%s: status %d, %s; %llu nodes", x->name, status, e.text,
			 (long long)nodes);
	assert_non_null(strstr(e.text, "the node limit"));
	assert_false(o.complete);
	if (!r.queens)
		assert_true(o.lower_bound <= o.best);
	if (x->kind & ALONE && !r.queens)
		most = 0;
	/* a search of N-Queens that stops early may not count decomposed nodes */
	if (nodes && (nodes < limit || nodes > limit + most))
		fail_msg("%s: %llu nodes, expected %llu and at most %llu more", x->name,
			 (long long)nodes, (long long)limit, (long long)most);
	watch_destroy(b.request.watch);
	close_bed(&b);
	search_outcome_free(&o);
}

static void flowshop_engines_show_what_they_do(void **state)
{
	struct flowshop f;

	(void)state;
	small_flowshop(&f, 7, 4, 50, 3);
	for (int i = 0; i < ENGINES; i++)
		search_whole(&engines[i], (struct search_request){ .flowshop = &f,
								   .bound = FSP_LB1,
								   .ub = SEARCH_NO_UB });
	flowshop_free(&f);
}

/* The search by sets works in batches of many nodes; devices in launches. */
static uint64_t most_beyond(const struct engine *x, bool lb2)
{
	if (x->kind & ON_DEVICE)
		return 100000;
	return lb2 && x->search == pool_cpu ? 50000 : 200;
}

static void flowshop_engines_stop_at_the_node_limit(void **state)
{
	struct flowshop f;

	(void)state;
	small_flowshop(&f, 20, 15, 99, 5);
	for (int i = 0; i < ENGINES; i++) {
		for (int bound = 0; bound < (UNDER_TSAN ? 1 : 2); bound++)
			search_to_limit(&engines[i],
					(struct search_request){ .flowshop = &f,
								 .bound = bound ? FSP_LB2 : FSP_LB1,
								 .ub = SEARCH_NO_UB },
					300, most_beyond(&engines[i], bound));
	}
	flowshop_free(&f);
}

static void queens_engines_show_what_they_do_and_stop(void **state)
{
	(void)state;
	for (int i = 0; i < ENGINES; i++) {
		search_whole(&engines[i], (struct search_request){ .queens = 7 });
		/* devices search all of a small board at once */
		if (!(engines[i].kind & ON_DEVICE))
			search_to_limit(&engines[i], (struct search_request){ .queens = 16 }, 5000,
					50000000);
	}
}

static void atsp_engines_show_what_they_do_and_stop(void **state)
{
	struct atsp small, large;

	(void)state;
	assert_int_equal(atsp_load(&small, "random:7:50:1", NULL), 0);
	assert_int_equal(atsp_load(&large, "random:18:1000:1", NULL), 0);
	for (int i = 0; i < ENGINES; i++) {
		if (!(engines[i].kind & HALF))
			continue;
		search_whole(&engines[i],
			     (struct search_request){ .atsp = &small, .ub = SEARCH_NO_UB });
		if (!(engines[i].kind & ON_DEVICE))
			search_to_limit(
				&engines[i],
				(struct search_request){ .atsp = &large, .ub = SEARCH_NO_UB }, 5000,
				200000);
	}
	atsp_free(&small);
	atsp_free(&large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flowshop_engines_show_what_they_do),
		cmocka_unit_test(flowshop_engines_stop_at_the_node_limit),
		cmocka_unit_test(queens_engines_show_what_they_do_and_stop),
		cmocka_unit_test(atsp_engines_show_what_they_do_and_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
