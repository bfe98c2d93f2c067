/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Searches that begin on the cores while their devices open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/tree-search/search_target.h"
#include "harness/base/clock.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/tree-search/small_flowshops.h"

/* ---- devices that take their time ---- */

static atomic_bool may_open, must_fail;
static double opening_seconds;

int __real_dev_set_open_first(struct dev_set *, const char *, int, struct err *);
int __wrap_dev_set_open_first(struct dev_set *, const char *, int, struct err *);
int __wrap_dev_set_open_first(struct dev_set *set, const char *text, int gpus, struct err *e)
{
	while (!may_open)
		clock_sleep(1e-3);
	clock_sleep(opening_seconds);
	if (must_fail)
		return err_set(e, ERR_DEVICE, "no device");
	return __real_dev_set_open_first(set, text, gpus, e);
}

/* ---- searches ---- */

struct calls {
	int search, on_cores;
	struct search_request last; /* of `search` */
	const int64_t *better;      /* on_cores() stops with this schedule, of value better_value */
	int64_t better_value;
	bool opens; /* then the device opens */
	bool waits; /* on_cores() begins when the device is open, or cannot be opened */
	struct dev_opening *opening;
	bool queens;
};

static int engine(enum solve_variant v, bool queens, const struct search_request *q,
		  struct search_outcome *o, struct err *e)
{
	struct ivm_request request = { .common = *q };
	struct ivm_outcome outcome;
	int status;

	if (queens)
		return pool_search(v)(q, o, e);
	status = ivm_search(v, &request, &outcome, e);
	*o = outcome.common;
	outcome.common.order = NULL;
	ivm_outcome_free(&outcome);
	return status;
}

static int search(void *context, const struct search_request *q, struct search_outcome *o,
		  struct err *e)
{
	struct calls *c = context;

	c->search++;
	c->last = *q;
	return engine(SOLVE_TUNED, c->queens, q, o, e);
}

/* Finds a schedule, but does not end before it is told to. */
static int stop_with_schedule(const struct calls *c, const struct search_request *q,
			      struct search_outcome *o, struct err *e)
{
	struct interrupt i = interrupt_from(q);
	size_t size = (size_t)q->flowshop->jobs * sizeof(*o->order);

	*o = (struct search_outcome){ .best = c->better_value, .order = malloc(size) };
	assert_non_null(o->order);
	memcpy(o->order, c->better, size);
	may_open = c->opens;
	while (!interrupt_due(&i))
		clock_sleep(1e-3);
	return interrupt_status(&i, e);
}

static int on_cores(void *context, const struct search_request *q, struct search_outcome *o,
		    struct err *e)
{
	struct calls *c = context;

	assert_null(q->opening);
	if (++c->on_cores == 1 && c->better)
		return stop_with_schedule(c, q, o, e);
	while (c->waits && !interrupt_asked(q) && !dev_opening_failed(c->opening))
		clock_sleep(1e-3);
	return engine(SOLVE_CPU, c->queens, q, o, e);
}

static int run(struct calls *c, struct search_request q, struct search_outcome *o,
	       struct solve_result *r, bool *opened)
{
	const struct search_target target = { .context = c,
					      .search = search,
					      .on_cores = on_cores };
	struct dev_set set;
	struct err e = { 0 };
	int status;

	q.devices = &set;
	q.threads = 3;
	assert_int_equal(dev_opening_begin(&q.opening, &set, "sim", &e), 0);
	assert_int_equal(set.count, 0);
	c->opening = q.opening;
	*r = (struct solve_result){ 0 };
	status = search_target_run(&target, &q, o, r, &e);
	*opened = dev_opening_done(q.opening);
	may_open = true;
	dev_opening_destroy(q.opening);
	dev_set_close(&set);
	return status;
}

static struct search_outcome counted(bool queens, const struct search_request *q)
{
	struct search_request one = *q;
	struct search_outcome o;
	struct err e = { 0 };

	one.threads = 1;
	assert_int_equal(engine(SOLVE_CPU, queens, &one, &o, &e), 0);
	return o;
}

static void expect_equal(const struct search_outcome *a, const struct search_outcome *b)
{
	assert_true(a->complete && b->complete);
	assert_int_equal(a->best, b->best);
	assert_int_equal(a->solutions, b->solutions);
	if (a->solutions) /* N-Queens: not all engines count nodes */
		return;
	assert_int_equal(a->decomposed, b->decomposed);
	assert_int_equal(a->leaves, b->leaves);
}

static struct search_request flowshop_request(const struct flowshop *f)
{
	return (struct search_request){
		.flowshop = f, .bound = FSP_LB1, .branching = FSP_MINBRANCH, .ub = 1304
	};
}

/* ---- the tests ---- */

static void the_cores_answer_before_a_device_is_open(void **state)
{
	struct flowshop f = random_flowshop(14, 10, 99, 2);
	struct search_request q = flowshop_request(&f);
	struct search_outcome one = counted(false, &q), o;
	struct solve_result r;
	struct calls c = { 0 };
	struct err e = { 0 };
	bool opened;

	(void)state;
	assert_int_equal(watch_create(&q.watch, 0, &e), 0);
	may_open = false;
	assert_int_equal(run(&c, q, &o, &r, &opened), 0);
	assert_true(atomic_load(&q.watch->share) == 1);
	watch_destroy(q.watch);
	assert_false(opened);
	assert_true(r.on_cores);
	assert_int_equal(c.on_cores, 1);
	assert_int_equal(c.search, 0);
	expect_equal(&o, &one);
	search_outcome_free(&o);
	search_outcome_free(&one);
	flowshop_free(&f);
}

