/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Searches that begin on the first of several simulated devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/tree-search/atsp/atsp_start.h"
#include "algorithms/tree-search/by-set/sets_device.h"
#include "algorithms/tree-search/depth-first/dfs_device.h"
#include "algorithms/tree-search/joining.h"
#include "harness/base/clock.h"
#include "harness/base/team.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_atsps.h"
#include "tests/unit/tree-search/small_flowshops.h"

/* ---- devices that cannot be opened ---- */

static atomic_bool refusing;
static atomic_int opened;

int __real_dfs_device_open(struct dfs_device *, struct dev *, const struct dfs_job *,
			   struct dfs_mail *, int, int, struct err *);
int __wrap_dfs_device_open(struct dfs_device *, struct dev *, const struct dfs_job *,
			   struct dfs_mail *, int, int, struct err *);
int __wrap_dfs_device_open(struct dfs_device *d, struct dev *dev, const struct dfs_job *job,
			   struct dfs_mail *mail, int devices, int self, struct err *e)
{
	int status = __real_dfs_device_open(d, dev, job, mail, devices, self, e);

	if (!status && atomic_fetch_add(&opened, 1) > 0 && refusing)
		return err_set(e, ERR_MEMORY, "no memory");
	return status;
}

int __real_sets_device_open(struct sets_device *, struct dev *, const struct sets_tables *, int64_t,
			    int, struct err *);
int __wrap_sets_device_open(struct sets_device *, struct dev *, const struct sets_tables *, int64_t,
			    int, struct err *);
int __wrap_sets_device_open(struct sets_device *d, struct dev *dev, const struct sets_tables *t,
			    int64_t memory, int devices, struct err *e)
{
	int status = __real_sets_device_open(d, dev, t, memory, devices, e);

	if (!status && atomic_fetch_add(&opened, 1) > 0 && refusing)
		return err_set(e, ERR_MEMORY, "no memory");
	return status;
}

/* ---- searches ---- */

static int pool(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return pool_search(SOLVE_TUNED)(r, o, e);
}

static int intervals(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	struct ivm_request request = { .common = *r };
	struct ivm_outcome outcome;
	int status = ivm_search(SOLVE_TUNED, &request, &outcome, e);

	*o = outcome.common;
	outcome.common.order = NULL;
	ivm_outcome_free(&outcome);
	return status;
}

static struct search_outcome run(search_fn *search, const struct search_request *r)
{
	struct search_outcome o;
	struct err e = { 0 };

	if (search(r, &o, &e))
		fail_msg("%s", e.text);
	assert_true(o.complete);
	return o;
}

enum { RUNS = 40 };
#define AT_ONCE 1e-9
#define NEVER 1e9

/* Checks that the tree is the same as on one device, and that others do not join before they are
 * due. Repeats the search until all devices have had nodes together with the first one. */
static void expect_joining(search_fn *search, struct search_request r)
{
	struct dev_set set;
	struct search_outcome one, o;
	bool all = false;

	open_devices(&set, 3, "random", 5);
	r.devices = &set;
	r.gpus = 1;
	one = run(search, &r);
	assert_int_equal(one.devices_used, 1);
	r.gpus = 0;
	r.as_pays = true;
	r.alone_seconds = NEVER;
	for (int i = 0; i < RUNS && !all; i++) {
		o = run(search, &r);
		assert_int_equal(o.explored, one.explored);
		assert_int_equal(o.decomposed, one.decomposed);
		assert_int_equal(o.leaves, one.leaves);
		assert_int_equal(o.solutions, one.solutions);
		assert_int_equal(o.best, one.best);
		if (i == 0) {
			assert_int_equal(o.devices_used, 1);
			assert_int_equal(o.workers, 1);
		}
		all = o.devices_used == 7;
		search_outcome_free(&o);
		r.alone_seconds = i % 2 ? 2e-3 : AT_ONCE;
	}
	assert_true(all);
	search_outcome_free(&one);
	dev_set_close(&set);
}

static void flowshop_by_set_lets_devices_join(void **state)
{
	struct flowshop f = random_flowshop(14, 5, 99, 3);

	(void)state;
	expect_joining(pool, (struct search_request){ .flowshop = &f,
						      .bound = FSP_LB2,
						      .branching = FSP_FORWARD,
						      .ub = UNDER_TSAN ? 930 : 936 });
	flowshop_free(&f);
}

static void flowshop_by_set_from_both_ends_lets_devices_join(void **state)
{
	struct flowshop f = loaded_flowshop("ta030");

	(void)state;
	expect_joining(intervals, (struct search_request){ .flowshop = &f,
							   .bound = FSP_LB2,
							   .branching = FSP_MINBRANCH,
							   .ub = UNDER_TSAN ? 2110 : 2120 });
	flowshop_free(&f);
}

static void flowshop_depth_first_lets_devices_join(void **state)
{
	struct flowshop f = random_flowshop(14, 10, 99, 2);

	(void)state;
	expect_joining(pool, (struct search_request){ .flowshop = &f,
						      .bound = FSP_LB1,
						      .branching = FSP_MINBRANCH,
						      .ub = 1304 });
	flowshop_free(&f);
}

