/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A search of gmys-ivm continues the work of another one: the depth-first search on devices resumes
 * from intervals, and Algorithm 7 from open nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/explorers/explorer.h"
#include "algorithms/gmys-ivm/ivm_cover.h"
#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/gmys-ivm/origin.h"
#include "algorithms/tree-search/checkpoint.h"
#include "harness/base/rng.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_flowshops.h"
#include "tests/unit/base/temporary_folder.h"

enum { JOBS = 9, TRIALS = 12 };

struct half_done {
	struct flowshop f;
	struct ivm_request r;
	struct ivm_outcome all; /* of the whole search */
	uint64_t left;          /* intervals */
	char path[128];
	struct checkpoint_plan plan;
};

/* Makes some steps with one explorer and writes the rest to the file, cut into up to three
 * intervals. */
static void work_a_little(struct half_done *h, struct rng *rng)
{
	struct ivm_origin o;
	struct ivm_problem p;
	struct ivm_explorer x;
	uint16_t interval[3][2][JOBS];
	int count = 0;

	assert_int_equal(ivm_problem_make(&p, &h->r.common, NULL), 0);
	assert_int_equal(ivm_origin_open(&o, &p, &h->r.common, NULL, NULL), 0);
	assert_int_equal(ivm_explorer_open(&x, &p, NULL), 0);
	x.best = o.best;
	ivm_explorer_start(&x, o.interval, o.interval + p.n);
	for (uint64_t i = rng_below(rng, h->all.common.decomposed); i; i--)
		ivm_explorer_step(&x);
	while (count < 2 && ivm_explorer_split(&x, 1, 2, interval[count][0], interval[count][1]))
		count++;
	count += ivm_explorer_take(&x, interval[count][0], interval[count][1]);
	h->left = (uint64_t)count;
	h->r.common.checkpoint = &h->plan;
	h->plan = (struct checkpoint_plan){ .write = h->path };
	assert_int_equal(
		ivm_origin_write(&o, &h->r.common, x.counts, interval[0][0], h->left, NULL), 0);
	h->plan = (struct checkpoint_plan){ .resume = h->path };
	ivm_origin_close(&o);
	ivm_explorer_close(&x);
	ivm_problem_free(&p);
}

/* Rewrites the file with the same work as nodes. */
static void turn_into_nodes(struct half_done *h)
{
	struct checkpoint_key key;
	struct checkpoint c;
	struct ivm_problem p;

	assert_int_equal(ivm_problem_make(&p, &h->r.common, NULL), 0);
	checkpoint_key_of(&h->r.common, h->r.common.ub, &key);
	assert_int_equal(ivm_cover_read(&c, h->path, &key, &p, CHECKPOINT_NODES, NULL, NULL), 0);
	assert_int_equal(c.form, CHECKPOINT_NODES);
	assert_int_equal(checkpoint_write(&c, h->path, NULL), 0);
	checkpoint_free(&c);
	ivm_problem_free(&p);
}

static void half_do(struct half_done *h, struct rng *rng, int trial)
{
	struct ivm_outcome any;

	memset(h, 0, sizeof(*h));
	snprintf(h->path, sizeof(h->path), "%s/half", folder);
	h->f = random_flowshop(JOBS, 4 + trial % 4, 99, 100 + trial);
	h->r.common = (struct search_request){
		.flowshop = &h->f,
		.ub = SEARCH_NO_UB,
		.bound = trial % 3 ? FSP_LB1 : FSP_LB2,
		.branching = (enum fsp_branching)(trial % 3),
	};
	assert_int_equal(ivm_search(SOLVE_SERIAL, &h->r, &any, NULL), 0);
	h->r.common.ub = any.common.best;
	ivm_outcome_free(&any);
	assert_int_equal(ivm_search(SOLVE_SERIAL, &h->r, &h->all, NULL), 0);
	work_a_little(h, rng);
}

static void finish(struct half_done *h, enum solve_variant variant)
{
	struct ivm_outcome o;
	struct err e = { 0 };

	if (ivm_search(variant, &h->r, &o, &e))
		fail_msg("%s", e.text);
	assert_true(o.common.complete);
	assert_int_equal(o.common.decomposed, h->all.common.decomposed);
	assert_int_equal(o.common.best, h->all.common.best);
	/* `explored` covers all runs or is not reported */
	assert_true(!o.common.explored || o.common.explored + 1 == o.common.decomposed);
	ivm_outcome_free(&o);
}

static void close_half(struct half_done *h)
{
	ivm_outcome_free(&h->all);
	flowshop_free(&h->f);
}

