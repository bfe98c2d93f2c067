/* Threads that begin together (harness/base/crew.h), and searches that get fewer than they ask for:
 * slower, not wrong, and nothing is lost. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <malloc.h>
#include <string.h>

#include "algorithms/tree-search/deep/cpu_deep.h"
#include "algorithms/tree-search/cpu_search.h"
#include "harness/base/crew.h"
#include "tests/unit/base/denied_threads.h"
#include "tests/unit/tree-search/small_atsps.h"
#include "tests/unit/tree-search/small_searches.h"

enum { ASKED = 6, PLENTY = 1000000 };

/* ---- the crew ---- */

struct shift {
	int began;      /* told to begin(), before any works */
	atomic_int met; /* members that saw it */
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

/* Comes back only when all have come. */
static void work(void *item)
{
	struct member *m = item;

	m->worked++;
	atomic_fetch_add(&m->shift->met, 1);
	while (atomic_load(&m->shift->met) < m->shift->began)
		;
}

static void those_that_there_are(void **state)
{
	(void)state;
	for (int granted = 0; granted <= ASKED; granted++) {
		int expected = granted + 1 < ASKED ? granted + 1 : ASKED;
		struct member m[ASKED];
		struct shift s = { 0 };

		for (int i = 0; i < ASKED; i++)
			m[i] = (struct member){ .shift = &s };
		atomic_store(&threads_granted, granted);
		assert_int_equal(crew_run(work, m, sizeof(*m), ASKED, begin, &s), expected);
		assert_int_equal(s.began, expected);
		for (int i = 0; i < ASKED; i++)
			assert_int_equal(m[i].worked, i < expected);
	}
}

static void all_or_none(void **state)
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
		assert_int_equal(crew_run_all(work, m, sizeof(*m), ASKED, &e),
				 enough ? 0 : ERR_FAILED);
		for (int i = 0; i < ASKED; i++)
			assert_int_equal(m[i].worked, enough);
	}
	assert_string_equal(e.text, "only 5 of 6 threads could be started");
}

/* ---- searches ---- */

/* Bytes that a call left behind, with two threads of six. */
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

static void searches_with_two_threads(void **state)
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
	assert_int_equal(left_behind(cpu_deep_search, &deep, with_all(cpu_deep_search, &deep)), 0);
	assert_int_equal(left_behind(cpu_flowshop, &sets, with_all(cpu_flowshop, &sets)), 0);
	assert_int_equal(left_behind(cpu_atsp, &tours, with_all(cpu_atsp, &tours)), 0);
	assert_int_equal(left_behind(cpu_queens, &queens, 92), 0);
	flowshop_free(&f);
	atsp_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_there_are),
		cmocka_unit_test(all_or_none),
		cmocka_unit_test(searches_with_two_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