/* The first device goes on alone. Repeats the search until another one has tried to join. */
static void expect_alone(struct search_request r)
{
	struct dev_set set;
	struct search_outcome one, o;
	bool tried = false;

	open_devices(&set, 2, "random", 5);
	r.devices = &set;
	r.gpus = 1;
	one = run(pool, &r);
	r.gpus = 0;
	r.as_pays = true;
	r.alone_seconds = AT_ONCE;
	refusing = true;
	for (int i = 0; i < RUNS && !tried; i++) {
		opened = 0;
		o = run(pool, &r);
		tried = opened > 1;
		assert_int_equal(o.decomposed, one.decomposed);
		assert_int_equal(o.devices_used, 1);
		search_outcome_free(&o);
	}
	refusing = false;
	assert_true(tried);
	search_outcome_free(&one);
	dev_set_close(&set);
}

static void a_device_that_cannot_be_opened_ends_no_search(void **state)
{
	struct flowshop f = random_flowshop(14, 5, 99, 3), g = random_flowshop(14, 10, 99, 2);

	(void)state;
	expect_alone((struct search_request){
		.flowshop = &f, .bound = FSP_LB2, .branching = FSP_FORWARD, .ub = 936 });
	expect_alone((struct search_request){
		.flowshop = &g, .bound = FSP_LB1, .branching = FSP_MINBRANCH, .ub = 1304 });
	flowshop_free(&f);
	flowshop_free(&g);
}

static void queens_let_devices_join(void **state)
{
	(void)state;
	expect_joining(pool, (struct search_request){ .queens = 14 });
	expect_joining(pool, (struct search_request){ .queens = 13, .solutions_only = true });
}

static void intervals_let_devices_join(void **state)
{
	struct atsp a = random_atsp(12, 30, 2);
	int64_t tour[12], cost;
	struct err e = { 0 };

	(void)state;
	expect_joining(intervals, (struct search_request){ .queens = 13, .half_board = true });
	assert_int_equal(atsp_start(&a, NULL, tour, &cost, &e), 0);
	expect_joining(intervals, (struct search_request){ .atsp = &a, .ub = cost });
	atsp_free(&a);
}

/* ---- the rule itself ---- */

static void others_wait_twice_as_long_as_the_first_took(void **state)
{
	struct search_request r = { .as_pays = true };
	struct joining j;
	struct dev_set set;
	double begin;

	(void)state;
	open_devices(&set, 2, "order", 0);
	r.devices = &set;
	joining_open(&j, &r, 2);
	assert_int_equal(joining_first(&j, 2), 1);
	begin = clock_wall();
	joining_begin(&j, 0.05);
	assert_true(joining_wait(&j, 1));
	assert_true(clock_wall() - begin >= 2 * (dev_start_seconds(set.dev[0]) + 0.05));
	joining_end(&j);
	assert_false(joining_wait(&j, 1));
	joining_close(&j);
	dev_set_close(&set);
}

static void all_begin_where_some_must(void **state)
{
	struct search_request all[] = { { .as_pays = false },
					{ .as_pays = true, .no_stealing = true },
					{ .as_pays = true,
					  .checkpoint = (struct checkpoint_plan *)state } };
	struct joining j;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		joining_open(&j, &all[i], 2);
		assert_int_equal(joining_first(&j, 2), 2);
		joining_close(&j);
	}
}

struct connecting {
	struct joining *joining;
	struct dev *device;
	int number, status;
};

static void connect_one(void *of)
{
	struct connecting *c = of;
	struct dev_stream *stream;

	c->status = dev_stream_create(c->device, &stream, NULL);
	if (c->status)
		return;
	c->status = joining_connect(c->joining, c->number, stream, NULL);
	dev_stream_destroy(stream);
}

/* A data race between their first copies shows up in ThreadSanitizer. */
static void several_devices_connect_at_once(void **state)
{
	enum { DEVICES = 5, TIMES = 20 };
	struct connecting c[DEVICES - 1];
	struct search_request r = { .as_pays = true };
	struct joining j;
	struct dev_set set;

	(void)state;
	open_devices(&set, DEVICES, "random", 5);
	r.devices = &set;
	for (int time = 0; time < TIMES; time++) {
		joining_open(&j, &r, DEVICES);
		for (int i = 1; i < DEVICES; i++)
			c[i - 1] = (struct connecting){ .joining = &j,
							.device = set.dev[i],
							.number = i };
		assert_int_equal(team_run_all(connect_one, c, sizeof(*c), DEVICES - 1, NULL), 0);
		for (int i = 0; i < DEVICES - 1; i++)
			assert_int_equal(c[i].status, 0);
		joining_close(&j);
	}
	dev_set_close(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_wait_twice_as_long_as_the_first_took),
		cmocka_unit_test(all_begin_where_some_must),
		cmocka_unit_test(several_devices_connect_at_once),
		cmocka_unit_test(flowshop_by_set_lets_devices_join),
		cmocka_unit_test(flowshop_by_set_from_both_ends_lets_devices_join),
		cmocka_unit_test(flowshop_depth_first_lets_devices_join),
		cmocka_unit_test(a_device_that_cannot_be_opened_ends_no_search),
		cmocka_unit_test(queens_let_devices_join),
		cmocka_unit_test(intervals_let_devices_join),
	};

	return cmocka_run_group_tests_name("joining", tests, NULL, NULL);
}