static void a_device_goes_on_from_the_best_schedule_of_the_cores(void **state)
{
	struct flowshop f = random_flowshop(8, 5, 99, 3);
	struct search_request q = flowshop_request(&f);
	int64_t order[8];
	struct search_outcome one, o;
	struct solve_result r;
	struct calls c = { .better = order, .opens = true };
	struct err e = { 0 };
	bool opened;

	(void)state;
	q.ub = SEARCH_NO_UB;
	q.time_limit = 1e4;
	one = counted(false, &q);
	for (int i = 0; i < 8; i++)
		order[i] = 7 - i;
	c.better_value = flowshop_makespan(&f, order);
	assert_int_equal(watch_create(&q.watch, 0, &e), 0);
	may_open = false;
	assert_int_equal(run(&c, q, &o, &r, &opened), 0);
	assert_true(q.watch->has_best);
	assert_int_equal(q.watch->event[0].value, c.better_value);
	watch_destroy(q.watch);
	assert_true(opened);
	assert_false(r.on_cores);
	assert_int_equal(c.search, 1);
	assert_int_equal(c.last.ub, c.better_value);
	assert_non_null(c.last.start);
	assert_true(c.last.time_limit < q.time_limit);
	assert_int_equal(o.best, one.best);
	search_outcome_free(&o);
	search_outcome_free(&one);
	flowshop_free(&f);
}

/* Whoever ends, and whenever the device opens, the counts are those of the tree. The device opens
 * after the end on the cores, before they begin, or at any time. */
static void expect_one_tree(bool queens, struct search_request q)
{
	enum { RUNS = SANITIZED ? 4 : 12 };
	struct search_outcome one = counted(queens, &q), o;
	struct solve_result r;
	bool opened, cores = false, devices = false;

	for (int i = 0; i < RUNS || (i < 40 && !(cores && devices)); i++) {
		struct calls c = { .queens = queens, .waits = i % 4 > 0 && i % 3 == 2 };

		may_open = i % 4 > 0;
		opening_seconds = i % 4 == 1 ? 0 : 1e-3 * (i % 7);
		assert_int_equal(run(&c, q, &o, &r, &opened), 0);
		assert_int_equal(r.on_cores, c.search == 0);
		cores = cores || r.on_cores;
		devices = devices || !r.on_cores;
		expect_equal(&o, &one);
		search_outcome_free(&o);
	}
	opening_seconds = 0;
	assert_true(cores && devices);
	search_outcome_free(&one);
}

static void counts_do_not_depend_on_when_a_device_opens(void **state)
{
	struct flowshop f = random_flowshop(14, 10, 99, 2), g = random_flowshop(14, 5, 99, 3);

	(void)state;
	expect_one_tree(false, flowshop_request(&f));
	expect_one_tree(false, (struct search_request){ .flowshop = &g,
							.bound = FSP_LB2,
							.branching = FSP_MAXSUM,
							.ub = 936 });
	expect_one_tree(true, (struct search_request){ .queens = 11, .solutions_only = true });
	flowshop_free(&f);
	flowshop_free(&g);
}

static void without_a_device_the_cores_do_it_all(void **state)
{
	struct flowshop f = random_flowshop(14, 10, 99, 2);
	struct search_request q = flowshop_request(&f);
	struct search_outcome one = counted(false, &q), o;
	struct solve_result r;
	struct calls c = { .waits = true };
	bool opened;

	(void)state;
	may_open = must_fail = true;
	assert_int_equal(run(&c, q, &o, &r, &opened), 0);
	must_fail = false;
	assert_true(r.on_cores);
	assert_int_equal(c.on_cores, 1);
	assert_int_equal(c.search, 0);
	assert_string_equal(r.note, "no device; the search went on without devices");
	expect_equal(&o, &one);
	search_outcome_free(&o);
	search_outcome_free(&one);
	flowshop_free(&f);
}

static void a_signal_or_the_time_limit_ends_it_on_the_cores(void **state)
{
	struct flowshop f = random_flowshop(8, 5, 99, 3);
	int64_t order[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	const volatile sig_atomic_t stop = 1;
	struct search_outcome o;
	struct solve_result r;
	bool opened;

	(void)state;
	for (int by_signal = 0; by_signal < 2; by_signal++) {
		struct search_request q = flowshop_request(&f);
		struct calls c = { .better = order, .better_value = 1200 };

		may_open = false;
		q.time_limit = by_signal ? 0 : 0.01;
		q.stop = by_signal ? &stop : NULL;
		assert_int_equal(run(&c, q, &o, &r, &opened), ERR_LIMIT);
		assert_true(r.on_cores);
		assert_int_equal(c.search, 0);
		assert_int_equal(o.best, 1200);
		search_outcome_free(&o);
	}
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cores_answer_before_a_device_is_open),
		cmocka_unit_test(a_device_goes_on_from_the_best_schedule_of_the_cores),
		cmocka_unit_test(counts_do_not_depend_on_when_a_device_opens),
		cmocka_unit_test(without_a_device_the_cores_do_it_all),
		cmocka_unit_test(a_signal_or_the_time_limit_ends_it_on_the_cores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