static void depth_first_search_resumes_from_intervals(void **state)
{
	struct rng rng = rng_seeded(1);
	uint64_t left = 0;

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct half_done h;
		struct dev_set devices;

		open_devices(&devices, 1 + trial % 2, "random", trial);
		half_do(&h, &rng, trial);
		h.r.common.devices = &devices;
		finish(&h, SOLVE_TUNED);
		left += h.left;
		close_half(&h);
		dev_set_close(&devices);
	}
	assert_true(left > TRIALS);
}

static void interval_search_resumes_from_nodes(void **state)
{
	struct rng rng = rng_seeded(2);
	uint64_t left = 0;

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct half_done h;

		half_do(&h, &rng, trial);
		turn_into_nodes(&h);
		h.r.common.threads = 1 + trial % 3;
		finish(&h, trial % 4 ? SOLVE_PUBLISHED : SOLVE_SERIAL);
		left += h.left;
		close_half(&h);
	}
	assert_true(left > TRIALS);
}

static void half_with_nodes(struct half_done *h, struct rng *rng)
{
	uint64_t nodes = 0;

	for (int trial = 0; !nodes; trial++) {
		struct checkpoint c;

		half_do(h, rng, trial);
		turn_into_nodes(h);
		assert_int_equal(checkpoint_read(&c, h->path, NULL), 0);
		nodes = c.count;
		checkpoint_free(&c);
		if (!nodes)
			close_half(h);
	}
}

/* The file keeps its nodes unchanged, and the outcome has the values of the file. */
static void a_signal_during_conversion_keeps_the_work(void **state)
{
	static const enum solve_variant variants[] = { SOLVE_SERIAL, SOLVE_PUBLISHED };
	struct rng rng = rng_seeded(5);
	sig_atomic_t stop = 1;
	struct half_done h;
	struct checkpoint c;
	char left[128];

	(void)state;
	snprintf(left, sizeof(left), "%s/left", folder);
	half_with_nodes(&h, &rng);
	h.r.common.threads = 2;
	h.r.common.stop = &stop;
	for (int i = 0; i < 2; i++) {
		struct ivm_outcome o;

		stop = 1;
		h.plan = (struct checkpoint_plan){ .resume = h.path, .write = left };
		assert_int_equal(ivm_search(variants[i], &h.r, &o, NULL), ERR_LIMIT);
		assert_false(o.common.complete);
		assert_int_equal(o.common.best, h.all.common.best);
		assert_in_range(o.common.lower_bound, 1, o.common.best);
		assert_int_equal(checkpoint_read(&c, left, NULL), 0);
		assert_int_equal(c.form, CHECKPOINT_NODES);
		assert_int_equal(c.decomposed, o.common.decomposed);
		checkpoint_free(&c);
		ivm_outcome_free(&o);
		stop = 0;
		h.plan = (struct checkpoint_plan){ .resume = left };
		finish(&h, variants[i]);
	}
	close_half(&h);
}

static void intervals_of_another_search_are_refused(void **state)
{
	struct rng rng = rng_seeded(3);
	struct half_done h;
	struct dev_set devices;
	struct ivm_outcome o;
	struct err e = { 0 };

	(void)state;
	open_devices(&devices, 1, "order", 0);
	half_do(&h, &rng, 1);
	h.r.common.devices = &devices;
	h.r.common.branching = FSP_FORWARD;
	assert_int_equal(ivm_search(SOLVE_TUNED, &h.r, &o, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "tree is lb1-maxsum, not lb1-forward"));
	ivm_outcome_free(&o);
	close_half(&h);
	dev_set_close(&devices);
}

/* A search from a bound below the optimum finds no schedule. Resumed, it proves only that bound. */
static void resumed_search_without_a_schedule_proves_its_bound(void **state)
{
	static const enum solve_variant variants[] = { SOLVE_SERIAL, SOLVE_PUBLISHED };
	struct rng rng = rng_seeded(4);
	struct half_done h;
	struct checkpoint c;
	int64_t lower;

	(void)state;
	half_do(&h, &rng, 1);
	assert_int_equal(checkpoint_read(&c, h.path, NULL), 0);
	free(c.order);
	c.order = NULL;
	c.count = 0;
	lower = c.best -= 1;
	assert_int_equal(checkpoint_write(&c, h.path, NULL), 0);
	checkpoint_free(&c);
	h.r.common.threads = 2;
	for (int i = 0; i < 2; i++) {
		struct ivm_outcome o;

		assert_int_equal(ivm_search(variants[i], &h.r, &o, NULL), 0);
		assert_int_equal(o.common.lower_bound, lower);
		assert_null(o.common.order);
		ivm_outcome_free(&o);
	}
	close_half(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depth_first_search_resumes_from_intervals),
		cmocka_unit_test(interval_search_resumes_from_nodes),
		cmocka_unit_test(a_signal_during_conversion_keeps_the_work),
		cmocka_unit_test(intervals_of_another_search_are_refused),
		cmocka_unit_test(resumed_search_without_a_schedule_proves_its_bound),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
