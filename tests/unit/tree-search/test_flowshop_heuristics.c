/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* NEH and iterated greedy: valid schedules, never better than the optimum, and as good as
 * expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/tree-search/flowshop/fsp_greedy.h"
#include "algorithms/tree-search/flowshop/fsp_improve.h"
#include "algorithms/tree-search/flowshop/fsp_start.h"
#include "harness/base/outfile.h"
#include "harness/base/rng.h"
#include "tests/unit/base/temporary_folder.h"
#include "tests/unit/tree-search/small_flowshops.h"

enum { MOST_JOBS = 500 };

static int64_t neh(const struct flowshop *f, int64_t *order)
{
	struct err e = { 0 };
	int64_t makespan = fsp_neh(f, order, &e);

	if (makespan < 0)
		fail_msg("%s", e.text);
	assert_int_equal(flowshop_makespan(f, order), makespan);
	return makespan;
}

static int64_t greedy(const struct flowshop *f, int64_t *order, double seconds, int64_t target,
		      uint64_t seed)
{
	struct fsp_start_effort x = { .seconds = seconds, .threads = 1, .seed = seed };
	struct err e = { 0 };
	int64_t makespan = fsp_start_improve(f, &x, target, order, &e);

	if (makespan < 0)
		fail_msg("%s", e.text);
	assert_int_equal(flowshop_makespan(f, order), makespan);
	return makespan;
}

/* Makespan of the first `count` jobs of an order. */
static int64_t partial(const struct flowshop *f, const int64_t *order, int count)
{
	int64_t done[FLOWSHOP_MAX_MACHINES] = { 0 };

	for (int i = 0; i < count; i++)
		for (int k = 0; k < f->machines; k++) {
			if (k && done[k] < done[k - 1])
				done[k] = done[k - 1];
			done[k] += f->time[k * f->jobs + order[i]];
		}
	return done[f->machines - 1];
}

static int64_t work(const struct flowshop *f, int job)
{
	int64_t sum = 0;

	for (int k = 0; k < f->machines; k++)
		sum += f->time[k * f->jobs + job];
	return sum;
}

/* Inserts `job` at the first position with the least makespan, by trying all. */
static void insert_by_trying(const struct flowshop *f, int64_t *order, int count, int job)
{
	int64_t least = INT64_MAX, best[MOST_JOBS] = { 0 };

	for (int place = 0; place <= count; place++) {
		int64_t with[MOST_JOBS];

		for (int i = 0; i <= count; i++)
			with[i] = i < place ? order[i] : i == place ? job : order[i - 1];
		if (partial(f, with, count + 1) >= least)
			continue;
		least = partial(f, with, count + 1);
		memcpy(best, with, sizeof(best));
	}
	memcpy(order, best, (size_t)(count + 1) * sizeof(*order));
}

/* NEH as described in the paper, without acceleration. */
static void plain_neh(const struct flowshop *f, int64_t *order)
{
	bool used[MOST_JOBS] = { false };

	for (int count = 0; count < f->jobs; count++) {
		int most = -1;

		for (int j = 0; j < f->jobs; j++)
			if (!used[j] && (most < 0 || work(f, j) > work(f, most)))
				most = j;
		used[most] = true;
		insert_by_trying(f, order, count, most);
	}
}

static void neh_matches_a_plain_implementation(void **state)
{
	static const char *const names[] = { "ta001",
					     "ta021",
					     "random:30x1:9",
					     "random:1x7:9",
					     "random:25x12:3:4",
					     "random:40x4:1000:5" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct flowshop f = loaded_flowshop(names[i]);
		int64_t fast[MOST_JOBS], plain[MOST_JOBS];

		neh(&f, fast);
		plain_neh(&f, plain);
		assert_memory_equal(fast, plain, (size_t)f.jobs * sizeof(*fast));
		flowshop_free(&f);
	}
}

static void iterated_greedy_solves_small_instances(void **state)
{
	struct rng r = rng_seeded(1);
	int above = 0;

	(void)state;
	for (int t = 0; t < 80; t++) {
		int64_t order[8], optimum, first;
		struct err e = { 0 };
		struct flowshop f;
		char name[64];

		snprintf(name, sizeof(name), "random:%dx%d:%d:%d", (int)rng_between(&r, 1, 7),
			 (int)rng_between(&r, 1, 6), t % 2 ? 99 : 5, t);
		f = loaded_flowshop(name);
		assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
		first = neh(&f, order);
		assert_true(first >= optimum);
		above += first > optimum;
		assert_int_equal(greedy(&f, order, 20, optimum, 1), optimum);
		/* a search that moves on must not lose it */
		assert_int_equal(greedy(&f, order, 0.002, 0, 2), optimum);
		flowshop_free(&f);
	}
	assert_true(above > 5); /* otherwise the greedy had nothing to do */
}

static void iterated_greedy_stops_at_its_target(void **state)
{
	static const char *const names[] = { "ta001", "ta011", "ta021" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct flowshop f = loaded_flowshop(names[i]);
		int64_t optimum = flowshop_known(names[i])->upper, order[20], again[20];

		assert_true(neh(&f, order) > optimum);
		memcpy(again, order, sizeof(again));
		assert_int_equal(greedy(&f, order, 60, optimum, 1), optimum);
		/* the same seed gives the same run */
		assert_int_equal(greedy(&f, again, 60, optimum, 1), optimum);
		assert_memory_equal(again, order, sizeof(order));
		flowshop_free(&f);
	}
}

