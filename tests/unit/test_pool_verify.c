/* What an outcome is checked against: every kind of wrong answer must be refused, every right one
 * let through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../algorithms/helbecque-pool/verify.h"
#include "../../algorithms/problems/flowshop_start.h"
#include "judged_outcomes.h"

enum { JOBS = 20 };

static void a_count_of_queens(void **state)
{
	struct search_request r = { .queens = 8 };
	struct search_outcome right = { .complete = true, .solutions = 92, .explored = 2056 }, o;

	(void)state;
	judged_right(pool_verify, &r, &right, true);
	o = right;
	o.solutions = 91;
	judged_wrong(pool_verify, &r, &o);
	o = right;
	o.explored++;
	judged_wrong(pool_verify, &r, &o);
	r.solutions_only = true;
	judged_right(pool_verify, &r, &o, true);
	o.complete = false;
	o.solutions = 93;
	judged_wrong(pool_verify, &r, &o);
	o.solutions = 5;
	judged_right(pool_verify, &r, &o, false);
}

/* What was not counted is left out: above all no difference of unrelated counts. */
static void decomposed_queens(void **state)
{
	struct search_request r = { .queens = 12 };
	struct search_outcome o = { .complete = true, .solutions = 14200, .explored = 856188 };

	(void)state;
	assert_int_equal(pool_decomposed(&r, &o), 856188 - 14200 + 1);
	o.complete = false;
	assert_int_equal(pool_decomposed(&r, &o), 0);
	o.complete = r.solutions_only = true;
	o.explored = 122;
	assert_int_equal(pool_decomposed(&r, &o), 0);
}

static void load(struct flowshop *f, const char *name)
{
	struct err e;

	assert_int_equal(flowshop_load(f, name, &e), 0);
}

static void the_tree_of_the_paper(void **state)
{
	struct flowshop f;
	struct search_request r = { .flowshop = &f, .bound = FSP_LB2, .branching = FSP_FORWARD,
				    .ub = 2237 };
	struct search_outcome right = { .complete = true, .best = 2237, .lower_bound = 2237,
					.explored = 9499307, .decomposed = 9499308 }, o;

	(void)state;
	load(&f, "ta029");
	judged_right(pool_verify, &r, &right, true);
	o = right;
	o.explored--;
	judged_wrong(pool_verify, &r, &o);
	o = right;
	o.decomposed--;
	judged_wrong(pool_verify, &r, &o);
	o = right;
	o.lower_bound = 2236;
	judged_wrong(pool_verify, &r, &o);
	o = right;
	o.explored = 1;
	r.bound = FSP_LB1; /* another tree, of which nothing is known; the optimum was given */
	judged_right(pool_verify, &r, &o, false);
	flowshop_free(&f);
}

static void optima_and_bounds(void **state)
{
	struct flowshop f;
	int64_t order[JOBS], makespan;
	struct search_request r = { .flowshop = &f, .ub = SEARCH_NO_UB };
	struct search_outcome o = { 0 };
	struct err e;

	(void)state;
	load(&f, "ta001");
	assert_int_equal(fsp_start(FSP_START_NEH, &f, 0, 1, NULL, order, &makespan, &e), 0);
	assert_true(makespan > 1278);
	o = (struct search_outcome){ .best = makespan, .lower_bound = 1250, .order = order };
	judged_right(pool_verify, &r, &o, true);
	o.best--; /* not what its schedule takes */
	judged_wrong(pool_verify, &r, &o);
	o.best = makespan;
	o.lower_bound = 1279; /* above the optimum */
	judged_wrong(pool_verify, &r, &o);
	o.complete = true;
	o.lower_bound = makespan; /* no optimum */
	judged_wrong(pool_verify, &r, &o);
	o.lower_bound = 1278;
	judged_wrong(pool_verify, &r, &o);
	o.complete = false;
	r.ub = makespan - 1; /* worse than the start */
	judged_wrong(pool_verify, &r, &o);
	o = (struct search_outcome){ .complete = true, .best = 1200, .lower_bound = 1200 };
	r.ub = 1200; /* nothing below a bound that is too low: right, and no schedule to confirm */
	judged_right(pool_verify, &r, &o, false);
	flowshop_free(&f);
}

static void a_file_that_bears_a_known_name(void **state)
{
	struct flowshop f;

	(void)state;
	load(&f, "ta029");
	assert_non_null(flowshop_known_of(&f));
	f.time[7]++;
	assert_null(flowshop_known_of(&f));
	flowshop_free(&f);
	load(&f, "random:5x3:9:1");
	assert_null(flowshop_known_of(&f));
	flowshop_free(&f);
}

static void a_start_is_a_schedule(void **state)
{
	struct flowshop f;
	int64_t order[JOBS], neh, ig;
	struct err e;

	(void)state;
	load(&f, "ta021");
	assert_int_equal(fsp_start(FSP_START_NEH, &f, 0, 1, NULL, order, &neh, &e), 0);
	assert_int_equal(flowshop_makespan(&f, order), neh);
	assert_int_equal(fsp_start(FSP_START_IG, &f, 0.1, 1, NULL, order, &ig, &e), 0);
	assert_int_equal(flowshop_makespan(&f, order), ig);
	assert_true(2297 <= ig && ig <= neh);
	assert_true(fsp_start_seconds(&f) == 1);
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_count_of_queens),
		cmocka_unit_test(decomposed_queens),
		cmocka_unit_test(the_tree_of_the_paper),
		cmocka_unit_test(optima_and_bounds),
		cmocka_unit_test(a_file_that_bears_a_known_name),
		cmocka_unit_test(a_start_is_a_schedule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
