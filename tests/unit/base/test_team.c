/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Thread teams (harness/base/team.h), and searches that get fewer threads than requested: their
 * results are correct and they leak nothing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/depth-first/dfs_cpu.h"
#include "algorithms/tree-search/atsp/atsp_cpu.h"
#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/nqueens/queens_cpu.h"
#include "harness/base/team.h"
#include "tests/unit/base/denied_threads.h"
#include "tests/unit/tree-search/small_atsps.h"
#include "tests/unit/tree-search/small_searches.h"

enum { ASKED = 6, PLENTY = 1000000 };

static struct team *make_team(int threads)
{
	struct team *t;
	struct err e = { 0 };

	atomic_store(&threads_granted, PLENTY);
	if (team_create(&t, threads, &e))
		fail_msg("%s", e.text);
	return t;
}

/* ---- the persistent team ---- */

struct seen {
	uint64_t count, grain;
	int threads;
	unsigned char *times;
	int wrong[8]; /* by thread */
};

static void look(void *context, uint64_t from, uint64_t to, int thread)
{
	struct seen *s = context;

	if (thread < 0 || thread >= s->threads)
		abort();
	if (from >= to || to > s->count || from % s->grain || (to % s->grain && to != s->count))
		s->wrong[thread]++;
	for (uint64_t i = from; i < to; i++)
		s->times[i]++;
}

static void every_index_of_a_loop_is_run_once(void **state)
{
	static const uint64_t counts[] = { 0, 1, 2, 7, 64, 65, 1000, 10007 };

	(void)state;
	for (int threads = 0; threads <= 5; threads++) {
		struct team *t = threads ? make_team(threads) : NULL;

		assert_int_equal(team_threads(t), threads ? threads : 1);
		for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++)
			for (uint64_t grain = 1; grain < 200; grain = grain * 3 + 1) {
				struct seen s = { counts[k],
						  grain,
						  team_threads(t),
						  calloc(counts[k] + 1, 1),
						  { 0 } };

				team_for(t, s.count, grain, look, &s);
				for (uint64_t i = 0; i < s.count; i++)
					assert_int_equal(s.times[i], 1);
				assert_int_equal(s.times[s.count], 0);
				for (int i = 0; i < 8; i++)
					assert_int_equal(s.wrong[i], 0);
				free(s.times);
			}
		team_destroy(t);
	}
	struct team *t = NULL;
	struct err e = { 0 };
	assert_int_equal(team_create(&t, 0, &e), ERR_USAGE);
	assert_null(t);
	team_destroy(NULL);
}

static void add_up(void *context, uint64_t from, uint64_t to, int thread)
{
	uint64_t(*sum)[8] = context;

	(*sum)[thread] += to - from;
}

/* Many short loops in succession: none is skipped and none hangs. */
static void no_loop_of_many_short_ones_is_lost(void **state)
{
	struct team *t = make_team(3);
	uint64_t sum[8] = { 0 };

	(void)state;
	for (int i = 0; i < 3000; i++)
		team_for(t, 5, 1, add_up, &sum);
	assert_int_equal(sum[0] + sum[1] + sum[2], 15000);
	team_destroy(t);
}

/* ---- threads for one piece of work ---- */

struct shift {
	int began;      /* passed to begin() before any thread works */
	atomic_int met; /* threads that saw it */
};

struct member {
	struct shift *shift;
	int worked;
};

static void begin(void *context, int number)
{
	struct shift *s = context;

	assert_int_equal(atomic_load(&s->met), 0);
	s->began = number;
}

/* Returns only when all threads have arrived. */
static void work(void *item)
{
	struct member *m = item;

	m->worked++;
	atomic_fetch_add(&m->shift->met, 1);
	while (atomic_load(&m->shift->met) < m->shift->began)
		;
}

static void only_granted_threads_work(void **state)
{
	(void)state;
	for (int granted = 0; granted <= ASKED; granted++) {
		int expected = granted + 1 < ASKED ? granted + 1 : ASKED;
		struct member m[ASKED];
		struct shift s = { 0 };

		for (int i = 0; i < ASKED; i++)
			m[i] = (struct member){ .shift = &s };
		atomic_store(&threads_granted, granted);
		assert_int_equal(team_run(work, m, sizeof(*m), ASKED, begin, &s), expected);
		assert_int_equal(s.began, expected);
		for (int i = 0; i < ASKED; i++)
			assert_int_equal(m[i].worked, i < expected);
	}
}