/* For a large instance only the time limit ends the greedy: a run that ignored it would not
 * return. */
static void iterated_greedy_keeps_its_time_limit(void **state)
{
	static const char *const names[] = { "ta111", "random:500x60:71400" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct flowshop f = loaded_flowshop(names[i]);
		int64_t order[MOST_JOBS], start = neh(&f, order);

		assert_true(greedy(&f, order, 0.2, 0, 3) <= start);
		flowshop_free(&f);
	}
}

/* Without settling, the run would take its 600 s. */
static void a_settled_run_ends_before_its_time(void **state)
{
	struct fsp_improve_plan plan = { .threads = 3, .share = 1, .seed = 1 };
	struct flowshop f = loaded_flowshop("random:7x5:99:3");
	int64_t order[7], optimum;
	struct err e = { 0 };

	(void)state;
	plan.flowshop = &f;
	for (int i = 0; i < f.jobs; i++)
		order[i] = i;
	assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, &e), 0);
	assert_true(flowshop_makespan(&f, order) > optimum);
	assert_int_equal(fsp_improve(&plan, order, 600, true, NULL, &e), optimum);
	assert_int_equal(flowshop_makespan(&f, order), optimum);
	flowshop_free(&f);
}

static void a_stopped_run_returns_its_start(void **state)
{
	struct flowshop f = loaded_flowshop("ta051");
	int64_t order[50], start[50], makespan = neh(&f, order);
	volatile sig_atomic_t stop = 1;
	struct fsp_start_effort x = { .seconds = 60, .threads = 1, .seed = 1, .stop = &stop };
	struct err e = { 0 };

	(void)state;
	memcpy(start, order, sizeof(start));
	assert_int_equal(fsp_start_improve(&f, &x, 0, order, &e), makespan);
	assert_memory_equal(order, start, sizeof(start));
	assert_int_equal(greedy(&f, order, 60, makespan, 1), makespan);
	assert_memory_equal(order, start, sizeof(start));
	flowshop_free(&f);
}

static void orders_that_are_no_permutation_are_refused(void **state)
{
	struct flowshop f = loaded_flowshop("random:3x3:9");
	struct fsp_start_effort x = { .seconds = 1, .threads = 1, .seed = 1 };
	int64_t order[] = { 0, 2, 2 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(fsp_start_improve(&f, &x, 0, order, &e), ERR_USAGE);
	assert_non_null(strstr(e.text, "not a permutation"));
	flowshop_free(&f);
}

/* Reads the text as an answer to f; returns the status and leaves the message in *e. */
static int read_answer(const struct flowshop *f, const char *text, int64_t *order,
		       int64_t *makespan, struct err *e)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/answer.json", folder);
	assert_int_equal(outfile_write(path, text, strlen(text), e), 0);
	return fsp_start_read(path, f, order, makespan, e);
}

static void a_schedule_is_read_from_an_answer(void **state)
{
	struct flowshop f = loaded_flowshop("random:3x2:9");
	const int64_t wanted[] = { 2, 0, 1 };
	int64_t order[3], makespan, expected = flowshop_makespan(&f, wanted);
	struct err e = { 0 };
	char text[128];

	(void)state;
	snprintf(text, sizeof(text), "{\"objective\": %d, \"solution\": [2, 0, 1]}", (int)expected);
	assert_int_equal(read_answer(&f, text, order, &makespan, &e), 0);
	assert_memory_equal(order, wanted, sizeof(wanted));
	assert_int_equal(makespan, expected);
	flowshop_free(&f);
}

static void answers_without_a_schedule_of_the_instance_are_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} bad[] = {
		{ "{}", "no array \"solution\"" },
		{ "[2, 0, 1]", "no array \"solution\"" },
		{ "{\"solution\": null}", "no array \"solution\"" },
		{ "{\"solution\": [0, 1]}", "has 2 numbers" },
		{ "{\"solution\": [0, 1, 1]}", "not an order of the 3 jobs" },
		{ "{\"solution\": [0, 1, 3]}", "not an order of the 3 jobs" },
		{ "{\"solution\": [0, 1, \"2\"]}", "not an order of the 3 jobs" },
		{ "{\"objective\": 1, \"solution\": [0, 1, 2]}", "of another instance" },
		{ "{\"solution\": [0, 1", "answer.json:1:" },
	};
	struct flowshop f = loaded_flowshop("random:3x2:9");
	int64_t order[3], makespan;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = { 0 };

		assert_int_equal(read_answer(&f, bad[i].text, order, &makespan, &e), ERR_INPUT);
		if (!strstr(e.text, bad[i].words) || !strstr(e.text, "answer.json"))
			fail_msg("%s: %s", bad[i].text, e.text);
	}
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neh_matches_a_plain_implementation),
		cmocka_unit_test(iterated_greedy_solves_small_instances),
		cmocka_unit_test(iterated_greedy_stops_at_its_target),
		cmocka_unit_test(iterated_greedy_keeps_its_time_limit),
		cmocka_unit_test(a_settled_run_ends_before_its_time),
		cmocka_unit_test(a_stopped_run_returns_its_start),
		cmocka_unit_test(orders_that_are_no_permutation_are_refused),
		cmocka_unit_test(a_schedule_is_read_from_an_answer),
		cmocka_unit_test(answers_without_a_schedule_of_the_instance_are_refused),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
