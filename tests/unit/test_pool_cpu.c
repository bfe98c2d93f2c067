/* The multi-core tree searches against published counts, brute force and a plain recursive counter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../algorithms/helbecque-pool/cpu_team.h"
#include "../../algorithms/helbecque-pool/pool.h"

/* ---- the team ---- */

enum { TASKS = 3000 };

struct skewed {
	_Atomic int done[TASKS];
	_Atomic int taken;
};

/* Member 0 does nothing until the others have done all but its last task. */
static void skewed_work(struct cpu_member *m)
{
	struct skewed *s = m->team->work_context;
	uint64_t from, count;

	if (m->id == 0)
		cpu_team_divide(m->team, TASKS);
	cpu_team_meet(m->team);
	while (m->id == 0 && m->team->threads > 1 && atomic_load(&s->taken) < TASKS - 1)
		;
	while ((count = cpu_team_take(m, 7, &from))) {
		for (uint64_t i = from; i < from + count; i++)
			atomic_fetch_add(&s->done[i], 1);
		atomic_fetch_add(&s->taken, (int)count);
	}
}

static void team_steals(void **state)
{
	struct search_request r = { .threads = 4, .seed = 1 };
	struct search_outcome o = { 0 };
	struct skewed *s = calloc(1, sizeof(*s));
	struct cpu_team t;
	struct err e;

	(void)state;
	assert_non_null(s);
	assert_int_equal(cpu_team_create(&t, &r, &e), 0);
	cpu_team_run(&t, skewed_work, s);
	cpu_team_report(&t, &o);
	assert_true(t.threads == 1 || o.steals_done > 0);
	for (int i = 0; i < TASKS; i++)
		assert_int_equal(atomic_load(&s->done[i]), 1);
	cpu_team_destroy(&t);
	free(s);
}

/* ---- N-Queens ---- */

static void queens_counts(void **state)
{
	static const struct {
		int n;
		uint64_t solutions, explored;
	} known[] = { { 1, 1, 1 }, { 2, 0, 2 }, { 3, 0, 5 }, { 4, 2, 16 }, { 5, 10, 53 },
		      { 6, 4, 152 }, { 7, 40, 551 }, { 8, 92, 2056 }, { 10, 724, 35538 },
		      { 12, 14200, 856188 }, { 13, 73712, 4674889 },
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
		      { 17, 95815104, 8017021931 }, /* more than 16 bits */
#endif
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		for (int threads = 1; threads <= (known[i].n > 13 ? 1 : 4); threads++) {
			struct search_request r = { .queens = known[i].n, .threads = threads };
			struct search_outcome o;
			struct err e;
			uint64_t sum = 0;

			assert_int_equal(cpu_queens(&r, &o, &e), 0);
			assert_true(o.complete);
			assert_true(o.solutions == known[i].solutions);
			assert_true(o.explored == known[i].explored);
			for (int w = 0; w < o.workers; w++)
				sum += o.worker_explored[w];
			assert_true(sum == o.explored);
			search_outcome_free(&o);
		}
	}
}

static void queens_stop(void **state)
{
	static const volatile sig_atomic_t raised = 1;
	struct search_request r = { .queens = 20, .threads = 2, .stop = &raised };
	struct search_outcome o;
	struct err e;

	(void)state;
	assert_int_equal(cpu_queens(&r, &o, &e), ERR_LIMIT);
	assert_false(o.complete);
	r.stop = NULL;
	r.time_limit = 0.05;
	assert_int_equal(cpu_queens(&r, &o, &e), ERR_LIMIT);
	assert_true(o.explored > 0 && o.seconds_total < 5);
	r.queens = 27;
	assert_int_equal(cpu_queens(&r, &o, &e), ERR_UNSUPPORTED);
	assert_non_null(strstr(e.text, "27"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(team_steals),
		cmocka_unit_test(queens_counts),
		cmocka_unit_test(queens_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