static void team_run_all_runs_all_or_none(void **state)
{
	struct err e = { 0 };

	(void)state;
	for (int granted = 0; granted <= ASKED; granted++) {
		bool enough = granted >= ASKED - 1;
		struct member m[ASKED];
		struct shift s = { .began = ASKED };

		for (int i = 0; i < ASKED; i++)
			m[i] = (struct member){ .shift = &s };
		atomic_store(&threads_granted, granted);
		assert_int_equal(team_run_all(work, m, sizeof(*m), ASKED, &e),
				 enough ? 0 : ERR_FAILED);
		for (int i = 0; i < ASKED; i++)
			assert_int_equal(m[i].worked, enough);
	}
	assert_string_equal(e.text, "only 5 of 6 threads could be started");
}

/* ---- the barrier ---- */

enum { MEETINGS = 2000 };

struct attendant {
	struct team_barrier *barrier;
	int *written; /* [threads] */
	int id, threads, wrong;
};

static void attend(void *item)
{
	struct attendant *a = item;

	for (int meeting = 0; meeting < MEETINGS; meeting++) {
		a->written[a->id] = meeting;
		team_barrier_wait(a->barrier);
		for (int i = 0; i < a->threads; i++)
			a->wrong += a->written[i] != meeting;
		team_barrier_wait(a->barrier);
	}
}

static void writes_before_a_barrier_are_seen_after_it(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 9; threads += 4) {
		struct attendant a[9];
		struct team_barrier barrier;
		int written[9];

		atomic_store(&threads_granted, PLENTY);
		team_barrier_init(&barrier, threads);
		for (int i = 0; i < threads; i++)
			a[i] = (struct attendant){ &barrier, written, i, threads, 0 };
		assert_int_equal(team_run_all(attend, a, sizeof(*a), threads, NULL), 0);
		for (int i = 0; i < threads; i++)
			assert_int_equal(a[i].wrong, 0);
	}
}

/* ---- searches ---- */

/* Bytes leaked by a call that gets two of six threads. */
static size_t left_behind(search_fn *search, const struct search_request *r, int64_t best)
{
	enum { WARM = 20, TIMES = 20 };
	size_t before = 0;

	for (int i = 0; i < WARM + TIMES; i++) {
		struct search_outcome o = { 0 };
		struct err e = { 0 };

		if (i == WARM)
			before = mallinfo2().uordblks;
		atomic_store(&threads_granted, 1);
		if (search(r, &o, &e))
			fail_msg("%s", e.text);
		assert_int_equal(o.workers, 2);
		assert_int_equal(r->flowshop || r->atsp ? o.best : (int64_t)o.solutions, best);
		search_outcome_free(&o);
	}
	return mallinfo2().uordblks - before;
}

static int64_t with_all(search_fn *search, const struct search_request *r)
{
	struct search_outcome o = { 0 };
	struct err e = { 0 };

	atomic_store(&threads_granted, PLENTY);
	if (search(r, &o, &e))
		fail_msg("%s", e.text);
	search_outcome_free(&o);
	return r->flowshop || r->atsp ? o.best : (int64_t)o.solutions;
}

static void searches_are_right_and_leak_nothing_with_two_threads(void **state)
{
	struct flowshop f = random_flowshop(9, 5, 20, 3);
	struct atsp a = random_atsp(9, 50, 3);
	const struct search_request deep = { .flowshop = &f,
					     .bound = FSP_LB1,
					     .seed = 1,
					     .branching = FSP_MINBRANCH,
					     .ub = SEARCH_NO_UB - 1,
					     .threads = ASKED },
				    sets = { .flowshop = &f,
					     .bound = FSP_LB2,
					     .seed = 1,
					     .branching = FSP_FORWARD,
					     .ub = SEARCH_NO_UB - 1,
					     .threads = ASKED },
				    tours = { .atsp = &a,
					      .ub = SEARCH_NO_UB,
					      .seed = 1,
					      .threads = ASKED },
				    queens = { .queens = 8, .seed = 1, .threads = ASKED };

	(void)state;
	assert_int_equal(left_behind(dfs_cpu, &deep, with_all(dfs_cpu, &deep)), 0);
	assert_int_equal(left_behind(fsp_cpu, &sets, with_all(fsp_cpu, &sets)), 0);
	assert_int_equal(left_behind(atsp_cpu, &tours, with_all(atsp_cpu, &tours)), 0);
	assert_int_equal(left_behind(queens_cpu, &queens, 92), 0);
	flowshop_free(&f);
	atsp_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_index_of_a_loop_is_run_once),
		cmocka_unit_test(no_loop_of_many_short_ones_is_lost),
		cmocka_unit_test(only_granted_threads_work),
		cmocka_unit_test(team_run_all_runs_all_or_none),
		cmocka_unit_test(writes_before_a_barrier_are_seen_after_it),
		cmocka_unit_test(searches_are_right_and_leak_nothing_with_two_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
