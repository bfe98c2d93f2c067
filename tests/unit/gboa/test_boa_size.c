/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Several runs in one call, and the search for the population that a problem needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gboa/sizing/size_search.h"
#include "algorithms/gboa/runs.h"

struct fixture {
	struct landscape landscape;
	struct boa_options options;
	struct boa_setup setup;
};

static void prepare(struct fixture *f, const char *problem, const char *instance)
{
	assert_int_equal(landscape_load(&f->landscape, problem, instance, NULL), 0);
	boa_defaults(&f->options);
	f->options.population = 512;
	f->options.selected = 256;
	f->options.generations = 30;
	f->options.stop_at_optimum = f->options.stop_converged = true;
	f->setup = (struct boa_setup){ .landscape = &f->landscape,
				       .options = &f->options,
				       .variant = SOLVE_CPU,
				       .threads = 2 };
}

static void runs_one_at_a_time_match_runs_together(void **state)
{
	struct fixture f;
	struct boa_trials together, singly;
	struct boa_summary s;
	struct err e;

	(void)state;
	prepare(&f, "trap5", "15");
	assert_int_equal(boa_trials_create(&together, 15, 6, NULL), 0);
	assert_int_equal(boa_trials_create(&singly, 15, 6, NULL), 0);
	assert_int_equal(boa_trials_run(&together, &f.setup, NULL), 0);
	assert_int_equal(boa_trials_run_singly(&singly, &f.setup, NULL), 0);
	for (int r = 0; r < 6; r++) {
		assert_int_equal(boa_run_compare(&together.runs[r], &singly.runs[r], 15, "it", &e),
				 0);
		assert_true(boa_run_hash(&together.runs[r], 15) ==
			    boa_run_hash(&singly.runs[r], 15));
	}
	assert_int_equal(boa_trials_verify(&together, &f.landscape, NULL), 0);
	boa_trials_sum_up(&together, &f.landscape, &f.options, &s);
	assert_int_equal(s.began, 6);
	assert_true(s.success.low <= s.successes / 6.0 && s.successes / 6.0 <= s.success.high);
	assert_true(s.solved > 0 && s.solved <= 1);
	assert_true(s.evaluations == 512 + 256 * s.generations);
	singly.runs[0].edges++;
	assert_int_equal(boa_run_compare(&together.runs[0], &singly.runs[0], 15, "it", &e),
			 ERR_FAILED);
	boa_trials_destroy(&together);
	boa_trials_destroy(&singly);
	landscape_free(&f.landscape);
}

static void wrong_results_are_detected(void **state)
{
	struct fixture f;
	struct boa_trials t;
	struct err e;

	(void)state;
	prepare(&f, "onemax", "8");
	assert_int_equal(boa_trials_create(&t, 8, 1, NULL), 0);
	assert_int_equal(boa_trials_verify(&t, &f.landscape, &e), 0); /* eight zeros */
	memset(t.bits, 1, 8);
	t.runs[0].best = 8;
	assert_int_equal(boa_trials_verify(&t, &f.landscape, &e),
			 ERR_FAILED); /* the optimum is reached but not reported */
	t.runs[0].optimum = true;
	assert_int_equal(boa_trials_verify(&t, &f.landscape, &e), 0);
	t.bits[3] = 0;
	assert_int_equal(boa_trials_verify(&t, &f.landscape, &e), ERR_FAILED);
	t.bits[3] = 2;
	assert_int_equal(boa_trials_verify(&t, &f.landscape, &e), ERR_FAILED);
	t.bits[3] = 1;
	f.landscape.optimum = 7;
	assert_int_equal(boa_trials_verify(&t, &f.landscape, &e),
			 ERR_FAILED); /* above the optimum */
	t.runs[0].best = INT32_MIN;   /* the run did not begin, so there is nothing to verify */
	assert_int_equal(boa_trials_verify(&t, &f.landscape, &e), 0);
	boa_trials_destroy(&t);
	landscape_free(&f.landscape);
}

static struct boa_size_request request_of(const struct fixture *f)
{
	return (struct boa_size_request){ .setup = &f->setup,
					  .runs = 8,
					  .needed = 7,
					  .repeats = 2,
					  .from = 256,
					  .to = 4096,
					  .precision = 0.1 };
}

static const struct boa_size_point *point_of(const struct boa_size_outcome *o, int32_t population)
{
	for (int i = 0; i < o->count; i++)
		if (o->points[i].population == population)
			return &o->points[i];
	return NULL;
}

static void bisection_ends_between_failure_and_success(void **state)
{
	struct fixture f;
	struct boa_size_outcome o;
	struct boa_size_request q;

	(void)state;
	prepare(&f, "trap5", "15");
	q = request_of(&f);
	assert_int_equal(boa_size_search(&q, &o, NULL), 0);
	assert_int_equal(o.ended, 2);
	for (int i = 0; i < o.count; i++) {
		assert_int_equal(o.points[i].population % 64, 0);
		assert_true(i == 0 || o.points[i - 1].population < o.points[i].population);
		assert_true(o.points[i].runs % 8 == 0 && o.points[i].successes <= o.points[i].runs);
	}
	for (int r = 0; r < 2; r++) {
		const struct boa_size_point *found = point_of(&o, o.found[r]);

		assert_non_null(found);
		assert_true(found->successes >= 7);
	}
	assert_true(o.population == (o.found[0] + o.found[1]) / 2.0);
	boa_size_outcome_destroy(&o);
	landscape_free(&f.landscape);
}

static void easy_problems_need_the_smallest_population(void **state)
{
	struct fixture f;
	struct boa_size_outcome o;
	struct boa_size_request q;

	(void)state;
	prepare(&f, "onemax", "4");
	q = request_of(&f);
	assert_int_equal(boa_size_search(&q, &o, NULL), 0);
	assert_int_equal(o.found[0], 64);
	assert_true(o.population == 64 && o.evaluations >= 64);
	boa_size_outcome_destroy(&o);
	landscape_free(&f.landscape);
}

static void searches_without_an_answer_say_why(void **state)
{
	static const volatile sig_atomic_t stop = 1;
	struct fixture f;
	struct boa_size_outcome o;
	struct boa_size_request q;

	(void)state;
	prepare(&f, "trap5", "40");
	q = request_of(&f);
	q.to = q.from;
	assert_int_equal(boa_size_search(&q, &o, NULL), 0);
	assert_true(o.found[0] == 0 && o.population == 0 && o.count == 1);
	boa_size_outcome_destroy(&o);
	q.needed = 9;
	assert_int_equal(boa_size_search(&q, &o, NULL), ERR_USAGE);
	boa_size_outcome_destroy(&o);
	q = request_of(&f);
	q.from = 100;
	assert_int_equal(boa_size_search(&q, &o, NULL), ERR_USAGE);
	boa_size_outcome_destroy(&o);
	f.setup.stop = &stop;
	q = request_of(&f);
	assert_int_equal(boa_size_search(&q, &o, NULL), ERR_LIMIT);
	assert_int_equal(o.ended, 0);
	boa_size_outcome_destroy(&o);
	f.landscape.optimum_known = false;
	assert_int_equal(boa_size_search(&q, &o, NULL), ERR_USAGE);
	boa_size_outcome_destroy(&o);
	landscape_free(&f.landscape);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_one_at_a_time_match_runs_together),
		cmocka_unit_test(wrong_results_are_detected),
		cmocka_unit_test(bisection_ends_between_failure_and_success),
		cmocka_unit_test(easy_problems_need_the_smallest_population),
		cmocka_unit_test(searches_without_an_answer_say_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
